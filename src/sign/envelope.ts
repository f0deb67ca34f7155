// Seals a value into a signed envelope and opens one: the payload's bytes are carried verbatim, verified, then parsed.
// Refuses another payload type, base64 or JSON that is not canonical, and every member that is not covered.
import type { KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64, encodeBase64 } from '#codec/base64.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { PAYLOAD_TYPES, type PayloadType, type SignedEnvelope } from '#model/envelope.ts';
import { signNative, verifyNative } from './native.ts';
import { verifyPortable } from './portable/ed25519.ts';
import { preAuthEncoding } from './portable/pae.ts';

const TYPES: readonly string[] = Object.values(PAYLOAD_TYPES);
const MEMBERS: readonly string[] = ['payload', 'payloadType', 'signature'];

/** `key` is an Ed25519 private key. Throws ParleyError `us/not-canonical` when `value` has no canonical form. */
export function sealEnvelope(key: KeyObject, payloadType: PayloadType, value: JsonObject): SignedEnvelope {
  const payload = Buffer.from(canonicalJsonText(value));
  const signature = signNative(key, preAuthEncoding(payloadType, payload));
  return { payloadType, payload: payload.toString('base64'), signature: encodeBase64(signature) };
}

/** The payload, when the envelope is of `expectedType`, its signature stands under `publicKeyRaw`, and its bytes are canonical. */
export function openEnvelope(
  envelope: unknown,
  publicKeyRaw: Uint8Array,
  expectedType: PayloadType,
): Result<JsonObject> {
  const parts = readParts(envelope, expectedType);
  if (!parts.ok) return parts;
  const { payload, signature, signed } = parts.value;
  if (!verifyNative(signature, signed, publicKeyRaw)) return bad('expected a valid signature, got an invalid one');
  return parsePayload(payload);
}

/** The same with the portable implementation: the second opinion, and the only one where there is no OpenSSL. */
export async function openEnvelopePortable(
  envelope: unknown,
  publicKeyRaw: Uint8Array,
  expectedType: PayloadType,
): Promise<Result<JsonObject>> {
  const parts = readParts(envelope, expectedType);
  if (!parts.ok) return parts;
  const { payload, signature, signed } = parts.value;
  if (!(await verifyPortable(signature, signed, publicKeyRaw)))
    return bad('expected a valid signature, got an invalid one');
  return parsePayload(payload);
}

/** Checks the shape of an envelope that came with a message; nothing is verified. */
export function parseEnvelope(value: unknown): Result<SignedEnvelope> {
  if (!isJsonObject(value)) return bad('expected an envelope, got another type');
  const { payloadType, payload, signature } = value;
  // Members beside the three are not covered by the signature: no reader may come to rely on one.
  if (!Object.keys(value).every((name) => MEMBERS.includes(name)))
    return bad('expected no other members in an envelope');
  if (typeof payload !== 'string' || typeof signature !== 'string')
    return bad('expected payload and signature as strings');
  if (typeof payloadType !== 'string' || !TYPES.includes(payloadType))
    return bad('expected a known payload type, got another');
  return ok({ payloadType: payloadType as PayloadType, payload, signature });
}

type Parts = { readonly payload: Uint8Array; readonly signature: Uint8Array; readonly signed: Uint8Array };

function readParts(value: unknown, expectedType: PayloadType): Result<Parts> {
  const envelope = parseEnvelope(value);
  if (!envelope.ok) return envelope;
  const { payloadType } = envelope.value;
  if (payloadType !== expectedType) return bad(`expected ${expectedType}, got ${payloadType}`);
  const payload = decodeBase64(envelope.value.payload);
  if (!payload.ok) return bad(`payload: ${payload.reason}`);
  const signature = decodeBase64(envelope.value.signature);
  if (!signature.ok) return bad(`signature: ${signature.reason}`);
  return ok({
    payload: payload.value,
    signature: signature.value,
    signed: preAuthEncoding(payloadType, payload.value),
  });
}

/** Parses exactly the bytes that were verified. */
function parsePayload(payload: Uint8Array): Result<JsonObject> {
  const value = decodeStrictJson(payload);
  if (!value.ok) return value;
  if (!isJsonObject(value.value)) return bad('expected a JSON object as payload, got another type', 0);
  // A signer that writes the same value in two ways could hide one report behind another's digest.
  if (Buffer.compare(payload, Buffer.from(canonicalJsonText(value.value))) !== 0)
    return bad('expected RFC 8785 JSON as payload, got another spelling');
  return ok(value.value);
}
