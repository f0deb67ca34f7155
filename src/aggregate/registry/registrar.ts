// Registration over sessions: a peer that says `mcpax/register` becomes a subserver of this aggregator on the same connection, and stays one
// as long as its heartbeats come.
import { type Clock, STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import { AX_CODES, invalidParams } from '../codes.ts';
import { type Budget, budgetJson } from '../gates/budgets.ts';
import { connectSlot } from '../keep/connect-slot.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { MoreMethods } from '../serve/session.ts';
import type { Core } from '../tree/core.ts';
import { createSlot, type Slot, type SlotRules } from '../tree/slot.ts';
import { type Answer, errorAnswer, type IncomingRequest, resultAnswer } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import { parseRegister, parseSubtreeIds, type RegisterRequest } from './messages.ts';
import type { Refusal, Registry } from './registry.ts';

export type RegistrarParts = {
  readonly core: Core;
  readonly registry: Registry;
  readonly aggregatorId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget: Budget;
  readonly rules: SlotRules;
  /** Whether a session whose certificate proves `names` may hold the segment. */
  readonly mayHold: (segment: string, names: readonly string[]) => boolean;
  /** Segments from the root to this aggregator. */
  readonly path: () => readonly string[];
  /** Keeps the owners on disk. */
  readonly persist: () => Promise<void>;
};

export type Registrar = {
  /** The methods for a session whose certificate proves `names`; none where the session may not register. */
  methods(names: readonly string[]): MoreMethods;
  stop(): void;
};

type Registered = { readonly peer: Peer; readonly slot: Slot };

export function createRegistrar(parts: RegistrarParts): Registrar {
  const { core, registry, clock } = parts;
  const sessions = new Map<string, Registered>();
  const stopped = new AbortController();
  const forget = (sessionId: string, segment: string, what: 'lost' | 'removed', reason: string) => {
    const found = sessions.get(sessionId);
    if (what === 'removed') core.remove(segment);
    else found?.slot.degrade(reason);
    sessions.delete(sessionId);
    found?.peer.close(reason);
    if (found !== undefined) announceLoss(core, segment, reason);
  };
  void watch(parts, stopped.signal, forget);

  const register = async (request: IncomingRequest, peer: Peer, names: readonly string[]): Promise<Answer> => {
    const asked = parseRegister(request.params);
    if (!asked.ok) return invalidParams(asked.reason);
    const unproven = unprovenIn(parts, asked.value, names);
    if (unproven !== undefined) return refusalAnswer(unproven);
    const sessionId = randomHex(parts.random, 16);
    const admitted = registry.register(asked.value, sessionId, clock.monotonicMs());
    if (admitted.kind === 'refused') {
      core.log.warn('registration refused', { segment: asked.value.segment, reason: admitted.reason });
      return refusalAnswer(admitted);
    }
    if (admitted.replaced !== undefined)
      forget(admitted.replaced, asked.value.segment, 'lost', 'the subserver has registered again');
    await parts.persist();
    const slot = slotFor(parts, asked.value, names[0]);
    const entry: Registered = { peer, slot };
    sessions.set(sessionId, entry);
    // After the answer has left: the subserver is asked on the same connection.
    setImmediate(
      () =>
        void attach(parts, entry, {
          sessionId,
          later: (next) => later(next, sessionId),
          gone: () => sessions.delete(sessionId),
        }),
    );
    core.log.info('a subserver has registered', { segment: asked.value.segment, subserver: asked.value.subserverId });
    return resultAnswer({
      status: 'registered',
      assigned_segment: asked.value.segment,
      session_id: sessionId,
      heartbeat_deadline_ms: AGGREGATE_LIMITS.missedHeartbeats * asked.value.heartbeatMs,
      budget: budgetJson(parts.budget),
      parent_id: parts.aggregatorId,
      'x-mcpax-path': [...parts.path(), asked.value.segment],
    });
  };
  /** What a registered subserver says beside MCP. */
  const later = async (request: IncomingRequest, sessionId: string): Promise<Answer | undefined> => {
    const found = sessions.get(sessionId);
    if (request.method === 'mcpax/deregister') {
      const member = registry.deregister(sessionId, clock.monotonicMs());
      if (member !== undefined) setImmediate(() => forget(sessionId, member.segment, 'removed', 'deregistered'));
      return resultAnswer({ status: 'deregistered' });
    }
    if (request.method !== 'mcpax/heartbeat') return undefined;
    const ids = parseSubtreeIds(request.params);
    if (!ids.ok) return invalidParams(ids.reason);
    const beat = registry.heartbeat(sessionId, clock.monotonicMs(), ids.value);
    if (beat === true)
      return resultAnswer({
        status: 'ok',
        parent_id: parts.aggregatorId,
        'x-mcpax-path': [...parts.path(), found?.slot.segment ?? ''],
      });
    if (beat === false) return errorAnswer(AX_CODES.registrationRefused, 'not_registered');
    setImmediate(() => found !== undefined && forget(sessionId, found.slot.segment, 'removed', beat.reason));
    return refusalAnswer(beat);
  };
  return {
    methods: (names) => (request, peer) =>
      request.method === 'mcpax/register' ? register(request, peer, names) : undefined,
    stop: () => stopped.abort(STOPPED),
  };
}

/** What the certificate of the session does not bear out. */
function unprovenIn(
  { mayHold }: RegistrarParts,
  { segment, authority }: RegisterRequest,
  names: readonly string[],
): Refusal | undefined {
  const refused = (reason: string): Refusal => ({ kind: 'refused', error: 'registration_refused', reason });
  if (authority !== undefined && !names.includes(authority.replace(/^dns:/, '').toLowerCase()))
    return refused(`authority ${authority} is not proven by the certificate of this session`);
  return mayHold(segment, names) ? undefined : refused(`segment ${segment} is kept for other nodes`);
}

function slotFor(
  { core, clock, rules }: RegistrarParts,
  { segment, aggregatorId }: RegisterRequest,
  node: string | undefined,
): Slot {
  const isAggregator = aggregatorId !== undefined;
  const known = core.slots.get(segment);
  if (known !== undefined && known.isAggregator === isAggregator && known.node === node) return known;
  const slot = createSlot({ segment, how: 'registered', isAggregator, rules, node }, clock, () => core.touched());
  core.add(slot);
  return slot;
}

type Attached = {
  readonly sessionId: string;
  readonly later: (request: IncomingRequest) => Promise<Answer | undefined>;
  readonly gone: () => void;
};

/** The registered peer becomes a slot's subserver; its end is its loss. */
async function attach(parts: RegistrarParts, entry: Registered, { sessionId, later, gone }: Attached): Promise<void> {
  const { core, registry, clock } = parts;
  const lost = (reason: string) => {
    gone();
    const member = registry.disconnect(sessionId, clock.monotonicMs());
    if (member === undefined) return;
    const isKept = registry.members().some(({ segment }) => segment === member.segment);
    if (isKept) entry.slot.degrade(reason);
    else core.remove(member.segment);
    announceLoss(core, member.segment, reason);
  };
  try {
    const ended = (reason: string | undefined) => lost(reason ?? 'the connection has ended');
    await connectSlot(core, entry.slot, entry.peer, { more: later, ended });
  } catch (error) {
    lost(messageOf(error));
    entry.peer.close(messageOf(error));
  }
}

function announceLoss(core: Core, segment: string, reason: string): void {
  core.log.warn('a subserver is lost', { segment, reason });
  for (const listener of core.listeners)
    listener.told('notifications/mcpax/subserver_lost', { route: [segment], reason });
}

/** Looks after the heartbeats; the step is small beside the shortest interval. */
async function watch(
  { registry, clock, persist }: RegistrarParts,
  signal: AbortSignal,
  forget: (sessionId: string, segment: string, what: 'lost' | 'removed', reason: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(AGGREGATE_LIMITS.heartbeatLeastMs, signal).catch(() => {});
    if (signal.aborted) return;
    const lapses = registry.tick(clock.monotonicMs());
    for (const { sessionId, segment, what } of lapses) forget(sessionId, segment, what, 'heartbeats were missed');
    if (lapses.length > 0) await persist();
  }
}

const CODES: Readonly<Record<Refusal['error'], number>> = {
  namespace_conflict: AX_CODES.namespaceConflict,
  registration_cycle: AX_CODES.registrationCycle,
  registration_refused: AX_CODES.registrationRefused,
};

function refusalAnswer({ error, reason, owner }: Refusal): Answer {
  const data: JsonObject = {
    detail: reason,
    ...(owner === undefined
      ? {}
      : {
          owner: {
            subserver_id: owner.subserverId,
            ...(owner.authority === undefined ? {} : { authority: owner.authority }),
          },
        }),
  };
  return errorAnswer(CODES[error], error, data);
}
