// Signed calls and results [TS-16]: seals them, and checks every field of what a peer sealed against what was asked.
// Refuses an answer to another request, challenge, session, caller or signer, and a body that is not the signed one.
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { CallContent } from '#model/call.ts';
import {
  PAYLOAD_TYPES,
  type SignedCall,
  type SignedEnvelope,
  type SignedHead,
  type SignedResult,
} from '#model/envelope.ts';
import type { NonceSource, Signer } from '#model/ports.ts';
import { canonicalSha256, requestSha256Of } from './digest.ts';
import { openEnvelope, parseEnvelope } from './envelope.ts';
import type { NonceWindow } from './nonce-window.ts';
import { readSignedCall, readSignedResult } from './signed-head.ts';
import { keyIdOf } from './signer.ts';

export type CallToSeal = {
  /** Collaboration domain id. */
  readonly session: string;
  readonly content: CallContent;
  /** 16 random bytes, lower-case hex. */
  readonly challenge: string;
  /** Digest of `content`, where it is known already: `content.params` is not looked at then. */
  readonly requestSha256?: string;
};

export type ResultToSeal = {
  /** The verified call that is answered; for an unsigned one the caller fills the four fields. */
  readonly call: Pick<SignedHead, 'session' | 'method' | 'requestSha256' | 'challenge'>;
  readonly caller: string;
  readonly status: 'answered' | 'refused';
  /** The result without `_meta`, or the error without its envelope. */
  readonly body: JsonValue;
  /** SHA-256 of the body's RFC 8785 JSON, where it is known already: `body` is not looked at then. */
  readonly bodySha256?: string;
};

export function sealCall(signer: Signer, nonces: NonceSource, clock: Clock, call: CallToSeal): SignedEnvelope {
  const { session, content, challenge } = call;
  const requestSha256 = call.requestSha256 ?? requestSha256Of(content);
  const head = { session, method: content.method, requestSha256, challenge };
  return signer.seal(PAYLOAD_TYPES.call, { type: PAYLOAD_TYPES.call, ...headOf(signer, nonces, clock), ...head });
}

export function sealResult(signer: Signer, nonces: NonceSource, clock: Clock, result: ResultToSeal): SignedEnvelope {
  const { session, method, requestSha256, challenge } = result.call;
  return signer.seal(PAYLOAD_TYPES.result, {
    type: PAYLOAD_TYPES.result,
    ...headOf(signer, nonces, clock),
    caller: result.caller,
    session,
    method,
    requestSha256,
    challenge,
    status: result.status,
    resultSha256: result.bodySha256 ?? canonicalSha256(result.body),
  });
}

export type CallExpectation = {
  /** Name that the session's certificate proved. */
  readonly expectedSigner: string;
  /** When given, the only session id that is accepted. */
  readonly session?: string;
  /** When given, each (signer, boot, nonce) is accepted once; leave out to verify a kept call again. */
  readonly window?: NonceWindow;
};

/** `content` is what arrived beside the envelope. */
export function verifyCall(
  envelope: unknown,
  content: CallContent,
  publicKeyRaw: Uint8Array,
  expected: CallExpectation,
): Result<SignedCall> {
  const payload = openEnvelope(envelope, publicKeyRaw, PAYLOAD_TYPES.call);
  if (!payload.ok) return payload;
  const call = readSignedCall(payload.value);
  if (!call.ok) return call;
  const head = call.value;
  const fault =
    unexpected('signer', head.signer, expected.expectedSigner) ??
    unexpected('keyId', head.keyId, keyIdOf(publicKeyRaw)) ??
    (expected.session === undefined ? undefined : unexpected('session', head.session, expected.session)) ??
    unexpected('method', head.method, content.method) ??
    unexpected(
      'requestSha256',
      head.requestSha256,
      digest(() => requestSha256Of(content)),
    );
  if (fault !== undefined) return bad(fault);
  const admitted = expected.window?.admit(head.signer, head.boot, head.nonce);
  return admitted?.ok === false ? admitted : call;
}

/** What a call that may not hold says of itself: only to answer it, so that its sender can tell whose refusal it is. */
export function claimedCall(envelope: unknown): SignedCall | undefined {
  const parsed = parseEnvelope(envelope);
  const payload = parsed.ok ? decodeBase64(parsed.value.payload) : parsed;
  const value = payload.ok ? decodeStrictJson(payload.value) : payload;
  if (!value.ok || !isJsonObject(value.value)) return undefined;
  const call = readSignedCall(value.value);
  return call.ok ? call.value : undefined;
}

export type ResultToVerify = {
  readonly envelope: unknown;
  readonly status: 'answered' | 'refused';
  readonly body: JsonValue;
  /** The request as it was sent. */
  readonly content: CallContent;
  readonly challenge: string;
  readonly session: string;
  /** Raw Ed25519 key that the callee's certificate binds, 32 bytes. */
  readonly signerKey: Uint8Array;
  /** The callee's name from its certificate. */
  readonly expectedSigner: string;
  /** Our own name. */
  readonly caller: string;
  /** As in CallExpectation. */
  readonly window?: NonceWindow;
};

export function verifyResult(answer: ResultToVerify): Result<SignedResult> {
  const payload = openEnvelope(answer.envelope, answer.signerKey, PAYLOAD_TYPES.result);
  if (!payload.ok) return payload;
  const result = readSignedResult(payload.value);
  if (!result.ok) return result;
  const head = result.value;
  const fault =
    unexpected('signer', head.signer, answer.expectedSigner) ??
    unexpected('keyId', head.keyId, keyIdOf(answer.signerKey)) ??
    unexpected('caller', head.caller, answer.caller) ??
    unexpected('session', head.session, answer.session) ??
    unexpected('method', head.method, answer.content.method) ??
    // Freshness: only this caller knew these 16 bytes before the call was sent.
    unexpected('challenge', head.challenge, answer.challenge) ??
    unexpected(
      'requestSha256',
      head.requestSha256,
      digest(() => requestSha256Of(answer.content)),
    ) ??
    unexpected('status', head.status, answer.status) ??
    unexpected(
      'resultSha256',
      head.resultSha256,
      digest(() => canonicalSha256(answer.body)),
    );
  if (fault !== undefined) return bad(fault);
  const admitted = answer.window?.admit(head.signer, head.boot, head.nonce);
  return admitted?.ok === false ? admitted : result;
}

function headOf(signer: Signer, nonces: NonceSource, clock: Clock): JsonObject {
  return {
    signer: signer.node,
    keyId: signer.keyId,
    boot: nonces.boot,
    nonce: nonces.next(),
    time: isoTime(clock.nowMs()),
  };
}

/** Says which field is wrong and never its value: values come from a peer and go to logs. */
function unexpected(field: string, got: string, expected: string | undefined): string | undefined {
  return got === expected ? undefined : `expected the ${field} of this exchange, got another`;
}

/** Undefined, which equals no field, when content that came past the strict decoder has no canonical form. */
function digest(compute: () => string): string | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'us/not-canonical') return undefined;
    throw error;
  }
}
