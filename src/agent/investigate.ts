// The story (docs/design.md §2): intent -> plan -> (peers <-> sessions until the plan's nodes are known or the budget ends)
// -> recall: what the nodes remember of days, where the question is about a time before the memory of minutes
// -> fan-out: states, measurements, further looks at what they put in doubt, states again
// -> evidence, weighed with what is expected; a longer look, and all weighed again, where that leaves losses or damage unsettled
// -> findings -> report -> delivery. CARD-7, TS-11: one intent on one node is enough.
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { conclude, weigh } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import { isAttached } from '#measure/hosts/services.ts';
import { planRemembered } from '#measure/nodes/remembered-days.ts';
import { planConfirmation, planFirst, planFollowUp } from '#measure/registry.ts';
import type { Scope } from '#measure/scope.ts';
import type { States } from '#measure/states.ts';
import type { Asking } from '#model/asker.ts';
import { type BaselineStore, type Expectation, expectationOf } from '#model/baseline.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Said, ToldExpectations } from '#model/expectations.ts';
import type { Diagnosis } from '#model/finding.ts';
import { type AppliedRemedy, type Intent, isAlongPath } from '#model/intent.ts';
import type { Narrator, Phrasing, ProgressEvent, ReportStore, Signer } from '#model/ports.ts';
import type { Report, SealedReport } from '#model/report.ts';
import type { ExpectationLine, ExpectLine } from '#model/router/expectations.ts';
import { assembleReport, newReportId } from '#report/assemble.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { type Aside, isAside, startAside } from './investigation/aside.ts';
import { type ConsultParts, consult, emptyGathered, type Gathered } from './investigation/collect.ts';
import { deadHelpersIn } from './investigation/dead-helpers.ts';
import { lookLonger } from './investigation/extend.ts';
import { peerNotesOf } from './investigation/peer-notes.ts';
import { placeSender } from './investigation/place-sender.ts';
import { planAfter, survey } from './investigation/scope.ts';
import { understand } from './investigation/understand.ts';
import { AGENT_LIMITS } from './limits.ts';
import { withBudget } from './parts/budget.ts';
import { type Journal, openJournal } from './parts/progress.ts';
import type { FindParts } from './sessions/find-nodes.ts';
import type { Relaying } from './sessions/relay-ways.ts';
import { withQuestionSessions } from './sessions/relayed-sessions.ts';

export type InvestigateParts = ConsultParts &
  FindParts & {
    readonly narrator: Narrator;
    readonly signer: Signer;
    readonly store: ReportStore;
    readonly random: Random;
    readonly clock: Clock;
    readonly probeCount: number;
    /** What the network is expected to look like; absent: nothing is. */
    readonly baselines?: Pick<BaselineStore, 'load'>;
    /** How nodes are reached to which this node has no route; absent: they are not. */
    readonly relaying?: Relaying;
    /** What operators said is meant, in this node's own file; absent: nothing. */
    readonly expectations?: () => Promise<ToldExpectations>;
    /** What is wrong with the asked node itself and will end its answers: a certificate that is about to end. */
    readonly ownWarning?: () => string | undefined;
  };

export type Investigation = {
  readonly id: string;
  readonly uri: string;
  /** When the report was made, RFC 3339. */
  readonly created: string;
  readonly intent: Intent;
  readonly diagnosis: Diagnosis;
  readonly phrased: Phrasing;
  readonly gathered: Gathered;
  readonly sealed: SealedReport;
  /** Why the report is not in the store: the answer is given all the same. */
  readonly notStored?: string;
  /** Said before anything else, and part of the sentence: helpers that do not answer, a certificate that ends. */
  readonly warning?: string;
  /** What the store lost to keep this report. */
  readonly storeFull?: string;
  /** Whole time, and the part of it that probing took: that one has a fixed length. */
  readonly totalMs: number;
  readonly probingMs: number;
};

export type Question = Asking & {
  readonly text: string;
  /** Collaboration domain id of a question that is part of another; a new one unless given. */
  readonly sessionId?: string;
  readonly remedy?: AppliedRemedy;
  readonly signal: AbortSignal;
  readonly onProgress: (event: ProgressEvent) => void;
};

/** Rejects with `caller/unknown-intent`, `caller/unknown-node`, `caller/no-path`; everything later ends in a sealed report. */
export function investigate(question: Question, parts: InvestigateParts): Promise<Investigation> {
  const { clock, random } = parts;
  const { asker, askedBy, onProgress } = question;
  const { sessionId = randomHex(random, 16) } = question;
  const ids = { sessionId, probeKey: randomHex(random, 16) };
  const journal = openJournal({ ...parts, ...ids, asker, askedBy, onProgress });
  const budgetMs = LIMITS.investigationMs - AGENT_LIMITS.sealingMs;
  const budget = { clock, budgetMs, signal: question.signal, what: 'an answer in words' };
  return withBudget(budget, (signal) =>
    withQuestionSessions(parts, journal, (mine) => answer(question, mine, journal, signal)),
  );
}

async function answer(
  { text, remedy }: Question,
  parts: InvestigateParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<Investigation> {
  const gathered = emptyGathered();
  const budget = { clock: parts.clock, budgetMs: AGENT_LIMITS.collectMs, signal, what: 'all answers' };
  const weighed = await withBudget(budget, async (until) => {
    const understood = await understand(text, parts, journal, until);
    const asked = remedy === undefined ? understood : { ...understood, remedy };
    const { intent, knownStates, gatherFrom } = await placeSender(parts, asked, gathered, journal, until);
    const surveyed = await survey({ ...parts, knownStates }, intent, gathered, journal, until);
    gatherFrom(surveyed.nodes);
    await recall(parts, intent, surveyed.states, gathered, journal, until);
    const known = [parts.node, ...parts.peers.list().map((peer) => peer.node)];
    const said = await saidOf(parts, journal);
    const mustHold = mustHoldIn(said, surveyed.states);
    const scope = {
      intent,
      ...surveyed,
      unrouted: unroutedIn(gathered),
      home: parts.node,
      known,
      probeCount: parts.probeCount,
      mustHold,
    };
    const aside = await measure(parts, scope, gathered, journal, until);
    await consult(parts, planAfter(intent, surveyed), gathered, journal, until);
    const expected = isAlongPath(intent) || isOfStates(intent) ? [] : await expectations(parts, journal);
    const weighAll = () => {
      const { evidence, outcomes } = gathered;
      return weigh({ intent, nodeNames: surveyed.nodes, evidence, outcomes, expected, said });
    };
    const isAsideOver = aside === undefined || aside.isOver();
    const first = weighAll();
    const askedMore = await lookLonger(parts, first, scope, gathered, journal, until);
    const last = askedMore ? weighAll() : first;
    if (isAsideOver) return last;
    // A fault that was found stays one, whatever else a slow node may say.
    await aside.end(conclude(last).verdict.kind !== 'fault');
    return weighAll();
  });

  const found = conclude(weighed);
  tellDiagnosis(weighed.intent, found, journal);
  const worded = await inWords(found, parts, journal, signal);
  const warning = [deadHelpersIn(gathered.evidence), parts.ownWarning?.()].filter(Boolean).join(' ') || undefined;
  const phrased = warning === undefined ? worded : { ...worded, sentence: `${warning} ${worded.sentence}` };
  const diagnosis = withOpinion(found, phrased);
  const { intent, nodeNames: nodes, said } = weighed;
  const delivered = await deliver({ intent, nodes, said, diagnosis, phrased, gathered }, journal, parts);
  return warning === undefined ? delivered : { ...delivered, warning };
}

/** What the nodes in scope remember of days; asks nothing where their memory of minutes, which is in their states, reaches far enough. */
async function recall(
  parts: InvestigateParts,
  intent: Intent,
  states: States,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  await consult(parts, planRemembered(intent, [...states.keys()]), gathered, journal, signal);
}

/**
 * Three rounds: the measurements, the confirmation of what they put in doubt, and what that makes necessary. The later ones end in time for
 * the last readings, answered or not. Resolves with what still runs beside them.
 */
async function measure(
  parts: InvestigateParts,
  scope: Scope,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Aside | undefined> {
  // What changed is in the states that were read.
  if (isOfStates(scope.intent)) return trafficTime(parts, scope.intent, signal);
  const planned = planFirst(scope);
  const probes = planned.filter((call) => !isAside(call));
  tellProbes(planned, journal);
  const aside = startAside(parts, planned.filter(isAside), gathered, journal, signal);
  const measured = await consult(parts, probes, gathered, journal, signal);
  await aside.soon(signal);
  const budgetMs = AGENT_LIMITS.collectMs - AGENT_LIMITS.finalReadMs - journal.elapsedMs();
  await withBudget({ clock: parts.clock, budgetMs, signal, what: 'a further look' }, async (until) => {
    const fileOfNow = () => caseFileOf(scope.intent, scope.nodes, gathered.evidence, gathered.outcomes);
    const first = fileOfNow();
    const doubted = planConfirmation(scope, doubtsOf(first, scope.states, measured));
    const confirmed = await consult(parts, doubted, gathered, journal, until);
    const second = doubted.length === 0 ? first : fileOfNow();
    await consult(parts, planFollowUp(scope, doubtsOf(second, scope.states, confirmed)), gathered, journal, until);
  });
  return aside;
}

/** What changed, and data, are in the states that were read. */
function isOfStates({ kind }: Intent): boolean {
  return kind === 'changes' || kind === 'data';
}

/** Traffic is what two readings differ by: some time must pass between them. */
async function trafficTime({ clock }: InvestigateParts, { topic }: Intent, signal: AbortSignal): Promise<undefined> {
  if (topic === 'traffic') await clock.sleep(AGENT_LIMITS.trafficReadingsMs, signal);
  return undefined;
}

/** The saved expectations of this node; a baseline that does not verify is reported, and not used. */
async function expectations({ baselines }: InvestigateParts, journal: Journal): Promise<readonly Expectation[]> {
  if (baselines === undefined) return [];
  const { baselines: kept, refused } = await baselines.load();
  for (const reason of refused) journal.tell('evidence', reason);
  const expected = kept.map(expectationOf);
  if (expected.length > 0)
    journal.tell('evidence', `held against the ${expected.map(({ name }) => name).join(' and the ')}`);
  return expected;
}

/** What operators of this node said, and its own time at which that is judged. */
async function saidOf({ expectations: own, clock, node }: InvestigateParts, journal: Journal): Promise<Said> {
  const { lines, refused } = (await own?.()) ?? { lines: [] };
  if (refused !== undefined) journal.tell('evidence', refused);
  return { node, at: isoTime(clock.nowMs()), lines };
}

/** Nodes that answered over sessions that others pass on. */
function unroutedIn({ outcomes }: Gathered): ReadonlySet<string> {
  const direct = outcomes.filter(({ status, through }) => status === 'answered' && through === undefined);
  const through = outcomes.flatMap((each) => (each.through === undefined ? [] : [each.node]));
  return new Set(through).difference(new Set(direct.map(({ node }) => node)));
}

/** Of the own file and those of the nodes in scope: what is looked at for it. */
function mustHoldIn({ lines, node: own }: Said, states: States): readonly ExpectLine[] {
  const isExpect = (line: ExpectationLine) => line.kind === 'expect';
  // Others speak of themselves alone: no node has a third one look up or probe anything.
  const others = [...states].flatMap(([node, state]) =>
    (node === own ? [] : (state.expectations ?? []))
      .filter(isExpect)
      .filter(({ what, at = '' }) => at === node || (what === 'service' && isAttached(state, at))),
  );
  return [...lines.filter(isExpect), ...others].slice(0, LIMITS.expectationLines);
}

/** What was found is printed also where the narrator cannot be loaded: the template's sentence stands in the diagnosis. */
async function inWords(
  found: Diagnosis,
  { narrator }: InvestigateParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<Phrasing> {
  try {
    return await narrator.phrase(found, signal);
  } catch (error) {
    journal.tell('finding', `no narrator, the sentence is the template's: ${messageOf(error)}`);
    return { sentence: found.sentence, source: 'template' };
  }
}

/** The model's own hypothesis joins the candidates (TS-17): shown, never chosen. */
function withOpinion(diagnosis: Diagnosis, { candidate }: Phrasing): Diagnosis {
  if (candidate === undefined) return diagnosis;
  const shown = { ...candidate, source: 'model' as const, chosen: false };
  return { ...diagnosis, candidates: [...diagnosis.candidates, shown] };
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

function tellDiagnosis(intent: Intent, diagnosis: Diagnosis, journal: Journal): void {
  const segments = diagnosis.segments.map((segment) => `${segment.from} → ${segment.to} ${segment.lossPercent} %`);
  if (isOfStates(intent))
    journal.tell(
      'evidence',
      `what the nodes ${intent.kind === 'data' ? 'say of themselves' : 'remember'} was read; nothing was to be measured`,
    );
  else journal.tell('evidence', `both ends compared: ${segments.join(', ') || 'nothing could be measured'}`);
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
  readonly said: Said | undefined;
};

/** Seals the report, stores it durably if the disk lets it, and resolves with all of it; nodes that did not answer are in it too (TS-18). */
async function deliver(concluded: Concluded, journal: Journal, parts: InvestigateParts): Promise<Investigation> {
  const { intent, said, diagnosis, phrased, gathered } = concluded;
  const report = assembleReport({
    ...(said === undefined ? {} : { said }),
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
  const kept = await keep(report, sealed, parts.store);
  const { notStored, storeFull = '' } = kept;
  const stored = [`sealed and stored as ${report.uri}`, storeFull].filter(Boolean).join('; ');
  journal.tell('report', notStored === undefined ? stored : `not stored, ${notStored}`, {
    id: report.id,
    uri: report.uri,
  });
  const probingMs = gathered.elapsedMs['probe'] ?? 0;
  return {
    id: report.id,
    uri: report.uri,
    created: report.created,
    intent,
    diagnosis,
    phrased,
    gathered,
    sealed,
    ...kept,
    totalMs: journal.elapsedMs(),
    probingMs,
  };
}

/** Neither member where the store has the report and lost none for it. */
async function keep(
  report: Report,
  sealed: SealedReport,
  store: ReportStore,
): Promise<Pick<Investigation, 'notStored' | 'storeFull'>> {
  const summary = summaryOf(report);
  try {
    const { lost } = await store.put(report.id, sealed, summary);
    return lost === 0 ? {} : { storeFull: lostFor(lost) };
  } catch (error) {
    return { notStored: messageOf(error) };
  }
}

function lostFor(lost: number): string {
  const what =
    lost === 1
      ? '1 older report that was not healthy and that no controller had'
      : `${lost} older reports that were not healthy and that no controller had`;
  return `the store was full: ${what} went for it ("parley report list" says more)`;
}
