// Which Ed25519 public keys exist for Parley (docs/decisions/0002-one-ed25519-rule.md): canonical encodings of points of the
// prime-order subgroup, without the neutral element. Checked at enrolment and again by both verifiers.
import { Point } from '@noble/ed25519';
import { bad, ok, type Result } from '#base/result.ts';

export const PUBLIC_KEY_BYTES = 32;

/** About 5 ms: verifiers keep the answer. */
export function checkPortableKey(raw: Uint8Array): Result<void> {
  if (raw.length !== PUBLIC_KEY_BYTES)
    return bad(`expected a public key of ${PUBLIC_KEY_BYTES} bytes, got ${raw.length}`);
  const point = decodePoint(raw);
  if (point === undefined) return bad('expected the canonical encoding of a point, got another value');
  // A small-order key verifies one signature for every message.
  if (point.isSmallOrder()) return bad('expected a key of prime order, got one of small order');
  // With a torsion part, cofactored and cofactorless verifiers disagree about the same signature.
  if (!point.isTorsionFree()) return bad('expected a key of prime order, got one with a torsion part');
  return ok(undefined);
}

/** The point of a canonical encoding (RFC 8032 §5.1.3: y < p, and no negative zero for x). */
function decodePoint(raw: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(raw, false);
  } catch {
    return undefined;
  }
}
