// The check of public keys at enrolment (docs/decisions/0002-one-ed25519-rule.md). The rule itself is portable code.
import type { Result } from '#base/result.ts';
import { checkPortableKey } from './portable/public-key.ts';

/** Refuses keys that are not canonical, of small order, or with a torsion part. `raw`: 32 bytes. About 5 ms. */
export function checkPublicKey(raw: Uint8Array): Result<void> {
  return checkPortableKey(raw);
}
