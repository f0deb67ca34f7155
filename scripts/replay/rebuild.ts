// Report → case: rebuilds what the agent handed to diagnosis. Refuses a report whose parts do not fit together; verifies no signature,
// as `parley report verify` does that.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { EvidenceKind } from '#model/call.ts';
import type { EvidenceItem, Report } from '#model/report.ts';
import { nodeNamesOf } from './node-names.ts';
import type { CaseEvidence, ExpectedDiagnosis, ReplayCase } from './replay-case.ts';

export function caseOfReport(report: Report): ReplayCase {
  const { id, creator, intent, outcomes, timeline, said } = report;
  const heldAgainst = timeline.filter(({ detail }) => detail?.startsWith('held against the ') === true);
  return {
    ...{ id, creator, intent, outcomes },
    nodeNames: nodeNamesOf(report),
    evidence: evidenceOf(report),
    ...(said === undefined ? {} : { said }),
    expected: sealedDiagnosis(report),
    lacking: heldAgainst.map(({ detail }) => `what the network was expected to look like (${detail})`),
  };
}

/** The report of a sealed report's file, or of a file that is its payload alone. */
export function reportIn(value: JsonValue): Report {
  if (!isJsonObject(value)) throw new Error('expected a report, got no object');
  const envelope = value['report'];
  const payload = isJsonObject(envelope) ? envelope['payload'] : undefined;
  const report = typeof payload === 'string' ? JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) : value;
  for (const name of ['items', 'evidence', 'envelopes', 'outcomes', 'findings', 'candidates', 'segments', 'timeline'])
    if (!Array.isArray(report[name])) throw new Error(`expected a report with ${name}, got none`);
  for (const name of ['intent', 'verdict'])
    if (!isJsonObject(report[name])) throw new Error(`expected a report with ${name}, got none`);
  return report as Report;
}

/** What the report itself says, as far as diagnosis said it. */
function sealedDiagnosis(report: Report): ExpectedDiagnosis {
  const { verdict, findings, remarks, silenced, candidates, segments, links } = report;
  const { sentence, sentenceSource, hypothesis } = report;
  return {
    ...{ verdict, findings, segments, hypothesis },
    ...(remarks === undefined ? {} : { remarks }),
    ...(silenced === undefined ? {} : { silenced }),
    // A model's opinion is added after the diagnosis.
    candidates: candidates.filter(({ source }) => source === 'rule'),
    ...(links === undefined ? {} : { links }),
    ...(sentenceSource === 'template' ? { sentence } : {}),
  };
}

function evidenceOf({ items, evidence, envelopes }: Report): readonly CaseEvidence[] {
  if (items.length !== evidence.length)
    throw new Error(`expected evidence for ${items.length} items, got ${evidence.length}`);
  const requests = new Map(envelopes.map((each) => [each.evidenceId, each.request]));
  return items.map((item, index) => {
    const request = requests.get(item.id);
    if (request === undefined) throw new Error(`expected the request of ${item.id}, got none`);
    const { mediaType: _type, sha256: _hash, answer: _answer, ...rest } = item;
    return { ...rest, kind: item.kind as EvidenceKind, request, body: bodyOf(item, evidence[index]!) };
  });
}

/** The answer's JSON; of a capture, its JSON with the packets put back. */
function bodyOf({ answer }: EvidenceItem, base64: string): JsonValue {
  if (answer === undefined) return JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  return { ...(answer as JsonObject), pcap: base64 };
}
