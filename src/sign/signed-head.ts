// Reads the payload of a signed call or result into its type. Refuses missing, additional and misshapen members.
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { PAYLOAD_TYPES, type SignedCall, type SignedHead, type SignedResult } from '#model/envelope.ts';
import { SIGN_LIMITS } from './limits.ts';

type Shape<T> = { readonly [Name in keyof T]: (text: string) => boolean };

/** `<counter>-<8 random bytes>`; at most 15 digits, so that counters and nonces are exact numbers. */
export const BOOT = /^([1-9][0-9]{0,14})-[0-9a-f]{16}$/;
export const NONCE = /^[1-9][0-9]{0,14}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isName = (text: string) => text.length >= 1 && text.length <= SIGN_LIMITS.signedNameChars;
const isSha256 = (text: string) => /^[0-9a-f]{64}$/.test(text);
const is16Bytes = (text: string) => /^[0-9a-f]{32}$/.test(text);

const HEAD: Shape<SignedHead> = {
  signer: isName,
  keyId: is16Bytes,
  boot: (text) => BOOT.test(text),
  nonce: (text) => NONCE.test(text),
  session: isName,
  method: isName,
  requestSha256: isSha256,
  challenge: is16Bytes,
  time: (text) => TIME.test(text) && !Number.isNaN(Date.parse(text)),
};
const CALL: Shape<SignedCall> = { ...HEAD, type: (text) => text === PAYLOAD_TYPES.call };
const RESULT: Shape<SignedResult> = {
  ...HEAD,
  type: (text) => text === PAYLOAD_TYPES.result,
  caller: isName,
  status: (text) => text === 'answered' || text === 'refused',
  resultSha256: isSha256,
};

export function readSignedCall(payload: JsonObject): Result<SignedCall> {
  return readShape(payload, CALL);
}

export function readSignedResult(payload: JsonObject): Result<SignedResult> {
  return readShape(payload, RESULT);
}

function readShape<T>(payload: JsonObject, shape: Shape<T>): Result<T> {
  const checks = Object.entries<(text: string) => boolean>(shape);
  for (const [name, check] of checks) {
    const value = payload[name];
    if (typeof value !== 'string' || !check(value)) return bad(`expected a well-formed ${name}, got another`);
  }
  if (Object.keys(payload).length !== checks.length) return bad('expected only the members of this type, got more');
  return ok(payload as T);
}
