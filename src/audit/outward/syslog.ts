// One line of the audit trail as a syslog message (RFC 5424), framed for TLS (RFC 5425 §4.3). The message carries the line itself; number and
// digest of the record stand in the structured data, so that a receiver removes what came twice. No value of a record can forge a second message.
import type { JsonObject } from '#base/json.ts';
import { AUDIT_LIMITS } from '../limits.ts';
import { readRecord, type TrailRecord } from '../read-on.ts';

/** RFC 5424 §6.2.1: log audit. */
const FACILITY = 13;
/** RFC 5424 §6.2.1, table 2. */
const SEVERITY = { critical: 2, error: 3, warning: 4, informational: 6 } as const;
/** 32473 is IANA's enterprise number for examples (RFC 5612): Parley has none of its own. */
export const STRUCTURED_DATA_ID = 'parley@32473';
const APP_NAME = 'parley';
/** RFC 5424 §6: the longest that each field may be. */
const FIELD_CHARS = { hostname: 255, msgid: 32 } as const;
/** RFC 5424 §6.4: what follows is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Of events that mean an attack or a loss; every other is informational, or a warning if it was refused. */
const SEVERITY_OF: Readonly<Record<string, number>> = {
  'audit/tail-missing': SEVERITY.critical,
  'audit/break-found': SEVERITY.critical,
  'audit/disk-full': SEVERITY.error,
  'audit/unsent-removed': SEVERITY.error,
  'audit/sent-record-missing': SEVERITY.critical,
  'audit/sent-position-damaged': SEVERITY.critical,
  'connection-refused': SEVERITY.warning,
};

/** The frame of one line: `MSG-LEN SP SYSLOG-MSG`. A line that is no record is sent as well, as what it is: damage. */
export function syslogFrame(node: string, line: Uint8Array): Buffer {
  const message = Buffer.from(syslogMessage(node, line));
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** The message without its frame; it has no line feed. */
export function syslogMessage(node: string, line: Uint8Array): string {
  const record = readRecord(line);
  return record === undefined ? damagedMessage(node, line) : recordMessage(node, record, line);
}

function recordMessage(node: string, record: TrailRecord, line: Uint8Array): string {
  const { sequence, hash, time, fields } = record;
  const { event, sessionId } = fields;
  const head = headerOf(node, severityOf(fields), time, String(event));
  const parameters = {
    seq: String(sequence),
    hash,
    ...(typeof sessionId === 'string' ? { 'session-id': sessionId } : {}),
  };
  const whole = `${head} ${dataOf(parameters)} ${BYTE_ORDER_MARK}${Buffer.from(line).toString('utf8')}`;
  if (Buffer.byteLength(whole) <= AUDIT_LIMITS.auditSyslogBytes) return whole;
  // RFC 5425 §4.3.1: receivers need not take more. The whole record is in the trail, under the same number and digest.
  return `${head} ${dataOf({ ...parameters, cut: 'yes' })} ${BYTE_ORDER_MARK}${JSON.stringify(shortened(fields, line.length))}`;
}

function damagedMessage(node: string, line: Uint8Array): string {
  const head = headerOf(node, SEVERITY.critical, '-', 'damaged-line');
  const text = Buffer.from(line.subarray(0, AUDIT_LIMITS.auditSyslogTextChars)).toString('latin1');
  return `${head} ${dataOf({ damaged: 'yes' })} ${BYTE_ORDER_MARK}${JSON.stringify({ damaged: text, bytes: line.length })}`;
}

function headerOf(node: string, severity: number, time: string, event: string): string {
  const hostname = printable(node, FIELD_CHARS.hostname);
  return `<${FACILITY * 8 + severity}>1 ${time} ${hostname} ${APP_NAME} - ${printable(event, FIELD_CHARS.msgid)}`;
}

function severityOf({ event, status }: JsonObject): number {
  const ofEvent = typeof event === 'string' && Object.hasOwn(SEVERITY_OF, event) ? SEVERITY_OF[event] : undefined;
  return ofEvent ?? (status === 'refused' ? SEVERITY.warning : SEVERITY.informational);
}

/** RFC 5424 §6.3.3: `"`, `\` and `]` are escaped. Names are those above, values are well-formed text without control characters. */
function dataOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => {
    const text = value
      .slice(0, AUDIT_LIMITS.auditSyslogTextChars)
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' ');
    return `${name}="${text.replace(/["\\\]]/g, '\\$&')}"`;
  });
  return `[${[STRUCTURED_DATA_ID, ...pairs].join(' ')}]`;
}

/** RFC 5424 §6: PRINTUSASCII, `-` for nothing. */
function printable(text: string, chars: number): string {
  return text.replace(/[^\x21-\x7e]/g, '?').slice(0, chars) || '-';
}

/** Without its detail, and each text cut. */
function shortened({ detail: _, ...fields }: JsonObject, lineBytes: number): JsonObject {
  const cut = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, AUDIT_LIMITS.auditSyslogTextChars).toWellFormed() : value,
  ]);
  return { ...(Object.fromEntries(cut) as JsonObject), cutFromBytes: lineBytes };
}
