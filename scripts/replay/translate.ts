// Translates a case of an earlier program: tools, kinds, members and call ids in its evidence; words and evidence ids in the expected
// diagnosis. Changes no number and no name of a node. Without entries in the tables a case stays as it is.
import type { EvidenceKind } from '#model/call.ts';
import type { Finding } from '#model/finding.ts';
import { readPurpose } from '#model/read-purpose.ts';
import type { ReportedOutcome } from '#model/report.ts';
import { INTENT_KINDS, NAME_CHANGES, type NameChanges, renamedMembers } from './old-names.ts';
import { purposeOfOldId } from './old-purposes.ts';
import type { CaseEvidence, ExpectedDiagnosis, ReplayCase } from './replay-case.ts';
import { DETAIL_MEMBERS, reworded, WORDS, type WordChange } from './words.ts';

export type Tables = {
  readonly names: NameChanges;
  readonly words: readonly WordChange[];
  readonly detailMembers: Readonly<Record<string, string>>;
  /** A call's id as the present program would have it; the same for the call's outcome and its evidence. */
  readonly idOf: (oldId: string) => string;
};

export const TABLES: Tables = {
  names: NAME_CHANGES,
  words: WORDS,
  detailMembers: DETAIL_MEMBERS,
  idOf: (oldId) => oldId,
};

export function translated(old: ReplayCase, tables: Tables = TABLES): ReplayCase {
  const ids = idMapOf(old, tables);
  return {
    ...old,
    intent: { ...old.intent, kind: INTENT_KINDS[old.intent.kind] ?? old.intent.kind },
    outcomes: old.outcomes.map((outcome) => outcomeNow(outcome, ids, tables.names)),
    evidence: old.evidence.map((entry) => evidenceNow(entry, ids, tables.names)),
    expected: expectedNow(old.expected, ids, tables),
  };
}

/** Old id → id now. Throws where two calls would get one id. */
function idMapOf({ outcomes, evidence }: ReplayCase, { idOf }: Tables): ReadonlyMap<string, string> {
  const old = new Set([...outcomes.map(({ callId }) => callId), ...evidence.map(({ id }) => id)]);
  const ids = new Map([...old].map((id) => [id, idOf(id)]));
  if (new Set(ids.values()).size < ids.size) throw new Error('expected an id for each call, got one id for two');
  return ids;
}

function outcomeNow(
  outcome: ReportedOutcome,
  ids: ReadonlyMap<string, string>,
  { tools }: NameChanges,
): ReportedOutcome {
  const purpose = purposeNow(outcome.purpose, outcome.callId);
  return { ...outcome, purpose, callId: ids.get(outcome.callId)!, name: tools[outcome.name] ?? outcome.name };
}

/** A report of an earlier program says what a call was for in its id alone. */
function purposeNow(purpose: unknown, oldId: string) {
  return purpose === undefined ? purposeOfOldId(oldId) : readPurpose(purpose);
}

function evidenceNow(entry: CaseEvidence, ids: ReadonlyMap<string, string>, names: NameChanges): CaseEvidence {
  const { method, params } = entry.request;
  const { name, uri, arguments: args } = params;
  const tool = typeof name === 'string' ? name : undefined;
  const request = {
    method,
    params: {
      ...params,
      ...(tool === undefined ? {} : { name: names.tools[tool] ?? tool }),
      ...(typeof uri === 'string' ? { uri: names.tools[uri] ?? uri } : {}),
      ...(args === undefined || tool === undefined ? {} : { arguments: renamedMembers(args, names.arguments[tool]) }),
    },
  };
  return {
    ...entry,
    purpose: purposeNow(entry.purpose, entry.id),
    id: ids.get(entry.id)!,
    kind: (names.kinds[entry.kind] ?? entry.kind) as EvidenceKind,
    request,
    body: renamedMembers(entry.body, names.bodies[entry.kind]),
  };
}

function expectedNow(
  expected: ExpectedDiagnosis,
  ids: ReadonlyMap<string, string>,
  { words, detailMembers }: Tables,
): ExpectedDiagnosis {
  const text = (told: string) => reworded(withIds(told, ids), words);
  const values = (value: unknown) => valuesNow(value, text, detailMembers);
  const { verdict, findings, remarks, silenced, candidates, segments, links, clues, hypothesis, sentence } = expected;
  return {
    verdict: { kind: verdict.kind, reasons: verdict.reasons.map(text) },
    findings: findings.map((finding) => findingNow(finding, ids, text, values)),
    ...(remarks === undefined
      ? {}
      : {
          remarks: remarks.map((each) => ({
            ...each,
            text: text(each.text),
            evidence: each.evidence.map((id) => ids.get(id) ?? id),
          })),
        }),
    ...(silenced === undefined ? {} : { silenced: values(silenced) as typeof silenced }),
    candidates: candidates.map((each) => ({ ...each, why: text(each.why) })),
    segments,
    ...(links === undefined ? {} : { links: values(links) as typeof links }),
    ...(clues === undefined ? {} : { clues: values(clues) as typeof clues }),
    hypothesis: text(hypothesis),
    ...(sentence === undefined ? {} : { sentence: text(sentence) }),
  };
}

function findingNow(
  finding: Finding,
  ids: ReadonlyMap<string, string>,
  text: (told: string) => string,
  values: (value: unknown) => unknown,
): Finding {
  const { remedy, ...rest } = finding;
  return {
    ...rest,
    evidence: finding.evidence.map((id) => ids.get(id) ?? id),
    against: finding.against.map((id) => ids.get(id) ?? id),
    details: values(finding.details) as Finding['details'],
    hypothesis: text(finding.hypothesis),
    ...(remedy === undefined
      ? {}
      : {
          remedy: {
            ...remedy,
            summary: text(remedy.summary),
            ...(remedy.decide === undefined ? {} : { decide: text(remedy.decide) }),
          },
        }),
  };
}

/** Words and names of members at any depth; numbers and truths stay. */
function valuesNow(value: unknown, text: (told: string) => string, members: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((each) => valuesNow(each, text, members));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [members[name] ?? name, valuesNow(each, text, members)]),
  );
}

/** Texts name evidence by its id, between spaces and commas. */
function withIds(told: string, ids: ReadonlyMap<string, string>): string {
  return told.replaceAll(/[^\s,;]+/g, (word) => ids.get(word) ?? word);
}
