// One line of the audit trail: RFC 8785 JSON with sequence, time, the hash of the line before, the record, and its own
// hash. Takes over only the named fields of a record, each bounded: what is not named here, such as a secret or a
// payload, cannot get in (TS-31).
import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AUDIT_LIMITS } from './limits.ts';

/** What the first record of a trail names as the hash before it. */
export const GENESIS = '0'.repeat(64);

export type AuditLine = { readonly sequence: number; readonly previous: string; readonly hash: string };

const TEXTS = [
  'event',
  'sessionId',
  'party',
  'asker',
  'direction',
  'method',
  'intent',
  'requestSha256',
  'boot',
  'nonce',
  'status',
  'reason',
] as const;

/** The line without its line feed, and its hash. Line feeds in values are escaped: no value can forge a second line. */
export function formatAuditLine(
  record: AuditRecord,
  place: { readonly sequence: number; readonly time: string; readonly previous: string },
): { readonly text: string; readonly hash: string } {
  const content: Record<string, JsonValue> = { ...place };
  for (const name of TEXTS) {
    const text = record[name];
    if (text !== undefined) content[name] = text.slice(0, AUDIT_LIMITS.auditTextChars).toWellFormed();
  }
  if (record.detail !== undefined) content['detail'] = boundedDetail(record.detail);
  const hash = hashOf(content);
  return { text: canonicalJsonText({ ...content, hash }), hash };
}

/** Reads a line and checks its own hash; whether it follows the one before is for the reader of the file. */
export function parseAuditLine(line: Uint8Array): Result<AuditLine> {
  const decoded = decodeStrictJson(line);
  if (!decoded.ok) return decoded;
  if (!isJsonObject(decoded.value)) return bad('expected an object, got another type');
  if (canonicalJsonText(decoded.value) !== Buffer.from(line).toString('utf8'))
    return bad('expected RFC 8785 JSON, got another spelling');
  const { hash: claimed, ...content } = decoded.value;
  const { sequence, previous } = content;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1)
    return bad('expected a sequence number');
  if (typeof previous !== 'string' || typeof claimed !== 'string') return bad('expected two hashes');
  return hashOf(content) === claimed
    ? ok({ sequence, previous, hash: claimed })
    : bad('the content does not have the hash it names');
}

function hashOf(content: JsonObject): string {
  return hash('sha256', canonicalJsonText(content), 'hex');
}

/** What has no canonical form or is too large is replaced by its size: the event itself must not be lost over it. */
function boundedDetail(detail: JsonObject): JsonObject {
  const text = JSON.stringify(detail);
  const bytes = Buffer.byteLength(text);
  if (bytes > AUDIT_LIMITS.auditDetailBytes) return { omittedBytes: bytes };
  const decoded = decodeStrictJson(Buffer.from(text.toWellFormed()));
  return decoded.ok && isJsonObject(decoded.value) ? decoded.value : { omittedBytes: bytes };
}
