// Ed25519 verification without `node:` (docs/decisions/0002-one-ed25519-rule.md): for the console, the standalone verifier and
// the second opinion. Uses only the library's point arithmetic; its own verify() is cofactored and would accept more.
import { Point } from '@noble/ed25519';
import { checkPortableKey } from './public-key.ts';

export const SIGNATURE_BYTES = 64;
const POINT_BYTES = 32;
const ORDER = Point.CURVE().n;

/** True when the signature stands under the rule. Never rejects on bad input. */
export async function verifyPortable(
  signature: Uint8Array,
  message: Uint8Array,
  publicKeyRaw: Uint8Array,
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES || !checkPortableKey(publicKeyRaw).ok) return false;
  const r = signature.slice(0, POINT_BYTES);
  const s = littleEndian(signature.subarray(POINT_BYTES));
  // S and S + L sign the same message: RFC 8032 §5.1.7 allows only the smaller one.
  if (s >= ORDER || isNeutral(r)) return false;
  const hashed = new Uint8Array(POINT_BYTES * 2 + message.length);
  hashed.set(r);
  hashed.set(publicKeyRaw, POINT_BYTES);
  hashed.set(message, POINT_BYTES * 2);
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-512', hashed));
  const k = littleEndian(digest) % ORDER;
  // Cofactorless, and compared as bytes: [S]B − [k]A has one encoding, so R is canonical and free of torsion.
  const expected = Point.BASE.multiply(s, false)
    .subtract(Point.fromBytes(publicKeyRaw, false).multiply(k, false))
    .toBytes();
  return expected.every((byte, index) => byte === r[index]);
}

/** The encoding of the neutral element: a signer without a random part, which gives its key away. */
export function isNeutral(point: Uint8Array): boolean {
  return point[0] === 1 && point.subarray(1, POINT_BYTES).every((byte) => byte === 0);
}

function littleEndian(bytes: Uint8Array): bigint {
  let hex = '';
  for (const byte of bytes) hex = byte.toString(16).padStart(2, '0') + hex;
  return BigInt(`0x${hex}`);
}
