// Compares two diagnoses of the same evidence: what differs in the result, and what differs only in its words. Strict: verdict, findings
// with confidence, evidence and exact change, the number of reasons, rejected candidates, measured segments and links, every number.
// The order of findings, candidates, evidence ids and reasons means nothing.
import { isDeepStrictEqual } from 'node:util';
import type { Candidate, Diagnosis, Finding } from '#model/finding.ts';
import { type Difference, differs, inValues, ofLists, textual, wordsDiffer } from './differences.ts';
import type { ExpectedDiagnosis } from './replay-case.ts';
import { REPLACED_DETAILS } from './words.ts';

export type { Difference } from './differences.ts';

/** `expected` in today's words and with today's evidence ids (translate.ts). */
export function differencesOf(expected: ExpectedDiagnosis, actual: Diagnosis): readonly Difference[] {
  const { verdict, findings, silenced, candidates, segments, links, clues, hypothesis, sentence } = expected;
  return [
    ...(verdict.kind === actual.verdict.kind ? [] : [differs('verdict', verdict.kind, actual.verdict.kind)]),
    ...ofReasons(allReasons(expected), allReasons(actual)),
    ...ofFindings(findings, actual.findings),
    ...ofCandidates(candidates, actual.candidates),
    ...inValues('silenced', silenced ?? [], actual.silenced ?? []),
    ...inValues('segments', segments, asTold(segments, actual.segments)),
    ...(links === undefined ? [] : inValues('links', links, actual.links)),
    ...(clues === undefined ? [] : inValues('clues', clues, actual.clues)),
    ...textual('hypothesis', hypothesis, actual.hypothesis),
    ...(sentence === undefined ? [] : textual('sentence', sentence, actual.sentence)),
  ];
}

/** What the far end received is said of a segment since a later program: where the case does not have it, it is no difference. */
function asTold(expected: Diagnosis['segments'], actual: Diagnosis['segments']): Diagnosis['segments'] {
  if (expected.some(({ counters }) => counters?.rxPackets !== undefined)) return actual;
  return actual.map(({ counters, ...rest }) => {
    if (counters === undefined) return rest;
    const { rxPackets: _, ...told } = counters;
    return { ...rest, counters: told };
  });
}

/** Remarks stood among the reasons once: what is said counts, not in which list. */
function allReasons({ verdict, remarks = [] }: Pick<Diagnosis, 'verdict' | 'remarks'>): readonly string[] {
  return [...verdict.reasons, ...remarks.map(({ text }) => text)];
}

/** How many facts prove it, or are missing, is what is said; which words they take is how. */
function ofReasons(expected: readonly string[], actual: readonly string[]): readonly Difference[] {
  const counted =
    expected.length === actual.length
      ? []
      : [differs('number of reasons', String(expected.length), String(actual.length))];
  const { missing, extra } = ofLists(expected, actual);
  return [...counted, ...changedTexts('reason', missing, extra)];
}

function ofFindings(expected: readonly Finding[], actual: readonly Finding[]): readonly Difference[] {
  const { pairs, missing, extra } = paired(expected, actual, ({ fault, resource }) => `${fault} ${resource}`);
  return [
    ...missing.map((each) => differs('finding', named(each), undefined)),
    ...extra.map((each) => differs('finding', undefined, named(each))),
    ...pairs.flatMap(([one, other]) => ofFinding(one, other)),
  ];
}

function ofFinding(expected: Finding, actual: Finding): readonly Difference[] {
  const about = (what: string) => `${what} of ${named(expected)}`;
  const { remedy: was, details, hypothesis, confidence, evidence, against } = expected;
  const is = actual.remedy;
  return [
    ...(confidence === actual.confidence ? [] : [differs(about('confidence'), confidence, actual.confidence)]),
    ...ofIds(about('evidence'), evidence, actual.evidence),
    ...ofIds(about('evidence against'), against, actual.against),
    ...inValues(about('details'), lasting(details), alsoIn(lasting(details), actual.details)),
    ...textual(about('hypothesis'), hypothesis, actual.hypothesis),
    ...exactly(about("remedy's node"), was?.node, is?.node),
    ...exactly(about("remedy's command"), was?.command, is?.command),
    ...exactly(about("remedy's exact change"), was?.change, is?.change),
    ...exactly(about('need for a decision'), was?.decide !== undefined, is?.decide !== undefined),
    ...textual(about("remedy's summary"), was?.summary, is?.summary),
    ...textual(about('what is to be decided'), was?.decide, is?.decide),
  ];
}

function ofCandidates(expected: readonly Candidate[], actual: readonly Candidate[]): readonly Difference[] {
  const key = ({ fault, resource, source, chosen }: Candidate) =>
    `${chosen ? 'chosen' : 'rejected'} ${fault} ${resource} by ${source}`;
  const { pairs, missing, extra } = paired(expected, actual, key);
  return [
    ...missing.map((each) => differs('candidate', `${key(each)}: ${each.why}`, undefined)),
    ...extra.map((each) => differs('candidate', undefined, `${key(each)}: ${each.why}`)),
    // A chosen one names the ids of the symptoms that it explains, and these ids are opaque.
    ...pairs.flatMap(([one, other]) => (one.chosen ? [] : textual(`why ${key(one)}`, one.why, other.why))),
  ];
}

type Paired<T> = {
  readonly pairs: readonly (readonly [T, T])[];
  readonly missing: readonly T[];
  readonly extra: readonly T[];
};

/** Of several with one key those that are equal are paired first. */
function paired<T>(expected: readonly T[], actual: readonly T[], keyOf: (each: T) => string): Paired<T> {
  const left = [...actual];
  const take = (fits: (other: T) => boolean): T | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const exact = expected.map((each) => ({ each, found: take((other) => isDeepStrictEqual(each, other)) }));
  const rows = exact.map(({ each, found }) => [each, found ?? take((other) => keyOf(other) === keyOf(each))] as const);
  return {
    pairs: rows.filter((row): row is readonly [T, T] & typeof row => row[1] !== undefined),
    missing: rows.filter(([, found]) => found === undefined).map(([each]) => each),
    extra: left,
  };
}

function lasting(details: Finding['details']): Finding['details'] {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !REPLACED_DETAILS.has(name)));
}

/** A definition may give more details than it once did; those that it gave must stay, and whether the fault is over. */
function alsoIn(expected: Finding['details'], actual: Finding['details']): Finding['details'] {
  return Object.fromEntries(Object.entries(actual).filter(([name]) => name in expected || name === 'over'));
}

function ofIds(what: string, expected: readonly string[], actual: readonly string[]): readonly Difference[] {
  const { missing, extra } = ofLists(expected, actual);
  return missing.length + extra.length === 0 ? [] : [differs(what, missing.join(', '), extra.join(', '))];
}

function exactly(what: string, expected: unknown, actual: unknown): readonly Difference[] {
  return isDeepStrictEqual(expected, actual) ? [] : [differs(what, expected, actual)];
}

/** One beside the other as far as there are as many. */
function changedTexts(what: string, missing: readonly string[], extra: readonly string[]): readonly Difference[] {
  const rows = Array.from({ length: Math.max(missing.length, extra.length) }, (_, at) => at);
  return rows.map((at) => wordsDiffer(what, missing[at], extra[at]));
}

function named({ fault, resource }: Finding): string {
  return `${fault} ${resource}`;
}
