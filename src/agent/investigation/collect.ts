// One phase of a plan: the calls go out to all nodes at once, every answer is admitted or its node untrusted (CARD-4, TS-16, TS-21).
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { admitAnswer } from '#evidence/admit.ts';
import { fanOut, isImpostor, type LocalCalls, type NoSession, turnsOf } from '#fanout/fan-out.ts';
import { RELAY_TOOL } from '#measure/call.ts';
import type { Outcome, PeerSession, Phase, PlannedCall } from '#model/call.ts';
import type { AdmittedEvidence } from '#model/evidence.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { ProbeAmount } from '#model/links/probe-cost.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { NonceWindow } from '#sign/nonce-window.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Journal } from '../parts/progress.ts';
import { type QuestionSessions, triedThrough } from '../sessions/relayed-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createCrowd, withSecondTry } from './hedged-request.ts';

export type ConsultParts = {
  readonly self: { readonly party: Party; readonly chain: CertificateChain };
  readonly local: LocalCalls;
  readonly sessions: Sessions & Partial<Pick<QuestionSessions, 'learn' | 'mayReach' | 'wasAsked'>>;
  readonly window: NonceWindow;
  readonly clock: Clock;
  /** Writes to the audit trail without waiting for the disk: what matters before its effect is written by the callee. */
  readonly record: (record: AuditRecord) => void;
  /** What a call puts on the links of its node; undefined where it sends no probes. */
  readonly probesOf: (call: Pick<PlannedCall, 'name' | 'arguments'>) => ProbeAmount | undefined;
};

/** What an investigation has gathered so far; only grows. */
export type Gathered = {
  readonly outcomes: Outcome[];
  readonly evidence: AdmittedEvidence[];
  readonly elapsedMs: Record<string, number>;
  /** Nodes that could not be reached or did not answer: they are not waited for again in this investigation (TS-21). */
  readonly lost: Map<string, NoSession>;
  /** What the calls put on links, as they were asked for: those that were answered, and those that may have run. */
  readonly probes: { packets: number; bytes: number };
};

export function emptyGathered(): Gathered {
  return { outcomes: [], evidence: [], elapsedMs: {}, lost: new Map(), probes: { packets: 0, bytes: 0 } };
}

/** Runs `calls` (all of one phase) and adds outcomes and evidence; resolves with this phase's evidence. */
export async function consult(
  parts: ConsultParts,
  calls: readonly PlannedCall[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly AdmittedEvidence[]> {
  if (calls.length === 0) return [];
  const startedMs = parts.clock.monotonicMs();
  const phase = calls[0]!.phase;
  // No node is dialled, and none is marked as lost, once the time for these calls is up: each call ends in an outcome that says so.
  const opened = signal.aborted ? noneOf(calls, signal) : await reach(parts, calls, gathered, signal);
  const peers = phase === 'before' || phase === 'after' ? doubled(parts, calls, opened) : opened;
  const remote = calls.filter((call) => call.node !== parts.local.node);
  for (const call of remote) parts.record({ ...auditOf(call, journal), direction: 'out', event: 'request' });
  const finished = await fanOut(calls, { session: (node) => peers.get(node)! }, parts.local, {
    sessionId: journal.sessionId,
    asker: journal.asker,
    deadlineMs: deadlineOf(phase, calls, AGENT_LIMITS.collectMs - AGENT_LIMITS.finalReadMs - journal.elapsedMs()),
    clock: parts.clock,
    signal,
  });
  const admitted = finished.map(({ call, outcome, exchanged, session }) =>
    admitAnswer({
      call,
      outcome:
        session === undefined && call.node !== parts.local.node
          ? withWay(outcome, opened.get(call.node))
          : spared(outcome, session?.through),
      exchanged,
      callee: session?.peer ?? parts.self.party,
      chain: session?.chain ?? parts.self.chain,
      sessionId: journal.sessionId,
      caller: parts.self.party.name,
      window: parts.window,
    }),
  );
  for (const [index, call] of calls.entries()) {
    const { status, untrusted, reason } = admitted[index]!.outcome;
    const why = untrusted ?? reason;
    const ending = { status, ...(why === undefined ? {} : { reason: why }) };
    if (remote.includes(call))
      parts.record({ ...auditOf(call, journal), direction: 'in', event: 'response', ...ending });
  }
  const evidence = admitted.flatMap((each) => each.evidence ?? []);
  gathered.outcomes.push(...admitted.map((each) => each.outcome));
  gathered.evidence.push(...evidence);
  for (const { call, outcome } of finished) if (mayHaveRun(outcome)) addProbes(parts.probesOf(call), gathered);
  for (const { outcome } of finished) if (outcome.status === 'timed-out') await giveUp(parts, outcome, gathered);
  gathered.elapsedMs[phase] = (gathered.elapsedMs[phase] ?? 0) + parts.clock.monotonicMs() - startedMs;
  tellSignatures(journal, phase, admitted);
  return evidence;
}

/** States are only read: a peer that says nothing for long is asked again over a second connection. */
function doubled(
  { sessions, clock }: ConsultParts,
  calls: readonly PlannedCall[],
  opened: ReadonlyMap<string, PeerSession | NoSession>,
): ReadonlyMap<string, PeerSession | NoSession> {
  const asked = calls.map(({ node }) => opened.get(node)).filter((found) => found !== undefined && !('error' in found));
  const crowd = createCrowd(asked.length);
  return new Map(
    [...opened].map(([node, found]) => [
      node,
      'error' in found ? found : withSecondTry(found, (until) => sessions.renew(node, found, until), clock, crowd),
    ]),
  );
}

/** A node that did not answer in time may have sent what it was asked for. */
function mayHaveRun({ status }: Outcome): boolean {
  return status === 'answered' || status === 'timed-out';
}

function addProbes(sent: ProbeAmount | undefined, { probes }: Gathered): void {
  probes.packets += sent?.packets ?? 0;
  probes.bytes += sent?.bytes ?? 0;
}

function auditOf(call: PlannedCall, journal: Journal) {
  const { sessionId, askedBy, asker } = journal;
  const traced = asker.traceparent === undefined ? {} : { detail: { traceparent: asker.traceparent } };
  return { party: `node/${call.node}`, asker: askedBy, method: `${call.kind} ${call.name}`, sessionId, ...traced };
}

/**
 * Probing takes as long as it was asked to, begins when it is to begin, and has its turn where more is to be probed than at once, as far as
 * time is left for that; a busy asker sends its last calls late. Further looks end with their budget. For everything else one
 * silent node must not use up the whole budget.
 */
export function deadlineOf(phase: Phase, calls: readonly PlannedCall[], leftMs: number): number {
  const longestMs = Math.max(...calls.map(({ afterMs = 0, timeoutMs }) => afterMs + timeoutMs));
  if (phase !== 'probe' && phase !== 'deepen') return Math.min(longestMs, AGENT_LIMITS.phaseMs);
  return Math.max(longestMs, Math.min(longestMs * turnsOf(calls) + AGENT_LIMITS.lateStartMs, leftMs));
}

/**
 * A node that relays a call for us waits for the other node: a timeout is then not its own. It is its own where the node could not be dialled
 * at all. Nor is it where others pass the session on: each of them may have dropped it.
 */
function spared(outcome: Outcome, through: readonly string[] | undefined): Outcome {
  const { untrusted, ...rest } = outcome;
  if (through !== undefined)
    return { ...rest, ...(untrusted === undefined || outcome.status === 'timed-out' ? {} : { untrusted }), through };
  return outcome.name === RELAY_TOOL && outcome.status === 'timed-out' ? rest : outcome;
}

/** Nodes through which a session was to be opened that could not be. */
function withWay(outcome: Outcome, found: PeerSession | NoSession | undefined): Outcome {
  const through = found !== undefined && 'error' in found ? triedThrough(found.error) : undefined;
  return through === undefined ? outcome : { ...outcome, through };
}

/**
 * A node that let a call time out is not asked again by this question, and dialled anew by the next. A call that was sent late, or not at all, is
 * no such call, whatever way the session takes.
 */
async function giveUp(parts: ConsultParts, outcome: Outcome, gathered: Gathered): Promise<void> {
  const why = outcome.untrusted;
  if (why === undefined || outcome.name === RELAY_TOOL || outcome.node === parts.local.node) return;
  gathered.lost.set(outcome.node, { error: new ParleyError('peer/timeout', why) });
  await parts.sessions.drop(outcome.node);
}

function tellSignatures(journal: Journal, phase: string, admitted: readonly ReturnType<typeof admitAnswer>[]): void {
  const verified = admitted.filter((each) => each.evidence !== undefined).length;
  const without = admitted.filter((each) => each.evidence === undefined).map(({ outcome }) => describe(outcome));
  const rest = without.length === 0 ? '' : `; without: ${without.join(', ')}`;
  journal.tell('signatures', `${phase}: ${verified} of ${admitted.length} answers verified${rest}`);
}

function describe(outcome: Outcome): string {
  return `${outcome.node} ${outcome.status} (${outcome.untrusted ?? outcome.reason ?? 'no reason'})`;
}

function noneOf(calls: readonly PlannedCall[], signal: AbortSignal): ReadonlyMap<string, NoSession> {
  const error = new ParleyError('peer/timeout', messageOf(signal.reason));
  return new Map(calls.map(({ node }) => [node, { error }]));
}

/** Sessions with every node that the phase needs, opened in parallel; a node that cannot be reached is kept with its reason. */
async function reach(
  parts: ConsultParts,
  calls: readonly PlannedCall[],
  gathered: Gathered,
  signal: AbortSignal,
): Promise<Map<string, PeerSession | NoSession>> {
  const nodes = [...new Set(calls.map((call) => call.node))].filter((node) => node !== parts.local.node);
  const known = new Set(gathered.lost.keys());
  const entries = nodes.map(
    async (node) => [node, await openOrReason(parts.sessions, node, gathered, signal)] as const,
  );
  const opened = new Map(await Promise.all(entries));
  // A node that we stopped waiting for is not at fault; it is not dialled again all the same: it has delayed all calls once.
  const error = new ParleyError('peer/unreachable', 'no time was left for a session');
  if (signal.aborted)
    for (const node of nodes) {
      const lost = gathered.lost.get(node);
      if (lost !== undefined && !known.has(node) && !isImpostor(lost.error)) gathered.lost.set(node, { error });
    }
  return opened;
}

/** A node is dialled once an investigation: one that could not be reached is remembered with the reason. */
export async function openOrReason(
  sessions: Sessions,
  node: string,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<PeerSession | NoSession> {
  const lost = gathered.lost.get(node);
  if (lost !== undefined) return lost;
  try {
    return await sessions.open(node, signal);
  } catch (error) {
    const failed = { error: error instanceof Error ? error : new ParleyError('peer/unreachable', messageOf(error)) };
    gathered.lost.set(node, failed);
    return failed;
  }
}
