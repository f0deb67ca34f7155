// Registration over sessions: a peer that says `mcpax/register` becomes a subserver of this aggregator on the same connection, and stays one
// as long as its heartbeats come.
import { afterInput, type Clock, STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Result } from '#base/result.ts';
import { AX_CODES, invalidParams } from '../codes.ts';
import { type Budget, budgetJson } from '../gates/budgets.ts';
import { connectSlot } from '../keep/connect-slot.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { MoreMethods, Prover } from '../serve/session.ts';
import type { Claim, RegistrationStore } from '../store/store.ts';
import type { Core } from '../tree/core.ts';
import { createSlot, type Slot, type SlotRules } from '../tree/slot.ts';
import { type Answer, errorAnswer, type IncomingRequest, resultAnswer } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import { parseRegister, parseSubtreeIds, type RegisterRequest, WHERE_METHOD } from './messages.ts';
import { type Refusal, type Registration, type Registry, refused } from './registry.ts';

export type VerifyAuthority = (
  jwt: string,
  claim: { readonly authority: string; readonly thumbprint: string | undefined },
) => Promise<Result<true>>;

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
  /** Whether the configuration names who may hold the segment. */
  readonly isKept: (segment: string) => boolean;
  /** Tools that may change something need a proven authority. */
  readonly needsProof: boolean;
  /** Undefined: no JWT proves an authority. */
  readonly verifyAuthority: VerifyAuthority | undefined;
  /** Segments from the root to this aggregator. */
  readonly path: () => readonly string[];
  /** Shared with other aggregators of the tree; undefined where there is none. */
  readonly store: RegistrationStore | undefined;
  /** Whether the tree knows this subserver below another aggregator; the reason where it does. */
  readonly elsewhere: (subserverId: string) => Promise<string | undefined>;
  /** Keeps the owners on disk. */
  readonly persist: () => Promise<void>;
};

export type Registrar = {
  /** The methods for a session of this prover. */
  methods(prover: Prover): MoreMethods;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
};

type Forget = (sessionId: string, segment: string, what: 'lost' | 'removed', reason: string) => void;

/** Known before anything else is waited for: what the store takes away then must find it. */
type Registered = { readonly peer: Peer; readonly slot: Slot; readonly subserverId: string };

export function createRegistrar(parts: RegistrarParts): Registrar {
  const { core, registry, clock } = parts;
  const sessions = new Map<string, Registered>();
  const stopped = new AbortController();
  const { take, release } = createClaims(parts);
  const forget: Forget = (sessionId, segment, what, reason) => {
    const found = sessions.get(sessionId);
    if (what === 'removed') core.remove(segment);
    else found?.slot.degrade(reason);
    if (found !== undefined) release({ segment, subserverId: found.subserverId });
    sessions.delete(sessionId);
    found?.peer.close(reason);
    if (found !== undefined) announceLoss(core, segment, reason);
  };
  const watching = watch(parts, stopped.signal, forget);
  letGo(parts, sessions, { forget, release });

  const register = async (request: IncomingRequest, peer: Peer, prover: Prover): Promise<Answer> => {
    const asked = parseRegister(request.params);
    if (!asked.ok) return invalidParams(asked.reason);
    const unproven = await unprovenIn(parts, asked.value, prover);
    if (unproven !== undefined) return refusalAnswer(unproven);
    const refuse = (refusal: Refusal) => {
      core.log.warn('registration refused', { segment: asked.value.segment, reason: refusal.reason });
      return refusalAnswer(refusal);
    };
    const registration = { ...asked.value, node: prover.names[0] };
    const refusal = registry.refusal(registration, clock.monotonicMs()) ?? (await take(registration));
    if (refusal !== undefined) return refuse(refusal);
    // The connection may have ended while others were asked; what was claimed for it meanwhile would be renewed for ever.
    const sessionId = randomHex(parts.random, 16);
    const admitted = peer.closed
      ? refused('registration_refused', 'the connection has ended')
      : registry.register(registration, sessionId, clock.monotonicMs());
    if (admitted.kind === 'refused') {
      release(registration);
      return refuse(admitted);
    }
    if (admitted.replaced !== undefined)
      forget(admitted.replaced, asked.value.segment, 'lost', 'the subserver has registered again');
    const slot = slotFor(parts, asked.value, prover);
    const entry: Registered = { peer, slot, subserverId: asked.value.subserverId };
    sessions.set(sessionId, entry);
    await parts.persist();
    // After the answer has left: the subserver is asked on the same connection.
    const gone = () => sessions.delete(sessionId);
    const attached = { sessionId, later: (next: IncomingRequest) => later(next, sessionId), gone, release };
    setImmediate(() => void attach(parts, entry, attached));
    core.log.info('a subserver has registered', { segment: asked.value.segment, subserver: asked.value.subserverId });
    return resultAnswer(registeredJson(parts, asked.value, sessionId));
  };
  /** What a registered subserver says beside MCP. */
  const later = async (request: IncomingRequest, sessionId: string): Promise<Answer | undefined> => {
    const found = sessions.get(sessionId);
    if (request.method === 'mcpax/deregister') {
      const member = registry.deregister(sessionId, clock.monotonicMs());
      if (member !== undefined) setImmediate(() => forget(sessionId, member.segment, 'removed', 'deregistered'));
      return resultAnswer({ status: 'deregistered' });
    }
    if (request.method === WHERE_METHOD) return whereIs(parts, request, sessionId);
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
    methods: (prover) => (request, peer) =>
      request.method === 'mcpax/register' ? register(request, peer, prover) : undefined,
    async stop() {
      stopped.abort(STOPPED);
      await watching;
    },
  };
}

type Claims = {
  /** Why another aggregator has it. */
  take(registration: Registration): Promise<Refusal | undefined>;
  /** Lets others have a subserver that is not registered here any more; one that has registered again, or is just about to, is kept. */
  release(claim: Claim): void;
};

function createClaims(parts: RegistrarParts): Claims {
  const underway = new Set<Claim>();
  const release = (claim: Claim) => {
    const { segment, subserverId } = claim;
    const isOther = (each: Claim) => each.subserverId === subserverId && each !== claim;
    const isUp = parts.registry.members().some((each) => each.subserverId === subserverId && each.state === 'up');
    if (!isUp && ![...underway].some(isOther)) void parts.store?.release({ segment, subserverId });
  };
  return {
    async take(registration) {
      underway.add(registration);
      // Registered, or released again, in the turn in which the claim has succeeded.
      const refusal = await heldElsewhere(parts, { ...registration, owner: ownerOf(registration) }).finally(() =>
        setImmediate(() => underway.delete(registration)),
      );
      // Of an earlier connection that has ended while this one was underway.
      if (refusal !== undefined) release(registration);
      return refusal;
    },
    release,
  };
}

function registeredJson(
  { aggregatorId, budget, path }: RegistrarParts,
  { segment, heartbeatMs }: RegisterRequest,
  sessionId: string,
): JsonObject {
  return {
    status: 'registered',
    assigned_segment: segment,
    session_id: sessionId,
    heartbeat_deadline_ms: AGGREGATE_LIMITS.missedHeartbeats * heartbeatMs,
    budget: budgetJson(budget),
    parent_id: aggregatorId,
    'x-mcpax-path': [...path(), segment],
  };
}

/** An aggregator below asks whether the tree knows a subserver elsewhere. */
async function whereIs(
  { registry, elsewhere }: RegistrarParts,
  request: IncomingRequest,
  sessionId: string,
): Promise<Answer> {
  const id = String(request.params['subserver_id']);
  const found = registry
    .members()
    .find((each) => each.sessionId !== sessionId && (each.subserverId === id || each.subtreeIds.includes(id)));
  const reason =
    found === undefined
      ? await elsewhere(id)
      : `${id} is registered below ${found.segment}: it has another parent in this tree`;
  return resultAnswer({ elsewhere: reason ?? null });
}

/** What neither the certificate of the session nor a JWT bears out. */
async function unprovenIn(
  { mayHold, verifyAuthority }: RegistrarParts,
  { segment, authority, authorityProof }: RegisterRequest,
  { names, thumbprint }: Prover,
): Promise<Refusal | undefined> {
  if (authority !== undefined && !isInCertificate(authority, names)) {
    if (authorityProof === undefined || verifyAuthority === undefined)
      return refused('registration_refused', `authority ${authority} is not proven by the certificate of this session`);
    const proven = await verifyAuthority(authorityProof, { authority, thumbprint });
    if (!proven.ok) return refused('registration_refused', proven.reason);
  }
  return mayHold(segment, names)
    ? undefined
    : refused('registration_refused', `segment ${segment} is kept for other nodes`);
}

/** What a claim in the store is bound to. The authority is proven by now. */
function ownerOf({ authority, node }: Pick<Registration, 'authority' | 'node'>): string | undefined {
  if (authority !== undefined) return `authority ${authority.toLowerCase()}`;
  return node === undefined ? undefined : `node ${node}`;
}

function isInCertificate(authority: string, names: readonly string[]): boolean {
  return names.includes(authority.replace(/^dns:/, '').toLowerCase());
}

/** MCP-AX §4.2: tools that may change something need a proven owner: an authority, or a node of the segment's own name. */
function rulesFor({ rules, needsProof, isKept }: RegistrarParts, asked: RegisterRequest, { names }: Prover): SlotRules {
  const { segment, authority } = asked;
  const isProven = authority !== undefined || names.includes(segment) || isKept(segment);
  return needsProof && !isProven ? { ...rules, scope: 'read' } : rules;
}

/** Why another aggregator of the tree has this subserver or segment (AX-20): by the shared store, or by asking the parent. */
async function heldElsewhere({ store, elsewhere }: RegistrarParts, asked: Claim): Promise<Refusal | undefined> {
  if (store === undefined) {
    const reason = await elsewhere(asked.subserverId);
    return reason === undefined ? undefined : refused('registration_refused', reason);
  }
  const claimed = await store.claim(asked);
  if (claimed.kind === 'claimed') return undefined;
  if (claimed.kind === 'unreachable')
    return refused('registration_refused', `the registration store cannot be asked: ${claimed.reason}`);
  const { holder } = claimed;
  if (holder.subserverId === asked.subserverId) {
    const isSame = asked.owner !== undefined && holder.owner === asked.owner;
    const next = isSame
      ? 'is asked to let it go: try again'
      : 'lets it go only for the node or authority that it is of';
    return refused('registration_refused', `aggregator ${holder.aggregatorId} has this subserver, and ${next}`);
  }
  return {
    ...refused('namespace_conflict', `segment ${asked.segment} belongs to another subserver`),
    owner: { subserverId: holder.subserverId, authority: undefined },
  };
}

/** What the shared store takes away: all of it, or one subserver that has gone to another aggregator. */
function letGo(
  { store, registry, clock }: RegistrarParts,
  sessions: ReadonlyMap<string, Registered>,
  { forget, release }: { readonly forget: Forget; readonly release: (claim: Claim) => void },
): void {
  if (store === undefined) return;
  const drop = (isMeant: (entry: Registered) => boolean, reason: string) => {
    for (const [sessionId, entry] of [...sessions]) {
      if (!isMeant(entry)) continue;
      registry.disconnect(sessionId, clock.monotonicMs());
      forget(sessionId, entry.slot.segment, 'lost', reason);
    }
  };
  store.lost = (reason) => drop(() => true, reason);
  store.wanted = (claim) => {
    drop((entry) => entry.subserverId === claim.subserverId, 'the subserver has gone to another aggregator');
    // Also a claim without a session.
    release(claim);
  };
  store.start();
}

function slotFor(parts: RegistrarParts, asked: RegisterRequest, prover: Prover): Slot {
  const { core, clock } = parts;
  const rules = rulesFor(parts, asked, prover);
  const { segment, aggregatorId } = asked;
  const isAggregator = aggregatorId !== undefined;
  const node = prover.names[0];
  const known = core.slots.get(segment);
  if (
    known !== undefined &&
    known.isAggregator === isAggregator &&
    known.rules.scope === rules.scope &&
    known.node === node
  )
    return known;
  const slot = createSlot({ segment, how: 'registered', isAggregator, rules, node }, clock, () => core.touched());
  core.add(slot);
  return slot;
}

type Attached = {
  readonly sessionId: string;
  readonly later: (request: IncomingRequest) => Promise<Answer | undefined>;
  readonly gone: () => void;
  readonly release: (claim: Claim) => void;
};

/** The registered peer becomes a slot's subserver; its end is its loss. */
async function attach(
  parts: RegistrarParts,
  entry: Registered,
  { sessionId, later, gone, release }: Attached,
): Promise<void> {
  const { core, registry, clock } = parts;
  const lost = (reason: string) => {
    gone();
    const member = registry.disconnect(sessionId, clock.monotonicMs());
    if (member === undefined) return;
    release(member);
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
    listener.told('notifications/mcpax/subserver_lost', { route: [segment], reason }, []);
}

/** Looks after the heartbeats; the step is small beside the shortest interval. */
async function watch(parts: RegistrarParts, signal: AbortSignal, forget: Forget): Promise<void> {
  const { core, registry, clock, persist } = parts;
  let isUnsaved = false;
  let isTold = false;
  while (!signal.aborted) {
    await clock.sleep(AGGREGATE_LIMITS.heartbeatLeastMs, signal).catch(() => {});
    if (signal.aborted) return;
    // Where this process is late itself, heartbeats may wait to be read.
    await afterInput();
    const lapses = registry.tick(clock.monotonicMs());
    for (const { sessionId, segment, what } of lapses) forget(sessionId, segment, what, 'heartbeats were missed');
    isUnsaved ||= lapses.length > 0;
    if (!isUnsaved) continue;
    try {
      await persist();
      isUnsaved = false;
      isTold = false;
    } catch (error) {
      // A full disk, for one: the owners are known meanwhile, and written when that can be done.
      if (!isTold) core.log.warn('the owners of segments cannot be written', { reason: messageOf(error) });
      isTold = true;
    }
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
