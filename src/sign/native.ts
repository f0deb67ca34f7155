// Ed25519 on the hot path with node:crypto (docs/decisions/0002-one-ed25519-rule.md). Public keys are checked once and stay
// imported. Refuses what the rule refuses and OpenSSL alone would not: bad keys, and R as the neutral element.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { SIGN_LIMITS } from './limits.ts';
import { isNeutral, SIGNATURE_BYTES } from './portable/ed25519.ts';
import { checkPortableKey } from './portable/public-key.ts';

/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Raw key as Latin-1 → imported key; oldest first. A refused key is not kept: it costs its sender a session each time. */
const imported = new Map<string, KeyObject>();

/** 64 bytes. `privateKey` is an Ed25519 key. */
export function signNative(privateKey: KeyObject, message: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, privateKey));
}

/** True when the signature stands under the rule. Never throws on bad input. About 0.1 ms with a known key. */
export function verifyNative(signature: Uint8Array, message: Uint8Array, publicKeyRaw: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || isNeutral(signature)) return false;
  const key = importPublicKey(publicKeyRaw);
  return key !== undefined && verify(null, message, key, signature);
}

/** Undefined when the rule refuses the key. */
function importPublicKey(raw: Uint8Array): KeyObject | undefined {
  const name = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  const known = imported.get(name);
  if (known !== undefined) return known;
  if (!checkPortableKey(raw).ok) return undefined;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
  if (imported.size >= SIGN_LIMITS.publicKeyCache) imported.delete(imported.keys().next().value!);
  imported.set(name, key);
  return key;
}
