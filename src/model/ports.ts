// Ports of the stages: what agent/ hands to whom.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Admission } from './admission.ts';
import type { Behind } from './asker.ts';
import type { CallContent } from './call.ts';
import type { CallContext, ClientSide } from './definition.ts';
import type { PayloadType, SignedEnvelope } from './envelope.ts';
import type { Candidate, Diagnosis } from './finding.ts';
import type { CertificateChain, Party } from './identity.ts';
import type { SealedReport } from './report.ts';

/** Signs with the node's Ed25519 key. `keyId` as in envelope.ts. */
export type Signer = {
  readonly node: string;
  readonly keyId: string;
  /** RFC 8785 JSON of `value`, signed once under `payloadType`. */
  seal(payloadType: PayloadType, value: JsonObject): SignedEnvelope;
};

/** Hands out nonces that never come again: reserved on disk in blocks before use. */
export type NonceSource = { readonly boot: string; next(): string };

/** Append-only audit trail (TS-31). Resolves when the record is durable. */
export type AuditSink = { append(record: AuditRecord): Promise<void> };

/** Heads of audit trails: peers show each other their own as `head`, and as `kept` the one that they keep of the other (TS-31). */
export type AuditHeads = {
  /** What to show a peer that is visited; nothing where it was shown lately, and answered. */
  offer(peer: string): JsonObject;
  /** What a visiting peer said, and what it is shown in return. */
  asked(caller: Party, said: JsonObject): JsonObject;
  /** What a visited peer showed in return. */
  answered(session: { readonly peer: Party; readonly chain: CertificateChain }, said: JsonObject): void;
};

export type AuditRecord = {
  readonly event: string;
  readonly sessionId?: string;
  readonly party?: string;
  /** Who asked, where the party is a node that calls for another; of the local socket, the user of this machine. */
  readonly asker?: string;
  readonly direction?: 'in' | 'out';
  readonly method?: string;
  /** What an operator asked, in the words of the question. */
  readonly intent?: string;
  /** Of the request, as signatures cover it. */
  readonly requestSha256?: string;
  /** Of the signed request: with them a copy of this trail shows that no call was accepted twice. */
  readonly boot?: string;
  readonly nonce?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly detail?: JsonObject;
};

/** The way in for every call: listeners, the console, and the node's own part of a plan. Admits, then runs or refuses. Never rejects. */
export type CallGate = (call: IncomingCall) => Promise<HandledCall>;

/** Runs one call that a gate has admitted. */
export type CallHandler = (call: AdmittedCall) => Promise<HandledCall>;

export type AdmittedCall = IncomingCall & { readonly admission: Admission; readonly behind?: Behind };

export type IncomingCall = {
  readonly caller: Party;
  /** Capabilities the session is authorised for; undefined for operators and controllers, whose role decides. */
  readonly authorised: readonly string[] | undefined;
  readonly content: CallContent;
  readonly envelope: SignedEnvelope | undefined;
  /** As the caller sent it: of a node its statement of who asked, of an operator or a controller its own assertion. */
  readonly asker?: SignedEnvelope;
  readonly sessionId: string | undefined;
  /** Trace that the call belongs to, where it came with one. */
  readonly traceparent?: string;
  readonly signal: AbortSignal;
  /** As in CallContext. */
  readonly sessionEnded?: AbortSignal;
  /** As in CallContext. */
  readonly probeCaller?: CallContext['probeCaller'];
  progress(done: number, total: number | undefined, message: string, data?: JsonObject): void;
  readonly client?: ClientSide;
};

/** `body` is the result without `_meta`, or the error object without its envelope. */
export type HandledCall =
  | {
      readonly status: 'answered';
      readonly body: JsonValue;
      /** How a resource's body is to be shown. */
      readonly page?: PageHead;
      readonly envelope?: SignedEnvelope;
    }
  | {
      readonly status: 'refused';
      readonly code: number;
      readonly message: string;
      readonly data: JsonObject;
      readonly envelope?: SignedEnvelope;
    };

/** What stands beside a resource's content: `unchanged` when the caller has it already (TS-2). */
export type PageHead = {
  readonly mimeType: string;
  readonly contentId?: string;
  readonly unchanged?: boolean;
  readonly nextCursor?: string;
  readonly binary?: boolean;
  readonly meta?: JsonObject;
  /** RFC 8785 text of the body, where it was written directly; the body is then a getter. */
  readonly text?: string;
};

/** Store of sealed reports on a node (CARD-6, CARD-8). */
export type ReportStore = {
  put(id: string, sealed: SealedReport, summary: ReportSummary): Promise<Kept>;
  get(id: string): Promise<SealedReport | undefined>;
  list(): Promise<readonly ReportSummary[]>;
  /** Marks as fetched by a controller, with its receipt; false when there is no such report. */
  acknowledge(id: string, by: string, receipt: JsonValue): Promise<boolean>;
  close(): Promise<void>;
};

/** `lost`: reports of faults, and inconclusive ones, that no controller had and that went to make room for this one. */
export type Kept = { readonly lost: number };

export type ReportSummary = {
  readonly id: string;
  readonly uri: string;
  readonly created: string;
  readonly creator: string;
  readonly intent: string;
  readonly verdict: string;
  readonly hypothesis: string;
  readonly sentence: string;
  readonly acknowledgedBy?: readonly string[];
};

/** The language model, as far as it may be used: a voice, a second opinion, an interpreter of odd sentences. */
export type Narrator = {
  /** Phrases a diagnosis in one sentence; falls back to the template's when the model is absent, slow or wrong. */
  phrase(diagnosis: Diagnosis, signal: AbortSignal): Promise<Phrasing>;
  /**
   * A sentence that no form of the grammar fits as a structured intent, with node names as typed. Names only nodes of `known`;
   * undefined when there is no model, or it does not know either. Resolves always.
   */
  interpret(sentence: string, known: readonly string[], signal: AbortSignal): Promise<JsonObject | undefined>;
};

/** `candidate` is the model's own reading of the same evidence, unverified: it joins the candidate list, never the findings. */
export type Phrasing = {
  readonly sentence: string;
  readonly source: 'template' | 'model';
  readonly candidate?: Candidate;
};

/** What an operator sees while an investigation runs. */
export type ProgressEvent = {
  readonly step: 'intent' | 'peers' | 'session' | 'fan-out' | 'signatures' | 'evidence' | 'finding' | 'report';
  readonly message: string;
  readonly data?: JsonObject;
};
