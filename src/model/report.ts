// The report resource (TS-18): the draft's members with the draft's shapes, and ours beside them.
import type { JsonObject } from '#base/json.ts';
import type { CallContent, Outcome, Phase } from './call.ts';
import type { SignedEnvelope } from './envelope.ts';
import type { Said, Silenced } from './expectations.ts';
import type { Candidate, Finding, Remark, SegmentLoss, ToldChanges, ToldTable, Verdict } from './finding.ts';
import type { CertificateChain } from './identity.ts';
import type { Intent } from './intent.ts';
import type { LinkRow } from './links/link-indicators.ts';
import type { Purpose } from './purpose.ts';

export const REPORT_URN = 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/';
export const REPORT_SCHEMA_VERSION = 1;

export type EvidenceItem = {
  /** Evidence id. */
  readonly id: string;
  readonly node: string;
  readonly kind: string;
  readonly phase: Phase;
  /** What it was asked for. Absent in reports of earlier versions. */
  readonly purpose?: Purpose;
  readonly mediaType: string;
  /** SHA-256 of the bytes in `evidence` at the same index, lower-case hex. */
  readonly sha256: string;
  /**
   * Captures only: the answer without its `pcap` member. The signed answer is this with `pcap` = base64 of the bytes.
   */
  readonly answer?: JsonObject;
};

/** Those of earlier versions do not say what a call was for. */
export type ReportedOutcome = Omit<Outcome, 'purpose'> & Partial<Pick<Outcome, 'purpose'>>;

/** One call's signed bytes, verbatim, with what they cover: enough to verify offline. */
export type ReportEnvelope = {
  readonly evidenceId: string;
  readonly request: CallContent;
  readonly requestEnvelope: SignedEnvelope;
  readonly resultEnvelope: SignedEnvelope;
};

/** A report that another stands on. It is in the same file (`SealedReport.enclosed`), and verifies by itself. */
export type EnclosedReport = {
  /** Segment under which its node stands below the creator. */
  readonly segment: string;
  /** The node that made it. */
  readonly from: string;
  readonly id: string;
  /** SHA-256 of its signed payload, lower-case hex. */
  readonly sha256: string;
};

export type TimelineEntry = {
  readonly at: string;
  readonly event: string;
  readonly node?: string;
  readonly detail?: string;
};

export type PeerNote = { readonly node: string; readonly kind: string; readonly detail: string };

/** Everything that is signed. Its RFC 8785 form is the payload; the file is `SealedReport`. */
export type Report = {
  readonly schemaVersion: typeof REPORT_SCHEMA_VERSION;
  readonly id: string;
  readonly uri: string;
  readonly creator: string;
  /** RFC 3339. */
  readonly created: string;
  /** Structured part as text: "PE-1 egress ACL 2001", "none" when healthy. */
  readonly hypothesis: string;
  /** Base64 strings: each evidence's bytes, in the order of `items` (JSON of an answer, or PCAP). */
  readonly evidence: readonly string[];
  /** Node name → base64 signature: each callee's over its last result. The creator's is the file's own. */
  readonly signatures: { readonly [node: string]: string };
  readonly 'session-id': string;
  readonly intent: Intent;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly sentenceSource: 'template' | 'model';
  readonly findings: readonly Finding[];
  /** What changed, where that was asked. */
  readonly changes?: ToldChanges;
  readonly table?: ToldTable;
  /** What is odd and no fault; absent: nothing is. Reports of earlier versions have it among the verdict's reasons. */
  readonly remarks?: readonly Remark[];
  /** Findings that accuse no node, as they are meant; absent: none. */
  readonly silenced?: readonly Silenced[];
  /** What the asked node's operators said is meant, and when that was judged. Absent in reports of earlier versions. */
  readonly said?: Said;
  readonly candidates: readonly Candidate[];
  readonly segments: readonly SegmentLoss[];
  /** Absent in reports of earlier versions. */
  readonly links?: readonly LinkRow[];
  readonly outcomes: readonly ReportedOutcome[];
  readonly untrusted: { readonly [node: string]: string };
  readonly items: readonly EvidenceItem[];
  readonly envelopes: readonly ReportEnvelope[];
  readonly chains: { readonly [node: string]: CertificateChain };
  /** Of an aggregator's report: those that it stands on. It has no evidence of its own then. */
  readonly enclosed?: readonly EnclosedReport[];
  readonly peerNotes: readonly PeerNote[];
  readonly timeline: readonly TimelineEntry[];
};

/** The report file: one line of RFC 8785 JSON. `report.payload` is the canonical base64 of the canonical report. */
export type SealedReport = {
  readonly schemaVersion: typeof REPORT_SCHEMA_VERSION;
  readonly report: SignedEnvelope;
  readonly creatorChain: CertificateChain;
  readonly countersignatures: readonly Countersignature[];
  /** Reports that this one, or one of them, names; absent where it names none. */
  readonly enclosed?: readonly SealedReport[];
};

/** A participant's or the controller's signature over the report's digest. */
export type Countersignature = {
  readonly by: string;
  readonly role: 'participant' | 'controller';
  readonly envelope: SignedEnvelope;
  readonly chain: CertificateChain;
};
