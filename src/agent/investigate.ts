// The story (docs/design.md §2): intent -> plan -> (peers <-> sessions until the plan's nodes are known or the budget ends)
// -> fan-out -> evidence -> findings -> report -> delivery. CARD-7, TS-11: one intent on one node is enough.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { parseIntent } from '#intent/parse.ts';
import { planStates } from '#intent/plan.ts';
import type { Phase, PlannedCall } from '#model/call.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import type { Narrator, Phrasing, ProgressEvent, ReportStore, Signer } from '#model/ports.ts';
import type { SealedReport } from '#model/report.ts';
import { assembleReport, newReportId } from '#report/assemble.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { withBudget } from './budget.ts';
import { type ConsultParts, consult, emptyGathered, type Gathered, openOrReason } from './consult.ts';
import { type FindParts, findNodes } from './find-nodes.ts';
import { peerNotesOf, planStretches, statesOf } from './glean.ts';
import { type Journal, openJournal } from './progress.ts';

export type InvestigateParts = ConsultParts &
  FindParts & {
    readonly narrator: Narrator;
    readonly signer: Signer;
    readonly store: ReportStore;
    readonly random: Random;
    readonly clock: Clock;
    readonly probeCount: number;
  };

export type Investigation = {
  readonly id: string;
  readonly uri: string;
  readonly intent: Intent;
  readonly diagnosis: Diagnosis;
  readonly phrased: Phrasing;
  readonly gathered: Gathered;
  readonly sealed: SealedReport;
  /** Why the report is not in the store: the answer is given all the same. */
  readonly notStored?: string;
  /** Whole time, and the part of it that probing took: that one has a fixed length. */
  readonly totalMs: number;
  readonly probingMs: number;
};

export type Question = {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly onProgress: (event: ProgressEvent) => void;
};

/** Rejects with `caller/unknown-intent`, `caller/unknown-node`, `caller/no-path`; everything later ends in a sealed report. */
export function investigate(question: Question, parts: InvestigateParts): Promise<Investigation> {
  const { clock, random } = parts;
  const journal = openJournal({ ...parts, sessionId: randomHex(random, 16), onProgress: question.onProgress });
  const budget = { clock, budgetMs: LIMITS.investigationMs, signal: question.signal, what: 'all answers' };
  return withBudget(budget, (signal) => answer(question.text, parts, journal, signal));
}

async function answer(
  text: string,
  parts: InvestigateParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<Investigation> {
  const intent = understand(text, journal);
  const nodes = await findNodes(parts, intent, journal, signal);
  const gathered = emptyGathered();
  await authorise(parts, nodes, gathered, journal, signal);

  const states = planStates(intent, nodes);
  const before = await consult(parts, inPhase(states, 'before'), gathered, journal, signal);
  const known = [parts.node, ...parts.peers.list().map((peer) => peer.node)];
  const asker = { probeCount: parts.probeCount, known };
  const probes = planStretches(intent, nodes, statesOf(nodes, before), asker);
  tellProbes(probes, journal);
  await consult(parts, probes, gathered, journal, signal);
  await consult(parts, inPhase(states, 'after'), gathered, journal, signal);

  const found = diagnose({ intent, nodeNames: nodes, evidence: gathered.evidence, outcomes: gathered.outcomes });
  tellDiagnosis(found, journal);
  const phrased = await parts.narrator.phrase(found, signal);
  const diagnosis = withOpinion(found, phrased);
  return deliver({ intent, nodes, diagnosis, phrased, gathered }, journal, parts);
}

/** The model's own hypothesis joins the candidates (TS-17): shown, never chosen. */
function withOpinion(diagnosis: Diagnosis, { candidate }: Phrasing): Diagnosis {
  return candidate === undefined ? diagnosis : { ...diagnosis, candidates: [...diagnosis.candidates, candidate] };
}

function inPhase(calls: readonly PlannedCall[], phase: Phase): readonly PlannedCall[] {
  return calls.filter((call) => call.phase === phase);
}

function tellProbes(calls: readonly PlannedCall[], journal: Journal): void {
  const ways = calls
    .filter((call) => call.evidence === 'probe')
    .map((call) => `${String(call.arguments['Head'] ?? call.arguments['Local'])} → ${String(call.arguments['Tail'])}`);
  journal.tell(
    'fan-out',
    `${calls.length} calls in parallel; probing ${ways.join(', ') || 'nothing, too few nodes answered'}`,
  );
}

function understand(text: string, journal: Journal): Intent {
  const parsed = parseIntent(text);
  if (!parsed.ok) {
    throw new ParleyError(
      'caller/unknown-intent',
      `expected a question this agent knows; understood ${parsed.understood}`,
      {
        data: { understood: parsed.understood, forms: parsed.forms },
      },
    );
  }
  const path = parsed.intent.path.map((node) => node.as);
  journal.tell('intent', `${parsed.intent.kind} along SID list {${path.join(', ')}}`, { sidList: path });
  return parsed.intent;
}

/** Opens the sessions that the plan needs, and tells what each authorises (TS-14). */
async function authorise(
  parts: InvestigateParts,
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  const others = nodes.filter((node) => node !== parts.node);
  journal.tell('peers', `${others.join(', ')} known from ${others.map((node) => sourcesOf(parts, node)).join(', ')}`);
  const opened = await Promise.all(others.map((node) => openOrReason(parts.sessions, node, gathered, signal)));
  for (const [index, node] of others.entries()) {
    const session = opened[index]!;
    const message =
      'error' in session
        ? `${node}: no session, ${session.error.message}`
        : `${node}: authorised for ${session.authorised.join(', ')}`;
    journal.tell('session', message, { node, authorised: 'error' in session ? [] : [...session.authorised] });
  }
}

function sourcesOf(parts: InvestigateParts, node: string): string {
  const sources = parts.peers.find(node)?.hints.map((hint) => hint.source) ?? [];
  return [...new Set(sources)].join('+') || 'a session';
}

function tellDiagnosis(diagnosis: Diagnosis, journal: Journal): void {
  const segments = diagnosis.segments.map((segment) => `${segment.from} → ${segment.to} ${segment.lossPercent} %`);
  journal.tell('evidence', `both ends compared: ${segments.join(', ') || 'nothing could be measured'}`);
  for (const finding of diagnosis.findings) {
    journal.tell('finding', `${finding.resource} ${finding.fault} (${finding.confidence}): ${finding.hypothesis}`, {
      resource: finding.resource,
      fault: finding.fault,
    });
  }
  const { kind, reasons } = diagnosis.verdict;
  if (kind === 'healthy') journal.tell('finding', `healthy, proven by ${reasons.length} facts`);
  if (kind === 'inconclusive') journal.tell('finding', `inconclusive: ${reasons.join('; ')}`);
}

type Concluded = Pick<Investigation, 'intent' | 'diagnosis' | 'phrased' | 'gathered'> & {
  readonly nodes: readonly string[];
};

/** Seals the report, stores it durably if the disk lets it, and resolves with all of it; nodes that did not answer are in it too (TS-18). */
async function deliver(concluded: Concluded, journal: Journal, parts: InvestigateParts): Promise<Investigation> {
  const { intent, diagnosis, phrased, gathered } = concluded;
  const report = assembleReport({
    id: newReportId(parts.random),
    creator: parts.node,
    creatorChain: parts.self.chain,
    createdMs: parts.clock.nowMs(),
    sessionId: journal.sessionId,
    intent,
    outcomes: gathered.outcomes,
    evidence: gathered.evidence,
    diagnosis,
    phrased,
    peerNotes: peerNotesOf(parts.peers),
    timeline: journal.timeline,
  });
  const sealed = sealReport(report, parts.signer);
  const notStored = await parts.store.put(report.id, sealed, summaryOf(report)).then(() => undefined, messageOf);
  const ending = notStored === undefined ? `sealed and stored as ${report.uri}` : `not stored, ${notStored}`;
  journal.tell('report', ending, { id: report.id, uri: report.uri });
  const probingMs = gathered.elapsedMs['probe'] ?? 0;
  return {
    id: report.id,
    uri: report.uri,
    intent,
    diagnosis,
    phrased,
    gathered,
    sealed,
    ...(notStored === undefined ? {} : { notStored }),
    totalMs: journal.elapsedMs(),
    probingMs,
  };
}
