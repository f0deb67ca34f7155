// Seals a report and writes it as its file: one line of RFC 8785 JSON and a line feed (CARD-6). The strict reader of
// such a file refuses every other spelling, so that a report has exactly one form that can be verified.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { isJsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { CertificateChain } from '#model/identity.ts';
import { isNodeName } from '#model/names.ts';
import type { ReportSummary, Signer } from '#model/ports.ts';
import { type Countersignature, REPORT_SCHEMA_VERSION, type Report, type SealedReport } from '#model/report.ts';
import { parseEnvelope } from '#sign/envelope.ts';
import { REPORT_LIMITS } from './limits.ts';

const LINE_FEED = 0x0a;

/** Signs the report's canonical bytes. The creator's chain is `report.chains[report.creator]`. */
/** `enclosed`: the reports that it names, and those that they name. */
export function sealReport(report: Report, signer: Signer, enclosed: readonly SealedReport[] = []): SealedReport {
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    report: signer.seal(PAYLOAD_TYPES.report, report as unknown as JsonObject),
    creatorChain: report.chains[report.creator] ?? [],
    countersignatures: [],
    ...(enclosed.length === 0 ? {} : { enclosed }),
  };
}

/** The report file's text. */
export function sealedReportText(sealed: SealedReport): string {
  return `${canonicalJsonText(sealed as unknown as JsonObject)}\n`;
}

/** Reads a report file; nothing is verified but its form. */
export function parseSealedReport(bytes: Uint8Array): Result<SealedReport> {
  if (bytes.length > LIMITS.reportBytes)
    return bad(`expected at most ${LIMITS.reportBytes} bytes, got ${bytes.length}`);
  if (bytes.at(-1) !== LINE_FEED) return bad('expected a line feed at the end, got something else', bytes.length);
  const text = bytes.subarray(0, -1);
  const decoded = decodeStrictJson(text);
  if (!decoded.ok) return decoded;
  const canonical = Buffer.from(canonicalJsonText(decoded.value));
  if (Buffer.compare(canonical, text) !== 0) return bad('expected RFC 8785 JSON, got another spelling');
  return readSealed(decoded.value);
}

/** What lists show of a report. */
export function summaryOf(report: Report): ReportSummary {
  const { id, uri, created, creator, hypothesis, sentence } = report;
  return { id, uri, created, creator, intent: report.intent.text, verdict: report.verdict.kind, hypothesis, sentence };
}

function readSealed(value: JsonValue): Result<SealedReport> {
  if (!isJsonObject(value)) return bad('expected an object, got another type');
  const { enclosed, ...own } = value;
  const names = Object.keys(own).sort().join(' ');
  if (names !== 'countersignatures creatorChain report schemaVersion')
    return bad('expected exactly the members of a report file');
  if (value['schemaVersion'] !== REPORT_SCHEMA_VERSION) return bad(`expected schemaVersion ${REPORT_SCHEMA_VERSION}`);
  const report = parseEnvelope(value['report']);
  if (!report.ok) return bad(`report: ${report.reason}`);
  const { creatorChain } = value;
  if (!isChain(creatorChain)) return bad('creatorChain: expected certificates in base64');
  const list = value['countersignatures'];
  if (!Array.isArray(list) || list.length > REPORT_LIMITS.countersignatures)
    return bad('countersignatures: expected a bounded array');
  const countersignatures: Countersignature[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readCountersignature(entry);
    if (!read.ok) return bad(`countersignatures[${index}]: ${read.reason}`);
    countersignatures.push(read.value);
  }
  const sealed = {
    schemaVersion: REPORT_SCHEMA_VERSION,
    report: report.value,
    creatorChain,
    countersignatures,
  } as const;
  return enclosed === undefined ? ok(sealed) : withEnclosed(sealed, enclosed);
}

/** They lie beside each other, whatever stands on what: none has others in it. */
function withEnclosed(sealed: SealedReport, value: JsonValue): Result<SealedReport> {
  if (!Array.isArray(value) || value.length === 0 || value.length > REPORT_LIMITS.enclosedReports)
    return bad('enclosed: expected a bounded array');
  const enclosed: SealedReport[] = [];
  for (const [index, entry] of value.entries()) {
    if (isJsonObject(entry) && entry['enclosed'] !== undefined) return bad(`enclosed[${index}]: expected none within`);
    const read = readSealed(entry as JsonValue);
    if (!read.ok) return bad(`enclosed[${index}]: ${read.reason}`);
    enclosed.push(read.value);
  }
  return ok({ ...sealed, enclosed });
}

/** The form of a countersignature, in a file or as a controller's receipt. */
export function readCountersignature(value: unknown): Result<Countersignature> {
  if (!isJsonObject(value)) return bad('expected an object, got another type');
  if (Object.keys(value).sort().join(' ') !== 'by chain envelope role')
    return bad('expected exactly by, chain, envelope and role');
  const { by, role, chain } = value;
  if (typeof by !== 'string' || !isNodeName(by) || (role !== 'participant' && role !== 'controller'))
    return bad('expected by and role');
  if (!isChain(chain)) return bad('expected certificates in base64');
  const envelope = parseEnvelope(value['envelope']);
  return envelope.ok ? ok({ by, role, chain, envelope: envelope.value }) : envelope;
}

export function isChain(value: unknown): value is CertificateChain {
  return (
    Array.isArray(value) && value.length <= LIMITS.chainCertificates && value.every((each) => typeof each === 'string')
  );
}
