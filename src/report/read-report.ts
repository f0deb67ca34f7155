// Reads the signed payload of a report as far as verification needs it. Refuses members that are missing, unknown or of
// another type, and identifiers that contradict each other. Total: a creator's report is a peer's input, too.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { isNodeName } from '#model/names.ts';
import { REPORT_SCHEMA_VERSION, REPORT_URN, type Report } from '#model/report.ts';
import { isChain } from './seal.ts';

type Kind = 'string' | 'object' | 'array' | 'strings' | 'texts';

/** Members that reports of earlier versions have not. */
const LATER = {
  links: 'array',
  remarks: 'array',
  changes: 'object',
  table: 'object',
  silenced: 'array',
  said: 'object',
  enclosed: 'array',
} as const;

/** The other members of a report beside `schemaVersion`; `texts` is an object of strings. */
const MEMBERS: Readonly<Record<Exclude<keyof Report, 'schemaVersion' | keyof typeof LATER>, Kind>> = {
  id: 'string',
  uri: 'string',
  creator: 'string',
  created: 'string',
  hypothesis: 'string',
  evidence: 'strings',
  signatures: 'texts',
  'session-id': 'string',
  intent: 'object',
  verdict: 'object',
  sentence: 'string',
  sentenceSource: 'string',
  findings: 'array',
  candidates: 'array',
  segments: 'array',
  outcomes: 'array',
  untrusted: 'texts',
  items: 'array',
  envelopes: 'array',
  chains: 'object',
  peerNotes: 'array',
  timeline: 'array',
};

const ITEM_TEXTS = ['id', 'node', 'kind', 'phase', 'mediaType', 'sha256'];

/** An id as `newReportId` makes them, and any other short name without a delimiter. */
export const REPORT_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Ids are printed at verification: no spaces, no control characters. */
const EVIDENCE_ID = /^[\x21-\x7e]{1,256}$/;

export function readReport(value: JsonObject): Result<Report> {
  if (value['schemaVersion'] !== REPORT_SCHEMA_VERSION) return bad(`expected schemaVersion ${REPORT_SCHEMA_VERSION}`);
  const wanted = ['schemaVersion', ...Object.keys(LATER), ...Object.keys(MEMBERS)];
  const unknown = Object.keys(value).find((name) => !wanted.includes(name));
  if (unknown !== undefined) return bad(`unknown member ${unknown}`);
  for (const [name, kind] of Object.entries(MEMBERS)) {
    if (!isKind(value[name], kind)) return bad(`${name}: expected ${kind}`);
  }
  for (const [name, kind] of Object.entries(LATER)) {
    if (value[name] !== undefined && !isKind(value[name], kind)) return bad(`${name}: expected ${kind}`);
  }
  const report = value as unknown as Report;
  if (!REPORT_ID.test(report.id) || report.uri !== `${REPORT_URN}${report.id}`) return bad('uri and id do not agree');
  if (!isNodeName(report.creator)) return bad('creator: expected a node name');
  if (!Number.isFinite(Date.parse(report.created))) return bad('created: expected an RFC 3339 time');
  if (report.evidence.length !== report.items.length) return bad('evidence and items differ in length');
  if (!report.items.every(isItem)) return bad('items: expected their texts');
  if (!report.envelopes.every(isReportEnvelope)) return bad('envelopes: expected a request and two envelopes each');
  if (!report.outcomes.every(isOutcome)) return bad('outcomes: expected their texts');
  if (!report.findings.every((finding) => isKind((finding as unknown as JsonObject)?.['evidence'], 'strings'))) {
    return bad('findings: expected evidence ids');
  }
  if (report.enclosed?.every(isEnclosed) === false) return bad('enclosed: expected segment, node, id and digest each');
  if (report.changes !== undefined && !isToldChanges(report.changes)) return bad('changes: expected their list');
  if (report.table !== undefined && !isToldTable(report.table)) return bad('table: expected columns and rows');
  if (report.remarks?.every(isRemark) === false) return bad('remarks: expected their texts and evidence ids');
  const chain = Object.entries(report.chains).find(([, each]) => !isChain(each));
  return chain === undefined ? ok(report) : bad(`chains: expected certificates of ${chain[0]}`);
}

function isKind(value: JsonValue | undefined, kind: Kind): boolean {
  const isStrings = (list: readonly JsonValue[]) => list.every((each) => typeof each === 'string');
  switch (kind) {
    case 'string':
      return typeof value === 'string';
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'strings':
      return Array.isArray(value) && isStrings(value);
    case 'texts':
      return isJsonObject(value) && isStrings(Object.values(value));
  }
}

const DIGEST = /^[0-9a-f]{64}$/;
const SEGMENT = /^[a-z0-9_-]{1,63}$/;

function isEnclosed(value: unknown): boolean {
  if (!isJsonObject(value) || Object.keys(value).sort().join(' ') !== 'from id segment sha256') return false;
  const { from, id, segment, sha256 } = value;
  return (
    isNodeName(String(from)) &&
    REPORT_ID.test(String(id)) &&
    SEGMENT.test(String(segment)) &&
    DIGEST.test(String(sha256))
  );
}

function isItem(value: unknown): boolean {
  if (!isJsonObject(value) || !ITEM_TEXTS.every((name) => typeof value[name] === 'string')) return false;
  if (!EVIDENCE_ID.test(String(value['id'])) || !isNodeName(String(value['node']))) return false;
  const { answer, purpose, ...rest } = value;
  const objects = [answer, purpose].filter((each) => each !== undefined);
  return Object.keys(rest).length === ITEM_TEXTS.length && objects.every(isJsonObject);
}

function isToldTable(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['title'] !== 'string' || typeof value['left'] !== 'number') return false;
  const { columns, rows, notKnown } = value;
  if (!isKind(columns, 'strings') || !isKind(notKnown, 'strings') || !Array.isArray(rows)) return false;
  return rows.every(
    (cells) =>
      isKind(cells, 'strings') && (cells as readonly unknown[]).length === (columns as readonly unknown[]).length,
  );
}

function isToldChanges(value: unknown): boolean {
  if (!isJsonObject(value) || !Array.isArray(value['changes']) || !isKind(value['notKnown'], 'strings')) return false;
  const texts = (each: JsonObject) => [each['was'], each['is'], each['setting']].filter((text) => text !== undefined);
  return value['changes'].every(
    (each) =>
      isJsonObject(each) &&
      [each['node'], each['kind'], each['subject'], ...texts(each)].every((text) => typeof text === 'string') &&
      typeof each['agoMs'] === 'number',
  );
}

function isRemark(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    ['kind', 'why', 'text'].every((name) => typeof value[name] === 'string') &&
    (value['resource'] === undefined || typeof value['resource'] === 'string') &&
    isKind(value['evidence'], 'strings')
  );
}

function isReportEnvelope(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['evidenceId'] !== 'string' || !isJsonObject(value['request'])) return false;
  const { method, params } = value['request'];
  return (
    typeof method === 'string' &&
    isJsonObject(params) &&
    isJsonObject(value['requestEnvelope']) &&
    isJsonObject(value['resultEnvelope'])
  );
}

function isOutcome(value: unknown): boolean {
  return isJsonObject(value) && ['callId', 'node', 'status'].every((name) => typeof value[name] === 'string');
}
