// Claims in etcd under one lease of this aggregator. What cannot renew its lease gives everything up before the lease ends there: at no moment
// do two aggregators serve one subserver, whichever of them is cut off. An aggregator that wants a subserver of another leaves a note.
import { type Clock, STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { EtcdClient, EtcdPut } from './etcd-client.ts';
import type { Claim, Holder, RegistrationStore } from './store.ts';

export type EtcdStoreInit = {
  readonly client: EtcdClient;
  readonly aggregatorId: string;
  /** Names the tree: its aggregators use one. */
  readonly tree: string;
  /** Names the namespace that segments are in: an aggregator and its backup use one. */
  readonly place: string;
  readonly ttlSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
};

/** Of the lease's life: a step between renewals, which is also how long one may take; and the age at which all is given up. */
const STEP = 1 / 8;
const FENCE = 0.6;

type State = EtcdStoreInit & {
  readonly root: string;
  readonly stepMs: number;
  readonly held: Map<string, Claim>;
  lease: string | undefined;
  /** When the last renewal that succeeded was sent. */
  renewedMs: number;
};

export function createEtcdStore(init: EtcdStoreInit): RegistrationStore {
  const stopped = new AbortController();
  const state: State = {
    ...init,
    root: `parley/mcpax/${init.tree}/`,
    stepMs: init.ttlSeconds * 1_000 * STEP,
    held: new Map(),
    lease: undefined,
    renewedMs: 0,
  };
  const store: RegistrationStore = {
    lost: () => {},
    wanted: () => {},
    async claim(claim) {
      try {
        return await claimIn(state, claim);
      } catch (error) {
        return { kind: 'unreachable', reason: messageOf(error) };
      }
    },
    async release({ subserverId, segment }) {
      const claim = state.held.get(subserverId);
      if (claim?.segment !== segment) return;
      state.held.delete(subserverId);
      const value = claimText(state, claim);
      const entries = keysOf(state, claim).map((key) => ({ key, value }));
      // Where that fails, the lease is given up with the next renewal.
      await init.client
        .deleteOwn(entries, state.stepMs)
        .catch(() => giveUp(state, store, 'a claim could not be released'));
    },
    start() {
      void run(state, store, stopped.signal);
      void fence(state, store, stopped.signal);
    },
    async stop() {
      stopped.abort(STOPPED);
      state.held.clear();
      if (state.lease !== undefined) await init.client.revoke(state.lease, state.stepMs).catch(() => {});
      await init.client.close();
    },
  };
  return store;
}

async function run(state: State, store: RegistrationStore, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await step(state, store).catch((error) =>
      state.log.debug('the registration store does not answer', { reason: messageOf(error) }),
    );
    await state.clock.sleep(state.stepMs, signal).catch(() => {});
  }
}

/** Beside the steps, so that none of them keeps it waiting, however long it takes. */
async function fence(state: State, store: RegistrationStore, signal: AbortSignal): Promise<void> {
  const { clock, stepMs, ttlSeconds } = state;
  while (!signal.aborted) {
    const leftMs = state.renewedMs + ttlSeconds * 1_000 * FENCE - clock.monotonicMs();
    if (state.lease !== undefined && leftMs <= 0) giveUp(state, store, 'the registration store does not answer');
    await clock.sleep(state.lease === undefined ? stepMs : leftMs, signal).catch(() => {});
  }
}

async function step(state: State, store: RegistrationStore): Promise<void> {
  const { client, stepMs, clock } = state;
  const sentMs = clock.monotonicMs();
  if (state.lease === undefined) {
    const lease = await client.grantLease(state.ttlSeconds, stepMs);
    state.lease = lease;
    state.renewedMs = sentMs;
    return;
  }
  const { lease } = state;
  if (!(await client.keepAlive(lease, stepMs))) {
    if (state.lease === lease) giveUp(state, store, 'the lease has ended');
    return;
  }
  if (state.lease !== lease) return;
  state.renewedMs = sentMs;
  if (state.held.size === 0) return;
  const notes = await client.range(`${state.root}wanted/`, stepMs);
  for (const [key, note] of notes) {
    const claim = state.held.get(key.slice(`${state.root}wanted/`.length));
    const { aggregatorId, owner } = readNote(note);
    if (claim !== undefined && aggregatorId !== state.aggregatorId && isOwner(claim, owner)) store.wanted(claim);
  }
}

/** What is still in the store under the old lease ends with it, revoked or not; nothing of it counts here any more. */
function giveUp(state: State, store: RegistrationStore, reason: string): void {
  const { lease, held } = state;
  state.lease = undefined;
  const hadClaims = held.size > 0;
  held.clear();
  if (hadClaims) store.lost(reason);
  if (lease !== undefined) void state.client.revoke(lease, state.stepMs).catch(() => {});
}

async function claimIn(state: State, claim: Claim): ReturnType<RegistrationStore['claim']> {
  const { client, stepMs, lease, held } = state;
  if (lease === undefined) return { kind: 'unreachable', reason: 'this aggregator has no lease now' };
  const known = held.get(claim.subserverId);
  // It is here now: the aggregator that wanted it before does not any more.
  const note = `${state.root}wanted/${claim.subserverId}`;
  if (known?.segment === claim.segment) {
    await client.remove(note, stepMs);
    return { kind: 'claimed' };
  }
  if (held.size >= AGGREGATE_LIMITS.subservers) return { kind: 'unreachable', reason: 'too many claims' };
  const value = claimText(state, claim);
  const puts: EtcdPut[] = keysOf(state, claim).map((key) => ({ key, value, lease }));
  const found = await client.putAllNew(puts, note, stepMs);
  // The lease may have been given up meanwhile; what stands under it then ends with it.
  if (state.lease !== lease) return { kind: 'unreachable', reason: 'the lease was given up' };
  const holder = found === undefined ? undefined : holderIn(found, claim);
  if (holder === undefined || holder.aggregatorId === state.aggregatorId) {
    if (found !== undefined) return { kind: 'unreachable', reason: 'a claim of this aggregator is just ending' };
    held.set(claim.subserverId, claim);
    return { kind: 'claimed' };
  }
  if (holder.subserverId === claim.subserverId && isOwner(holder, claim.owner)) {
    const value = JSON.stringify({ aggregatorId: state.aggregatorId, owner: claim.owner });
    await client.put({ key: note, value, lease }, stepMs);
  }
  return { kind: 'held', holder };
}

/** The one that has the subserver, or else the segment. */
function holderIn(found: ReadonlyMap<string, string>, { subserverId }: Claim): Holder | undefined {
  const holders = [...found.values()].map((value) => JSON.parse(value) as Holder & JsonObject);
  return holders.find((each) => each.subserverId !== subserverId) ?? holders[0];
}

function keysOf({ root, place }: State, { segment, subserverId }: Claim): readonly string[] {
  return [`${root}subserver/${subserverId}`, `${root}segment/${place}/${segment}`];
}

function claimText({ aggregatorId }: State, { segment, subserverId, owner }: Claim): string {
  return JSON.stringify({ segment, subserverId, aggregatorId, owner });
}

/** An id is no secret: only what a certificate proves takes a subserver from one aggregator to another. */
export function isOwner({ owner }: Pick<Claim, 'owner'>, other: JsonValue | undefined): boolean {
  return owner !== undefined && owner === other;
}

/** Empty for a note that says no owner. */
function readNote(note: string): JsonObject {
  const read = decodeStrictJson(Buffer.from(note));
  return read.ok && isJsonObject(read.value) ? read.value : {};
}
