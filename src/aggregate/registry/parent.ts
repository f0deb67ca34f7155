// The way up: this aggregator, or an agent, registers with a parent over mutual TLS, sends heartbeats, and is asked on the same connection.
// When a parent goes, the next one of the list is tried; the first that answers is kept.
import { type Clock, STOPPED } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { ask } from '../leaf/offers.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Link } from '../wire/link.ts';
import { createPeer, type Peer } from '../wire/peer.ts';
import { parseRegistered, pathIn, registerParams, WHERE_METHOD } from './messages.ts';

export type ParentTarget = {
  readonly node: string;
  readonly segment: string;
  readonly heartbeatMs: number;
  readonly authority?: string | undefined;
  /** A JWT that proves it; read for each registration, since it lives for minutes. */
  readonly authorityProof?: (() => Promise<string>) | undefined;
  /** Opens a connection to it. */
  readonly dial: (signal: AbortSignal) => Promise<Link>;
};

export type ParentInit = {
  readonly targets: readonly ParentTarget[];
  readonly subserverId: string;
  /** Absent for what is no aggregator. */
  readonly aggregatorId?: string;
  readonly subtreeIds: () => readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Answers what the parent asks on this connection. */
  readonly serve: (peer: Peer, parentNode: string) => void;
};

export type Parent = {
  /** Segments from the root to this one, as far as a parent has said. */
  readonly path: readonly string[];
  readonly registeredWith: string | undefined;
  /** Why the tree says that this subserver is registered elsewhere; undefined where it does not, or cannot be asked. */
  elsewhere(subserverId: string): Promise<string | undefined>;
  stop(): Promise<void>;
};

export function keepParent(init: ParentInit): Parent {
  const stopped = new AbortController();
  const state: State = { path: [], registeredWith: undefined, peer: undefined };
  const done = init.targets.length === 0 ? Promise.resolve() : run(init, state, stopped.signal);
  return {
    get path() {
      return state.path;
    },
    get registeredWith() {
      return state.registeredWith;
    },
    async elsewhere(subserverId) {
      if (state.peer === undefined) return undefined;
      const result = await ask(state.peer, WHERE_METHOD, { subserver_id: subserverId }).catch(() => undefined);
      const reason = result?.['elsewhere'];
      return typeof reason === 'string' ? reason : undefined;
    },
    async stop() {
      stopped.abort(STOPPED);
      await done;
    },
  };
}

/** Not more often than this, however short the heartbeats are. */
const MOST_TRIES_MS = 100;
/** A parent that is busy for a moment is not gone. */
const HEARD_LEAST_MS = 1_000;

type State = { path: readonly string[]; registeredWith: string | undefined; peer: Peer | undefined };

async function run(init: ParentInit, state: State, signal: AbortSignal): Promise<void> {
  let waitMs: number = AGGREGATE_LIMITS.restartMs;
  for (let turn = 0; !signal.aborted; turn++) {
    const target = init.targets[turn % init.targets.length]!;
    try {
      await oneRegistration(init, target, state, signal);
      waitMs = AGGREGATE_LIMITS.restartMs;
    } catch (error) {
      if (!signal.aborted)
        init.log.warn('not registered with the parent', { parent: target.node, reason: messageOf(error) });
    }
    state.registeredWith = undefined;
    state.peer = undefined;
    if (signal.aborted) return;
    // Two that refuse each other at one moment must not do so for ever.
    const jitter = 0.5 + (init.random.bytes(1)[0] ?? 0) / 256;
    await init.clock.sleep(waitMs * jitter, signal).catch(() => {});
    // MCP-AX §13.3: a subtree is served again within three heartbeats, so several tries must fit into them.
    waitMs = Math.min(2 * waitMs, AGGREGATE_LIMITS.restartMostMs, Math.max(MOST_TRIES_MS, target.heartbeatMs / 4));
  }
}

/** Resolves when the registration has ended, rejects when there was none. */
async function oneRegistration(
  init: ParentInit,
  target: ParentTarget,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  const peer = createPeer(await target.dial(signal), init.clock);
  const ended = new AbortController();
  const onStop = () =>
    void ask(peer, 'mcpax/deregister', {})
      .catch(() => {})
      .finally(() => peer.close());
  try {
    init.serve(peer, target.node);
    const onEnd = peer.onEnd;
    peer.onEnd = (reason) => {
      onEnd(reason);
      ended.abort(STOPPED);
    };
    const { subserverId, aggregatorId } = init;
    const params = registerParams({
      ...target,
      authority: target.authority,
      authorityProof: await target.authorityProof?.(),
      subserverId,
      aggregatorId,
      transportClass: 'native',
      subtreeIds: init.subtreeIds(),
    });
    const registered = parseRegistered(await ask(peer, 'mcpax/register', params), target.segment);
    if (!registered.ok) throw new ParleyError('peer/protocol', registered.reason);
    state.path = registered.value.path;
    state.registeredWith = target.node;
    state.peer = peer;
    init.log.info('registered with the parent', { parent: target.node, path: state.path.join('.') });
    signal.addEventListener('abort', onStop, { once: true });
    await heartbeats(init, target, peer, state, ended.signal);
  } finally {
    signal.removeEventListener('abort', onStop);
    if (!signal.aborted) peer.close();
  }
}

/** One is sent in each interval, twice as often as needed: a late one is not yet a missed one. */
async function heartbeats(
  init: ParentInit,
  target: ParentTarget,
  peer: Peer,
  state: State,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    await init.clock.sleep(target.heartbeatMs / 2, ended).catch(() => {});
    if (ended.aborted) return;
    // A parent that does not answer within one interval is gone: the next one is tried while the heartbeats of this one run out.
    const result: JsonObject = await ask(
      peer,
      'mcpax/heartbeat',
      { 'x-mcpax-subtree-ids': init.subtreeIds() as JsonValue },
      Math.max(HEARD_LEAST_MS, target.heartbeatMs),
    );
    state.path = pathIn(result['x-mcpax-path']) ?? state.path;
  }
}
