// Puts a report together: the draft's members with the draft's shapes and ours beside them (TS-18, docs/design.md §8).
// Pure; signs nothing, leaves no node out: those that did not answer stand in `outcomes` and `untrusted` (TS-21).
import { isoTime } from '#base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import { decodeBase64, encodeBase64 } from '#codec/base64.ts';
import { encodeCanonicalJson } from '#codec/canonical-json.ts';
import type { Outcome } from '#model/call.ts';
import type { AdmittedEvidence } from '#model/evidence.ts';
import type { Said } from '#model/expectations.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { CertificateChain } from '#model/identity.ts';
import type { Intent } from '#model/intent.ts';
import {
  type EvidenceItem,
  type PeerNote,
  REPORT_SCHEMA_VERSION,
  REPORT_URN,
  type Report,
  type TimelineEntry,
} from '#model/report.ts';
import { sha256Hex } from '#sign/digest.ts';

export const JSON_MEDIA_TYPE = 'application/json';
const PCAP_MEDIA_TYPE = 'application/vnd.tcpdump.pcap';

export type ReportParts = {
  /** From `newReportId`. */
  readonly id: string;
  readonly creator: string;
  readonly creatorChain: CertificateChain;
  readonly createdMs: number;
  readonly sessionId: string;
  readonly intent: Intent;
  /** What operators said is meant, and when that was judged. */
  readonly said?: Said;
  readonly outcomes: readonly Outcome[];
  readonly evidence: readonly AdmittedEvidence[];
  readonly diagnosis: Diagnosis;
  /** The narrator's words; the diagnosis' own sentence when there are none. */
  readonly phrased?: { readonly sentence: string; readonly source: 'template' | 'model' };
  readonly peerNotes: readonly PeerNote[];
  readonly timeline: readonly TimelineEntry[];
};

export function newReportId(random: Random): string {
  return randomHex(random, 8);
}

export function assembleReport(parts: ReportParts): Report {
  const { diagnosis, evidence } = parts;
  const pieces = evidence.map(pieceOf);
  const chains: Record<string, CertificateChain> = Object.fromEntries(evidence.map((each) => [each.node, each.chain]));
  chains[parts.creator] = parts.creatorChain;
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    id: parts.id,
    uri: `${REPORT_URN}${parts.id}`,
    creator: parts.creator,
    created: isoTime(parts.createdMs),
    hypothesis: diagnosis.hypothesis,
    evidence: pieces.map((piece) => encodeBase64(piece.bytes)),
    signatures: Object.fromEntries(evidence.map((each) => [each.node, each.envelope.signature])),
    'session-id': parts.sessionId,
    intent: parts.intent,
    verdict: diagnosis.verdict,
    sentence: parts.phrased?.sentence ?? diagnosis.sentence,
    sentenceSource: parts.phrased?.source ?? 'template',
    findings: diagnosis.findings,
    ...(diagnosis.changes === undefined ? {} : { changes: diagnosis.changes }),
    ...(diagnosis.table === undefined ? {} : { table: diagnosis.table }),
    ...(diagnosis.remarks === undefined ? {} : { remarks: diagnosis.remarks }),
    ...(diagnosis.silenced === undefined ? {} : { silenced: diagnosis.silenced }),
    ...(parts.said === undefined ? {} : { said: parts.said }),
    candidates: diagnosis.candidates,
    segments: diagnosis.segments,
    links: diagnosis.links,
    outcomes: parts.outcomes,
    untrusted: untrustedOf(parts.outcomes),
    items: pieces.map((piece) => piece.item),
    envelopes: evidence.map((each) => ({
      evidenceId: each.id,
      request: each.request,
      requestEnvelope: each.requestEnvelope,
      resultEnvelope: each.envelope,
    })),
    chains,
    peerNotes: parts.peerNotes,
    timeline: parts.timeline,
  };
}

/** What a callee signed, put together again from a report's item and its bytes; undefined when they do not fit. */
export function signedAnswerBytes(item: EvidenceItem, bytes: Uint8Array): Uint8Array | undefined {
  if (item.mediaType === JSON_MEDIA_TYPE) return item.answer === undefined ? bytes : undefined;
  if (item.mediaType !== PCAP_MEDIA_TYPE || item.answer === undefined || 'pcap' in item.answer) return undefined;
  return encodeCanonicalJson({ ...item.answer, pcap: encodeBase64(bytes) });
}

type Piece = { readonly bytes: Uint8Array; readonly item: EvidenceItem };

/** An answer as canonical JSON; a capture as PCAP, so that it opens in any packet analyser (TS-18's "raw packets"). */
function pieceOf(evidence: AdmittedEvidence): Piece {
  const { id, node, kind, phase, purpose, body } = evidence;
  const packets = kind === 'capture' ? packetsOf(body) : undefined;
  if (packets !== undefined) {
    const { bytes, answer } = packets;
    const item = { id, node, kind, phase, purpose, mediaType: PCAP_MEDIA_TYPE, sha256: sha256Hex(bytes), answer };
    return { bytes, item };
  }
  const bytes = encodeCanonicalJson(body);
  return { bytes, item: { id, node, kind, phase, purpose, mediaType: JSON_MEDIA_TYPE, sha256: sha256Hex(bytes) } };
}

function packetsOf(body: JsonValue): { readonly bytes: Uint8Array; readonly answer: JsonObject } | undefined {
  if (!isJsonObject(body) || typeof body['pcap'] !== 'string') return undefined;
  const { pcap, ...answer } = body;
  const decoded = decodeBase64(pcap as string);
  return decoded.ok ? { bytes: decoded.value, answer } : undefined;
}

/** The first reason of each node that timed out or failed authentication. */
function untrustedOf(outcomes: readonly Outcome[]): Record<string, string> {
  const untrusted: Record<string, string> = {};
  for (const { node, untrusted: reason } of outcomes) if (reason !== undefined) untrusted[node] ??= reason;
  return untrusted;
}
