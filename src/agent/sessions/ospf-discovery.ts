// Finds agents of OSPF neighbours that no other discovery named: asks each who it is, by mutual TLS, and keeps the certificate's name as a hint.
// Asks one after the other, and none again before its wait has ended, whatever the answer was: ever longer where no agent of this domain answers.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { createOutage, type Log } from '#base/log.ts';
import { type OspfCandidate, ospfCandidates } from '#discovery/ospf.ts';
import type { Discovery, PeerTable } from '#model/peer.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** The name of the node of this domain whose agent answers there. Rejects with ParleyError `peer/…`. */
export type MeetNode = (address: string, port: number, signal: AbortSignal) => Promise<string>;

/** `vain`: how often no agent answered. */
type Asked = { readonly vain: number; readonly againAtMs: number };

export function createOspfDiscovery(parts: {
  readonly router: Pick<RouterPort, 'state' | 'latest'>;
  readonly table: PeerTable;
  readonly meet: MeetNode;
  /** On which this node's own agent listens: agents of a domain share one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
}): Discovery {
  const { router, table, port, clock, log } = parts;
  const outage = createOutage({
    ...{ log, clock },
    broken: 'the OSPF neighbours of this node could not be read',
    back: 'the OSPF neighbours of this node can be read again',
  });
  let ended: AbortController | undefined;
  let loop: Promise<void> = Promise.resolve();
  /** As many as are neighbours, and those that were asked within the longest wait: `ospfAsks` in each look. */
  const asked = new Map<string, Asked>();

  const candidates = async (signal: AbortSignal) => {
    try {
      const until = AbortSignal.any([signal, AbortSignal.timeout(AGENT_LIMITS.ospfReadMs)]);
      const kept = router.latest?.();
      // A reading for this alone costs more than all else that an idle agent does. Where the node cannot be read, its last state grows old.
      const isFresh = kept !== undefined && kept.ageMs <= AGENT_LIMITS.ospfStateAgeMs;
      const state = isFresh ? kept.state : await router.state(until, 'all');
      outage.worked();
      return ospfCandidates(state, table.list());
    } catch (error) {
      if (!signal.aborted) outage.failed(error);
      return undefined;
    }
  };
  const ask = async (address: string, ifname: string, signal: AbortSignal) => {
    try {
      const node = await parts.meet(address, port, signal);
      if (signal.aborted) return;
      // The table may keep nothing of it: this node's own name, another address of a peer, no room.
      asked.set(address, { vain: 0, againAtMs: clock.monotonicMs() + AGENT_LIMITS.ospfLongestRetryMs });
      table.add({
        source: 'ospf',
        node,
        addresses: [address],
        port,
        heardOn: ifname,
        hops: 0,
        heardAtMs: clock.nowMs(),
      });
      log.info('the agent of an OSPF neighbour was found', { node, address, interface: ifname });
    } catch (error) {
      if (signal.aborted) return;
      const vain = (asked.get(address)?.vain ?? 0) + 1;
      asked.set(address, { vain, againAtMs: clock.monotonicMs() + waitMs(vain) });
      log.debug('no agent answers at an OSPF neighbour', { address, interface: ifname, reason: messageOf(error) });
    }
  };
  const look = async (signal: AbortSignal) => {
    const found = await candidates(signal);
    if (found === undefined) return;
    forgetOthers(asked, found, clock.monotonicMs());
    for (const { address, ifname } of due(found, asked, clock.monotonicMs())) {
      if (signal.aborted) return;
      await ask(address, ifname, signal);
    }
  };
  const run = async (signal: AbortSignal) => {
    const beganMs = clock.monotonicMs();
    while (!signal.aborted) {
      const isEarly = clock.monotonicMs() - beganMs < AGENT_LIMITS.ospfEarlyMs;
      await clock.sleep(isEarly ? AGENT_LIMITS.ospfEarlyLookMs : AGENT_LIMITS.ospfLookMs, signal).catch(() => {});
      if (!signal.aborted) await look(signal);
    }
  };
  return {
    async start(signal) {
      if (ended !== undefined || signal?.aborted) return;
      ended = new AbortController();
      loop = run(ended.signal);
    },
    async stop() {
      ended?.abort();
      await loop;
      ended = undefined;
    },
  };
}

/** A neighbour that goes and comes back waits as long as one that stays: an adjacency that flaps makes no more connections. */
function forgetOthers(asked: Map<string, Asked>, found: readonly OspfCandidate[], nowMs: number): void {
  const there = new Set(found.map(({ address }) => address));
  for (const [address, { againAtMs }] of asked) if (!there.has(address) && againAtMs <= nowMs) asked.delete(address);
}

/** Those that were never asked come first: many that do not answer keep no other from its turn. */
function due(
  found: readonly OspfCandidate[],
  asked: ReadonlyMap<string, Asked>,
  nowMs: number,
): readonly OspfCandidate[] {
  const dueAtMs = ({ address }: OspfCandidate) => asked.get(address)?.againAtMs ?? 0;
  return found
    .filter((each) => dueAtMs(each) <= nowMs)
    .sort((one, other) => dueAtMs(one) - dueAtMs(other))
    .slice(0, AGENT_LIMITS.ospfAsks);
}

/** Doubles with each try in vain: a router without an agent is not bothered. */
function waitMs(vain: number): number {
  return Math.min(AGENT_LIMITS.ospfRetryMs * 2 ** (vain - 1), AGENT_LIMITS.ospfLongestRetryMs);
}
