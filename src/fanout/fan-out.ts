// Runs all calls of one phase in parallel and gives every one of them an outcome: answered, refused, timed out or
// unreachable, never a missing row (CARD-4, TS-15, TS-21). Refuses to wait for a node beyond the deadline and to
// send what the session's capability intersection does not hold (TS-14). Opens no session, verifies no signature.
import pLimit, { type LimitFunction } from 'p-limit';
import { afterInput, type Clock, STOPPED } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { AskerClaim } from '#model/asker.ts';
import {
  type EvidenceKind,
  type ExchangedCall,
  NO_AGENT,
  type Outcome,
  type OutgoingCall,
  type PeerSession,
  type PlannedCall,
} from '#model/call.ts';
import { FANOUT_LIMITS } from './limits.ts';

/** Why there is no session with a node: what the dial rejected with. */
export type NoSession = { readonly error: Error };

export type SessionLookup = { session(node: string): PeerSession | NoSession };

/** This node's own tools and resources, called without a network. */
export type LocalCalls = { readonly node: string; call(call: OutgoingCall): Promise<ExchangedCall> };

export type FanOutOptions = {
  /** Collaboration domain id. */
  readonly sessionId: string;
  /** On whose behalf. */
  readonly asker: AskerClaim;
  /** For all calls together, from now. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Called once a call, in the order in which outcomes come. */
  readonly onOutcome?: (outcome: Outcome) => void;
};

/** One planned call with what became of it; `exchanged` whenever anything came back, `session` unless it was local. */
export type FinishedCall = {
  readonly call: PlannedCall;
  readonly outcome: Outcome;
  readonly exchanged?: ExchangedCall;
  readonly session?: PeerSession;
};

/** Part of its time that a call must have had before its silence is the node's: else others had their turn for too long. */
const FAIR_SHARE = 0.75;

type Ending = Pick<Outcome, 'status' | 'reason' | 'untrusted' | 'code'> & { readonly exchanged?: ExchangedCall };

/** Resolves with one entry a call, in the order of `calls`; rejects only when `onOutcome` throws. */
export async function fanOut(
  calls: readonly PlannedCall[],
  sessions: SessionLookup,
  local: LocalCalls,
  options: FanOutOptions,
): Promise<readonly FinishedCall[]> {
  const { clock } = options;
  const startedMs = clock.monotonicMs();
  const takeTurn = createTurns(options.concurrency ?? LIMITS.fanoutConcurrency);

  const finish = async (call: PlannedCall): Promise<FinishedCall> => {
    const beganMs = clock.monotonicMs();
    const leftMs = options.deadlineMs - (beganMs - startedMs);
    const found = call.node === local.node ? local : sessions.session(call.node);
    const ending = await endOf(call, found, leftMs, options);
    const elapsedMs = Math.round((clock.monotonicMs() - beganMs) * 1000) / 1000;
    const { exchanged, ...how } = ending;
    const outcome: Outcome = {
      callId: call.id,
      purpose: call.purpose,
      node: call.node,
      phase: call.phase,
      name: call.name,
      ...how,
      elapsedMs,
    };
    options.onOutcome?.(outcome);
    return {
      call,
      outcome,
      ...(exchanged === undefined ? {} : { exchanged }),
      ...('peer' in found ? { session: found } : {}),
    };
  };
  const inTurn = async (call: PlannedCall): Promise<FinishedCall> => {
    // A cancelled wait ends in an outcome like every other call.
    if (call.afterMs !== undefined) await clock.sleep(call.afterMs, options.signal).catch(() => {});
    return takeTurn(call, () => finish(call));
  };
  return Promise.all(calls.map(inTurn));
}

/** How often the slowest of `calls` may have to wait for others of the same length before it has its own turn, itself included. */
export function turnsOf(calls: readonly PlannedCall[]): number {
  const probes = calls.filter(isProbe);
  const mostOf = (some: readonly PlannedCall[]) =>
    Math.max(0, ...[...Map.groupBy(some, ({ node }) => node).values()].map(({ length }) => length));
  const waves = [
    calls.length / LIMITS.fanoutConcurrency,
    mostOf(calls) / FANOUT_LIMITS.fanoutPerNode,
    mostOf(probes) / LIMITS.helperProbes,
  ];
  return Math.max(1, ...waves.map(Math.ceil));
}

/** Its tool has a cost (`ToolDefinition.probes`): the node counts it among its probe runs. */
function isProbe({ evidence }: PlannedCall): boolean {
  return PROBING.has(evidence);
}

const PROBING: ReadonlySet<EvidenceKind> = new Set(['probe', 'reach', 'host-scan', 'service-probe', 'dhcp']);

/** So many at once in all, so many of one node, and no more of its probes than it takes: it would refuse the next one. */
function createTurns(concurrency: number): <T>(call: PlannedCall, work: () => Promise<T>) => Promise<T> {
  const all = pLimit(concurrency);
  const ofNode = createLimits(FANOUT_LIMITS.fanoutPerNode);
  const probesOf = createLimits(LIMITS.helperProbes);
  return (call, work) => {
    const inNode = () => ofNode(call.node)(() => all(work));
    return isProbe(call) ? probesOf(call.node)(inNode) : inNode();
  };
}

function createLimits(most: number): (name: string) => LimitFunction {
  const known = new Map<string, LimitFunction>();
  return (name) => {
    const limit = known.get(name) ?? pLimit(most);
    known.set(name, limit);
    return limit;
  };
}

async function endOf(
  call: PlannedCall,
  found: PeerSession | LocalCalls | NoSession,
  leftMs: number,
  options: FanOutOptions,
): Promise<Ending> {
  if ('error' in found && isImpostor(found.error)) return endingOfError(found.error);
  if (options.signal?.aborted) return cancelled(options.signal);
  if ('error' in found) return endingOfError(found.error);
  // No node is at fault for a call that was never sent: no `untrusted` here.
  if (leftMs <= 0) return { status: 'timed-out', reason: 'the deadline passed before the call was sent' };
  if ('authorised' in found && !found.authorised.includes(call.capability)) {
    return { status: 'refused', reason: `capability ${call.capability} is not in the intersection with ${call.node}` };
  }
  // This node is not silent: it is busy with the answers of all nodes, and its own answers wait their turn.
  const timeoutMs = Math.ceil('peer' in found ? Math.min(call.timeoutMs, leftMs) : leftMs);
  const ending = await exchange(call, found, timeoutMs, options);
  const isCut = timeoutMs < Math.min(call.timeoutMs, options.deadlineMs) * FAIR_SHARE;
  return isCut && ending.status === 'timed-out' ? blameless(ending) : ending;
}

/** A peer that ignores its time-out is raced against the clock, so that it cannot hold the others up. */
async function exchange(
  call: PlannedCall,
  target: PeerSession | LocalCalls,
  timeoutMs: number,
  options: FanOutOptions,
): Promise<Ending> {
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([over.signal, options.signal]);
  const timeUp: Ending = timedOut(`no answer within ${timeoutMs} ms`);
  try {
    const answered = target
      .call({
        kind: call.kind,
        name: call.name,
        arguments: call.arguments,
        sessionId: options.sessionId,
        asker: options.asker,
        timeoutMs,
        signal,
      })
      .then(endingOfAnswer, (error: unknown) =>
        options.signal?.aborted ? cancelled(options.signal) : endingOfError(error),
      );
    const late = options.clock
      .sleep(timeoutMs, signal)
      .then(afterInput)
      .then(
        () => timeUp,
        () => cancelled(options.signal),
      );
    return await Promise.race([answered, late]);
  } catch (error) {
    return endingOfError(error);
  } finally {
    over.abort(STOPPED);
  }
}

function endingOfAnswer(exchanged: ExchangedCall): Ending {
  const { status, reason, code } = exchanged.answer;
  if (status === 'answered') return { status, exchanged };
  const why = [code === undefined ? '' : String(code), reason ?? ''].filter((part) => part !== '').join(' ');
  return { status, reason: why === '' ? 'refused without a reason' : why, exchanged };
}

/** What an error of a dial or of a call says about the node: the only place that tells TS-21's two reasons for `untrusted` apart, a timeout and a failed authentication (`admit.ts` adds answers that do not verify). */
function endingOfError(error: unknown): Pick<Outcome, 'status' | 'reason' | 'untrusted' | 'code'> {
  const reason = messageOf(error);
  if (!(error instanceof ParleyError)) return { status: 'unreachable', reason };
  if (error.code === 'peer/timeout') return timedOut(reason);
  if (isImpostor(error)) return { status: 'unreachable', reason, untrusted: reason };
  if (error.code === NO_AGENT) return { status: 'unreachable', reason, code: NO_AGENT };
  return { status: error.code === 'peer/refused' ? 'refused' : 'unreachable', reason };
}

/** Codes with which a dial says that the peer is not who it should be. */
const AUTHENTICATION_CODES: ReadonlySet<string> = new Set([
  'peer/untrusted-certificate',
  'peer/refused-certificate',
  'peer/wrong-identity',
  'peer/pin-mismatch',
]);

/** The dialled party is not the node that it should be. */
export function isImpostor(error: Error): boolean {
  return error instanceof ParleyError && AUTHENTICATION_CODES.has(error.code);
}

function timedOut(reason: string): Ending {
  return { status: 'timed-out', reason, untrusted: reason };
}

function blameless({ untrusted: _, ...ending }: Ending): Ending {
  return ending;
}

/** The node is not at fault when this node stopped waiting: no `untrusted` here. */
function cancelled(signal: AbortSignal | undefined): Ending {
  const why: unknown = signal?.reason;
  return { status: 'timed-out', reason: why instanceof ParleyError ? why.message : 'cancelled' };
}
