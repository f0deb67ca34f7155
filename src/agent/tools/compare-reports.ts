// Turns reports into network states that can be compared: their evidence is decoded by the same decoders that diagnosed it. An unverified
// report is trusted for nothing but its form: everything is decoded like a peer's answer.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { compareMoments, type Moment } from '#correlate/baseline/compare.ts';
import { ratesOf } from '#correlate/baseline/rates.ts';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { happeningsOf } from '#correlate/baseline/time-windows.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, weigh } from '#correlate/diagnose.ts';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { allRemarks } from '#correlate/verdict.ts';
import type { EvidenceKind } from '#model/call.ts';
import type { Comparison, Happenings, Span } from '#model/comparison.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Remark } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { readPurpose } from '#model/read-purpose.ts';
import type { Report } from '#model/report.ts';
import { JSON_MEDIA_TYPE } from '#report/assemble.ts';

export function compareReports(before: Report, after: Report): Comparison {
  return compareMoments(momentOf(before), momentOf(after));
}

/** Changes before a report, from the nodes' own histories in it. */
export function happeningsIn(report: Report, span: Span): Happenings {
  return happeningsOf(caseFileIn(report).world, span);
}

export function caseFileIn(report: Report): CaseFile {
  const { intent, nodeNames, evidence, outcomes } = inputOf(report);
  const ordered = [...evidence].sort((one, other) => (one.id < other.id ? -1 : 1));
  return caseFileOf(intent, nodeNames, ordered, outcomes);
}

/** What is odd of the network in a report and no fault, with node references. */
export function remarksIn(report: Report): readonly Remark[] {
  const { said } = report;
  const { file, ranked } = weigh({ ...inputOf(report), ...(said === undefined ? {} : { said }) });
  return allRemarks(file, ranked);
}

function inputOf(report: Report): DiagnoseInput {
  const nodeNames = [...new Set(report.outcomes.map(({ node }) => node))];
  const outcomes = report.outcomes.map((each) => ({ ...each, purpose: readPurpose(each.purpose) }));
  return { intent: intentOf(report), nodeNames, evidence: evidenceOf(report), outcomes };
}

function momentOf(report: Report): Moment {
  const file = caseFileIn(report);
  return {
    verdict: report.verdict,
    findings: report.findings,
    ...(report.remarks === undefined ? {} : { remarks: report.remarks }),
    asked: [...new Set(report.outcomes.map(({ node }) => node))].sort(),
    profile: profileOf(file),
    rates: ratesOf(file.world),
  };
}

function evidenceOf(report: Report): readonly Evidence[] {
  const envelopes = new Map(report.envelopes.map((each) => [each.evidenceId, each]));
  return report.items.flatMap((item, index): Evidence[] => {
    const signed = envelopes.get(item.id);
    const body = item.mediaType === JSON_MEDIA_TYPE ? jsonOf(report.evidence[index]) : undefined;
    if (signed === undefined || body === undefined) return [];
    const { id, node, phase } = item;
    const kind = item.kind as EvidenceKind;
    const chain = report.chains[node] ?? [];
    const purpose = readPurpose(item.purpose);
    return [{ id, purpose, node, kind, phase, request: signed.request, body, envelope: signed.resultEnvelope, chain }];
  });
}

function jsonOf(base64: string | undefined): JsonValue | undefined {
  const bytes = base64 === undefined ? undefined : decodeBase64(base64);
  const decoded = bytes?.ok ? decodeStrictJson(bytes.value) : undefined;
  return decoded?.ok ? decoded.value : undefined;
}

/** Only what a case file needs; an unverified report may contain anything here. */
function intentOf({ intent }: Report): Intent {
  const path = Array.isArray(intent.path)
    ? intent.path.filter((each) => isJsonObject(each) && typeof each['key'] === 'string')
    : [];
  return { ...intent, path: path as Intent['path'] };
}
