// SPAKE2+ (RFC 9383), suite P256-SHA256-HKDF-SHA256-HMAC-SHA256: both sides prove that they know a code, and an eavesdropper or
// an impostor learns nothing to test guesses with offline. Names are the RFC's. Total towards a peer: a bad share is a value.
import { createHash, createHmac, hkdfSync, scrypt, timingSafeEqual } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import type { Random } from '#base/random.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { bytesOf } from '#codec/bytes.ts';

const { Point } = p256;
type Point = InstanceType<typeof Point>;

const ORDER = Point.Fn.ORDER;
/** RFC 9383 §4: points whose logarithms are not known to any party. */
const M = Point.fromHex('02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f');
const N = Point.fromHex('03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49');

/** An uncompressed point: `04`, x, y. */
export const SHARE_BYTES = 65;
export const CONFIRMATION_BYTES = 32;
const HASH_BYTES = 32;
const SCALAR_BYTES = 32;
/** RFC 9383 §3.2: 40 octets or more for each of w0s and w1s, so that the remainder is as good as uniform. */
const WIDE_SCALAR_BYTES = 48;
export const WIDE_SECRETS_BYTES = 2 * WIDE_SCALAR_BYTES;
/** RFC 9383 §4 recommends these of scrypt: 32 MiB, about 80 ms. */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1_024 * 1_024 };

/** Who takes part; both are part of what is proven. */
export type Ids = { readonly idProver: string; readonly idVerifier: string };

/** What the prover makes of the password. */
export type ProverSecrets = { readonly w0: bigint; readonly w1: bigint };

/** What the verifier keeps instead of the password: enough to check it, and not to show it. `w0` 32 octets, `L` 65. */
export type Verifier = { readonly w0: Uint8Array; readonly L: Uint8Array };

export type Confirmed = {
  readonly confirmP: Uint8Array;
  readonly confirmV: Uint8Array;
  /** K_shared, 32 octets. */
  readonly sharedKey: Uint8Array;
};

/** RFC 9383 §3.2, with scrypt as PBKDF and no salt but the identities. */
export async function deriveSecrets(password: Uint8Array, { idProver, idVerifier }: Ids): Promise<ProverSecrets> {
  const input = Buffer.concat([password, Buffer.from(idProver), Buffer.from(idVerifier)].flatMap(withLength));
  const wide = await new Promise<Buffer>((resolve, reject) => {
    scrypt(input, Buffer.alloc(0), WIDE_SECRETS_BYTES, SCRYPT, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
  return secretsFrom(wide);
}

/** Of octets that are uniform or look so, as a PBKDF or HKDF gives them. */
export function secretsFrom(wide: Uint8Array): ProverSecrets {
  return { w0: scalarOf(wide.subarray(0, WIDE_SCALAR_BYTES)), w1: scalarOf(wide.subarray(WIDE_SCALAR_BYTES)) };
}

/** RFC 9383 §3.2: L = w1·P. */
export function verifierOf({ w0, w1 }: ProverSecrets): Verifier {
  return { w0: encodeScalar(w0), L: Point.BASE.multiply(w1).toBytes(false) };
}

export type Run = Ids & { readonly context: Uint8Array };

export type Prover = {
  readonly shareP: Uint8Array;
  /** The prover sends `confirmP` only where `confirmV` is the one that came from the verifier. */
  finish(context: Uint8Array, shareV: Uint8Array): Result<Confirmed>;
};

export function startProver(ids: Ids, { w0, w1 }: ProverSecrets, random: Random): Prover {
  const x = randomScalar(random);
  const shareP = Point.BASE.multiply(x).add(M.multiply(w0)).toBytes(false);
  return {
    shareP,
    finish(context, shareV) {
      const theirs = decodeShare(shareV);
      if (!theirs.ok) return theirs;
      const masked = theirs.value.subtract(N.multiply(w0));
      if (masked.is0()) return bad('expected a share that hides a point, got one that hides none');
      const Z = masked.multiply(x);
      const V = masked.multiply(w1);
      return ok(schedule({ ...ids, context, shareP, shareV, Z, V, w0: encodeScalar(w0) }));
    },
  };
}

/** The verifier's one step: its share and both confirmations. It must show nothing more before `confirmP` has come. */
export function respond(
  run: Run,
  verifier: Verifier,
  shareP: Uint8Array,
  random: Random,
): Result<Confirmed & { readonly shareV: Uint8Array }> {
  const theirs = decodeShare(shareP);
  if (!theirs.ok) return theirs;
  const L = decodeShare(verifier.L);
  if (!L.ok) return L;
  const w0 = BigInt(`0x${Buffer.from(verifier.w0).toString('hex')}`);
  const y = randomScalar(random);
  const shareV = Point.BASE.multiply(y).add(N.multiply(w0)).toBytes(false);
  const masked = theirs.value.subtract(M.multiply(w0));
  if (masked.is0()) return bad('expected a share that hides a point, got one that hides none');
  const Z = masked.multiply(y);
  const V = L.value.multiply(y);
  return ok({ shareV, ...schedule({ ...run, shareP, shareV, Z, V, w0: verifier.w0 }) });
}

/** In constant time: an early end would tell how much of a guess was right. */
export function isConfirmation(shown: Uint8Array, expected: Uint8Array): boolean {
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}

type Transcript = Run & {
  readonly shareP: Uint8Array;
  readonly shareV: Uint8Array;
  readonly Z: Point;
  readonly V: Point;
  readonly w0: Uint8Array;
};

/** RFC 9383 §3.3 and §3.4. */
function schedule(transcript: Transcript): Confirmed {
  const main = createHash('sha256').update(encodeTranscript(transcript)).digest();
  const keys = expand(main, 'ConfirmationKeys', 2 * HASH_BYTES);
  return {
    confirmP: mac(keys.subarray(0, HASH_BYTES), transcript.shareV),
    confirmV: mac(keys.subarray(HASH_BYTES), transcript.shareP),
    sharedKey: expand(main, 'SharedKey', HASH_BYTES),
  };
}

/** RFC 9383 §3.3: each part behind its length as 8 octets, least significant first; points uncompressed. */
function encodeTranscript({ context, idProver, idVerifier, shareP, shareV, Z, V, w0 }: Transcript): Buffer {
  const parts = [
    ...[context, Buffer.from(idProver), Buffer.from(idVerifier)],
    ...[M.toBytes(false), N.toBytes(false), shareP, shareV, Z.toBytes(false), V.toBytes(false), w0],
  ];
  return Buffer.concat(parts.flatMap(withLength));
}

function withLength(part: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(part.length));
  return [length, part];
}

/** A point of the curve in the uncompressed form alone: an off-curve point would leak the scalar, another form has two encodings. */
function decodeShare(bytes: Uint8Array): Result<Point> {
  if (bytes.length !== SHARE_BYTES || bytes[0] !== 0x04) return bad('expected an uncompressed point of 65 octets');
  try {
    const point = Point.fromBytes(bytes);
    point.assertValidity();
    return ok(point);
  } catch {
    return bad('expected a point of P-256, got another');
  }
}

function randomScalar(random: Random): bigint {
  return scalarOf(random.bytes(WIDE_SCALAR_BYTES));
}

/** The remainder by the group's order; 0 (one of 2^256) would make the share empty. */
function scalarOf(wide: Uint8Array): bigint {
  const scalar = BigInt(`0x${Buffer.from(wide).toString('hex')}`) % ORDER;
  return scalar === 0n ? 1n : scalar;
}

function encodeScalar(scalar: bigint): Uint8Array {
  return bytesOf(Buffer.from(scalar.toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex'));
}

/** HKDF without salt (RFC 5869). */
function expand(key: Uint8Array, info: string, byteCount: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), info, byteCount));
}

function mac(key: Uint8Array, message: Uint8Array): Uint8Array {
  return bytesOf(createHmac('sha256', key).update(message).digest());
}
