// A report that stands on others: an aggregator's, about what the nodes below it found. What it says follows from the reports inside it by
// the rules of this file alone, so that a verifier can do the same again. Judges nothing anew. Pure.
import type { Finding, Remark } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { Report, ReportedOutcome } from '#model/report.ts';
import { changesOf, tableOf } from './told-together.ts';

/** One report inside another, with the segment under which its node stands. */
export type Inner = { readonly segment: string; readonly report: Report };

/** What an enclosing report takes over. */
export type Concluded = Pick<
  Report,
  | 'intent'
  | 'verdict'
  | 'hypothesis'
  | 'sentence'
  | 'sentenceSource'
  | 'findings'
  | 'changes'
  | 'table'
  | 'remarks'
  | 'silenced'
  | 'candidates'
  | 'segments'
  | 'links'
  | 'outcomes'
  | 'untrusted'
>;

/**
 * `asked`: the question as the creator read it; counts where no report inside answers it as a whole. `failed`: outcomes of questions to nodes below
 * that brought no report; they come before those of the reports inside, of which there is at least one.
 */
export function conclude(asked: Intent, inner: readonly Inner[], failed: readonly ReportedOutcome[]): Concluded {
  const intent = intentOf(asked, inner);
  const single = inner.length === 1 ? inner[0]!.report : undefined;
  const reports = inner.map(({ report }) => report);
  const [changes, table] = [changesOf(reports), tableOf(reports)];
  const remarks = inner.flatMap((each) => (each.report.remarks ?? []).map((remark) => within(each, remark)));
  const silenced = inner.flatMap(({ report }) => report.silenced ?? []);
  const links = inner.flatMap(({ report }) => report.links ?? []);
  return {
    intent,
    verdict: verdictOf(intent, inner, failed),
    hypothesis: single?.hypothesis ?? joined(inner, ({ hypothesis }) => hypothesis),
    sentence: single?.sentence ?? joined(inner, ({ sentence }) => sentence),
    sentenceSource: inner.some(({ report }) => report.sentenceSource === 'model') ? 'model' : 'template',
    findings: findingsOf(inner),
    ...(changes === undefined ? {} : { changes }),
    ...(table === undefined ? {} : { table }),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(silenced.length === 0 ? {} : { silenced }),
    candidates: inner.flatMap(({ report }) => report.candidates),
    segments: inner.flatMap(({ report }) => report.segments),
    links,
    outcomes: [...failed, ...inner.flatMap(outcomesOf)],
    untrusted: Object.fromEntries(inner.flatMap(({ report }) => Object.entries(report.untrusted))),
  };
}

/** As a node below understood it; where two understood other nodes by it ("here"), or each got a part of it alone, of none in particular or as asked. */
function intentOf(asked: Intent, inner: readonly Inner[]): Intent {
  const wholes = inner.flatMap(({ report: { intent } }) => (intent.text === asked.text ? [intent] : []));
  const [first] = wholes;
  if (first === undefined) return asked;
  if (wholes.every(({ path }) => keysOf(path) === keysOf(first.path))) return first;
  const { understoodAs: _ofOne, ...intent } = first;
  return { ...intent, path: [] };
}

function keysOf(path: Intent['path']): string {
  return path.map(({ key }) => key).join(' ');
}

/** An evidence id of an inner report, as the enclosing one calls it. */
export function idWithin(segment: string, id: string): string {
  return `${segment}/${id}`;
}

/** Whether one report has an answer of every node that the question names. */
export function coversPath(intent: Intent, { outcomes }: Pick<Report, 'outcomes'>): boolean {
  const answered = new Set(outcomes.filter(({ status }) => status === 'answered').map(({ node }) => nodeKey(node)));
  return intent.path.length > 0 && intent.path.every(({ key }) => answered.has(key));
}

function outcomesOf({ segment, report }: Inner): readonly ReportedOutcome[] {
  return report.outcomes.map((outcome) => ({ ...outcome, callId: idWithin(segment, outcome.callId) }));
}

/** The same fault at the same place, seen from two regions, is one finding with the evidence of both. */
function findingsOf(inner: readonly Inner[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const each of inner) {
    for (const finding of each.report.findings) {
      const key = JSON.stringify([finding.resource, finding.fault]);
      const known = found.get(key);
      const mine = within(each, finding);
      found.set(key, known === undefined ? mine : { ...known, evidence: [...known.evidence, ...mine.evidence] });
    }
  }
  return [...found.values()];
}

function within<T extends Finding | Remark>({ segment }: Inner, said: T): T {
  return { ...said, evidence: said.evidence.map((id) => idWithin(segment, id)) };
}

/** A fault stays one. Healthy is what all say, where nothing that was asked is missing. */
function verdictOf(intent: Intent, inner: readonly Inner[], failed: readonly ReportedOutcome[]): Report['verdict'] {
  const isInParts = inner.every(({ report }) => report.intent.text !== intent.text);
  const isCovered = !isInParts && inner.some(({ report }) => coversPath(intent, report));
  const gaps = isInParts ? gapsOfParts(intent, inner) : gapBetween(intent, inner);
  const missing = isCovered ? [] : [...failed.map(missingText), ...gaps];
  const asked = isInParts ? inner.map(({ segment, report }) => `${segment} was asked: ${report.intent.text}`) : [];
  const kinds = new Set(inner.map(({ report }) => report.verdict.kind));
  const reasons = inner.flatMap(({ segment, report }) =>
    report.verdict.reasons.map((reason) => (inner.length === 1 ? reason : `${segment}: ${reason}`)),
  );
  if (kinds.has('fault')) return { kind: 'fault', reasons: [...reasons, ...missing, ...asked] };
  const [kind] = kinds as ReadonlySet<Report['verdict']['kind']>;
  if (kinds.size === 1 && missing.length === 0) return { kind: kind!, reasons: [...asked, ...reasons] };
  return { kind: 'inconclusive', reasons: [...missing, ...asked, ...reasons] };
}

/** Only what is read from each node by itself is the same in parts. */
function gapsOfParts(intent: Intent, inner: readonly Inner[]): readonly string[] {
  const isRead = intent.kind === 'changes' || intent.kind === 'data';
  const isSame = inner.every(
    ({ report: { intent: part } }) =>
      part.kind === intent.kind &&
      part.when === intent.when &&
      (part.topic ?? part.kind) === (intent.topic ?? intent.kind),
  );
  if (!isRead || !isSame || intent.path.length === 0)
    return gapBetween(intent, inner).concat(
      inner.length < 2 || intent.path.length < 2 ? ['it was asked in parts'] : [],
    );
  const heard = new Set(
    inner.flatMap(({ report }) => (coversPath(report.intent, report) ? report.intent.path : [])).map(({ key }) => key),
  );
  return intent.path.flatMap(({ as, key }) => (heard.has(key) ? [] : [`${as} did not answer`]));
}

function missingText({ node, reason = 'no answer' }: ReportedOutcome): string {
  return `${node} brought no report: ${reason}`;
}

/** Regions that each know a part of a path say nothing of what lies between them. */
function gapBetween({ path }: Intent, inner: readonly Inner[]): readonly string[] {
  if (inner.length < 2 || path.length < 2) return [];
  return [
    `no node below reaches all of ${path.map(({ as }) => as).join(', ')}: what lies between ${inner.map(({ segment }) => segment).join(' and ')} was not measured`,
  ];
}

function joined(inner: readonly Inner[], of: (report: Report) => string): string {
  return inner.map(({ segment, report }) => `${segment}: ${of(report)}`).join(' ');
}
