// Signed bytes on the wire and in reports, in the manner of DSSE: the payload is carried verbatim, verified, then parsed.

/** Each type is signed under its own name, so that a result can never pass for a report. */
export const PAYLOAD_TYPES = {
  call: 'parley/call/v1',
  result: 'parley/result/v1',
  report: 'parley/report/v1',
  countersignature: 'parley/countersignature/v1',
  consent: 'parley/consent/v1',
  checkpoint: 'parley/checkpoint/v1',
  baseline: 'parley/baseline/v1',
  expectations: 'parley/expectations/v1',
  asker: 'parley/asker/v1',
  assertion: 'parley/assertion/v1',
  auditHead: 'parley/audit-head/v1',
  order: 'parley/order/v1',
  toolRegistry: 'parley/tool-registry/v1',
} as const;

export type PayloadType = (typeof PAYLOAD_TYPES)[keyof typeof PAYLOAD_TYPES];

export type SignedEnvelope = {
  readonly payloadType: PayloadType;
  /** Canonical base64 of the RFC 8785 JSON that was signed. */
  readonly payload: string;
  /** Canonical base64 of the 64-byte Ed25519 signature over PAE(payloadType, payload). */
  readonly signature: string;
};

/** Member of `_meta` (requests, results) and of error `data` under which envelopes travel. */
export const ENVELOPE_META = 'io.parley/envelope';
/** Member of request `_meta`: from a node who asked it, from an operator or a controller what it signed for this node. */
export const ASKER_META = 'io.parley/asker';
/** Member of request `_meta` that carries the collaboration domain id (`session-id`, TS-31). */
export const SESSION_META = 'io.parley/session-id';

/** Member of request `_meta` by which a trace goes on (W3C Trace Context): its trace id is the same at every hop. */
export const TRACE_META = 'traceparent';
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Undefined for anything else: a trace is no reason to refuse a call. */
export function traceparentIn(value: unknown): string | undefined {
  return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

/** Fields that calls and results have in common. */
export type SignedHead = {
  readonly signer: string;
  /** SHA-256 of the raw Ed25519 public key, first 16 bytes, lower-case hex. */
  readonly keyId: string;
  /** `<counter>-<random hex>`; the counter is persisted and only grows. */
  readonly boot: string;
  /** Decimal string; increases within a boot. */
  readonly nonce: string;
  /** Collaboration domain id. */
  readonly session: string;
  readonly method: string;
  /** SHA-256 over RFC 8785 JSON of `{method, params}` without `_meta`, lower-case hex. */
  readonly requestSha256: string;
  /** 16 random bytes of the caller, lower-case hex. */
  readonly challenge: string;
  /** RFC 3339, the signer's own clock. */
  readonly time: string;
};

export type SignedCall = SignedHead & { readonly type: typeof PAYLOAD_TYPES.call };

export type SignedResult = SignedHead & {
  readonly type: typeof PAYLOAD_TYPES.result;
  readonly caller: string;
  readonly status: 'answered' | 'refused';
  /** SHA-256 over RFC 8785 JSON of the result without `_meta`, or of the error without the envelope. */
  readonly resultSha256: string;
};
