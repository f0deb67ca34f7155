// Two aggregators that share a real etcd, and leaves that register with either: kills and partitions at random moments, while it is watched who
// serves what. A partition loses messages in both directions and ends no connection.
import { randomUUID } from 'node:crypto';
import { type Aggregator, createAggregator } from '#aggregate/aggregator.ts';
import { DEFAULT_BUDGET } from '#aggregate/gates/budgets.ts';
import { keepParent, type Parent } from '#aggregate/registry/parent.ts';
import { createEtcdClient, type EtcdClient } from '#aggregate/store/etcd-client.ts';
import { createEtcdStore } from '#aggregate/store/etcd-store.ts';
import type { Link } from '#aggregate/wire/link.ts';
import { type Clock, createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { bad } from '#base/result.ts';
import type { Party } from '#model/identity.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { answerAs, createFakeServer, linkPair, OPEN } from './harness.ts';

export const HEARTBEAT_MS = 1_000;
const LEASE_SECONDS = 1;
const LOOK_MS = 5;
const HOLD_MS = 2_500;

const FAULTS = ['kill', 'cut from leaves', 'cut from etcd', 'cut from both'] as const;
type Fault = (typeof FAULTS)[number];

type Half = {
  readonly id: string;
  aggregator: Aggregator;
  /** Cut off from leaves, from etcd. */
  isCut: boolean;
  isBlind: boolean;
  isDead: boolean;
};

type Leaf = { readonly segment: string; readonly parent: Parent };

export type Pair = { readonly halves: readonly Half[]; readonly leaves: readonly Leaf[]; stop(): Promise<void> };

export type Trial = {
  readonly faults: number;
  /** Moments at which two served one segment. */
  readonly doubles: number;
  readonly looks: number;
  /** How long a segment was not served, each time. */
  readonly outagesMs: readonly number[];
};

const clock: Clock = createSystemClock();

export async function startPair(url: string, place: string, leafCount: number): Promise<Pair> {
  const halves: Half[] = [0, 1].map(() => startHalf(url, place));
  const leaves = Array.from({ length: leafCount }, (_, index) => startLeaf(`s${index}`, halves, index));
  return {
    halves,
    leaves,
    async stop() {
      await Promise.all(leaves.map(({ parent }) => parent.stop()));
      await Promise.all(halves.map(({ aggregator }) => aggregator.stop()));
    },
  };
}

function startHalf(url: string, place: string): Half {
  const id = randomUUID();
  const half = { id, isCut: false, isBlind: false, isDead: false } as Half;
  half.aggregator = aggregatorOf(half, url, place);
  return Object.assign(half, { again: () => aggregatorOf(half, url, place) });
}

function aggregatorOf(half: Half, url: string, place: string): Aggregator {
  const client = blindable(createEtcdClient({ urls: [url], clock }), half);
  const base = { client, aggregatorId: half.id, tree: 'lab', place, ttlSeconds: LEASE_SECONDS };
  return createAggregator({
    node: place,
    aggregatorId: half.id,
    leaves: [],
    parents: [],
    registration: OPEN,
    owners: [],
    store: createEtcdStore({ ...base, clock, log: silentLog }),
    segments: {},
    stickyMs: 3_600_000,
    graceMs: 300_000,
    budget: DEFAULT_BUDGET,
    demand: () => undefined,
    view: { names: 'dotted', compact: false },
    verifyChain: () => bad('no CA'),
    saveOwners: async () => {},
    record: async () => {},
    note: () => {},
    clock,
    random: systemRandom,
    log: silentLog,
  });
}

/** A process that is dead, or cut off from etcd, sends it nothing. */
function blindable(client: EtcdClient, half: Half): EtcdClient {
  const guarded =
    (name: keyof EtcdClient) =>
    async (...given: unknown[]) => {
      const isCut = () => half.isBlind || half.isDead;
      if (isCut()) throw new Error('cut off');
      const answer = await (client[name] as (...args: unknown[]) => Promise<unknown>)(...given);
      if (isCut()) throw new Error('cut off');
      return answer;
    };
  const names = ['grantLease', 'keepAlive', 'revoke', 'range', 'put', 'putAllNew', 'remove', 'deleteOwn'] as const;
  const methods = Object.fromEntries(names.map((name) => [name, guarded(name)]));
  return { ...client, ...methods } as EtcdClient;
}

function startLeaf(segment: string, halves: readonly Half[], turn: number): Leaf {
  const server = createFakeServer(createFakeClock());
  const party: Party = { kind: 'node', domain: 'lab.example', name: segment, thumbprint: 'c'.repeat(64) };
  const order = turn % 2 === 0 ? halves : halves.toReversed();
  const parent = keepParent({
    targets: order.map((half) => ({
      node: half.id,
      segment,
      heartbeatMs: HEARTBEAT_MS,
      dial: async () => dial(half, party),
    })),
    subserverId: randomUUID(),
    subtreeIds: () => [],
    clock,
    random: systemRandom,
    log: silentLog,
    serve: (peer) => answerAs(server, peer),
  });
  return { segment, parent };
}

/** Loses what is sent while the half is cut off. A dead one refuses. */
function dial(half: Half, party: Party): Link {
  if (half.isDead || half.isCut) throw new Error('no answer');
  const [own, theirs] = linkPair();
  for (const link of [own, theirs]) {
    const { send, close } = link;
    link.send = (text, about) => {
      if (!half.isCut && !half.isDead) send(text, about);
    };
    // Across a cut the other side hears of no end.
    link.close = (reason) => {
      if (!half.isCut) return close(reason);
      link.ended(reason);
      link.ended = () => {};
    };
  }
  half.aggregator.serve(theirs, party, [party.name]);
  return own;
}

/** Faults one after another, each healed before the next; the segments are looked at all the time. */
export async function trial(pair: Pair, faultCount: number, random: () => number): Promise<Trial> {
  const watch: Watch = { isOver: false, doubles: 0, looks: 0, outagesMs: [], unserved: new Map() };
  await servedAgain(pair);
  const watching = look(pair, watch);
  for (let count = 0; count < faultCount; count++) {
    await clock.sleep(random() * HEARTBEAT_MS);
    const half = pair.halves[random() < 0.5 ? 0 : 1]!;
    const heal = inflict(half, FAULTS[Math.floor(random() * FAULTS.length)]!);
    // Long enough for leases to end, at least sometimes.
    await clock.sleep(random() * HOLD_MS);
    await servedAgain(pair);
    heal();
    await clock.sleep(random() * HEARTBEAT_MS);
    await servedAgain(pair);
  }
  watch.isOver = true;
  await watching;
  return { faults: faultCount, doubles: watch.doubles, looks: watch.looks, outagesMs: watch.outagesMs };
}

function inflict(half: Half, fault: Fault): () => void {
  if (fault === 'kill') {
    half.isDead = true;
    const dead = half.aggregator;
    // What was on its way is lost with the process; only its memory is tidied up here.
    void dead.stop();
    return () => {
      half.isDead = false;
      half.aggregator = (half as Half & { again(): Aggregator }).again();
    };
  }
  half.isCut = fault !== 'cut from etcd';
  half.isBlind = fault !== 'cut from leaves';
  return () => {
    half.isCut = false;
    half.isBlind = false;
  };
}

type Watch = {
  isOver: boolean;
  doubles: number;
  looks: number;
  readonly outagesMs: number[];
  /** Segments that are not served now, and since when. */
  readonly unserved: Map<string, number>;
};

async function look({ halves, leaves }: Pair, watch: Watch): Promise<void> {
  while (!watch.isOver) {
    watch.looks += 1;
    for (const leaf of leaves) {
      const { segment } = leaf;
      if (halves.filter((half) => serves(half, segment)).length > 1) watch.doubles += 1;
      const since = watch.unserved.get(segment);
      if (!isReached(halves, leaf)) watch.unserved.set(segment, since ?? clock.monotonicMs());
      else if (since !== undefined) {
        watch.unserved.delete(segment);
        watch.outagesMs.push(clock.monotonicMs() - since);
      }
    }
    await clock.sleep(LOOK_MS);
  }
}

function serves({ aggregator, isDead }: Half, segment: string): boolean {
  return !isDead && aggregator.core.slots.get(segment)?.state === 'up';
}

function isReached(halves: readonly Half[], { segment }: Leaf): boolean {
  return halves.some((half) => serves(half, segment) && !half.isCut);
}

/** Resolves when each leaf is served by a half that it can be reached through. */
async function servedAgain({ halves, leaves }: Pair): Promise<void> {
  const startedMs = clock.monotonicMs();
  while (!leaves.every((leaf) => isReached(halves, leaf))) {
    if (clock.monotonicMs() - startedMs > 60_000)
      throw new Error('expected the leaves to be served again, they are not');
    await clock.sleep(LOOK_MS);
  }
}
