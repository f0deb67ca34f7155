// Countersignatures over a report's digest: participants, and the controller's receipt (docs/design.md §8). A creator whose
// old key was stolen cannot make them, so they are what a report's date can be held to.
import { isoTime } from '#base/clock.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeHex } from '#codec/hex.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { Signer } from '#model/ports.ts';
import type { Countersignature, SealedReport } from '#model/report.ts';
import { canonicalSha256, sha256Hex } from '#sign/digest.ts';
import { openEnvelope } from '#sign/envelope.ts';
import type { AcceptedSignature } from './second-opinion.ts';

/** Verifies a chain at a moment and says whose it is (mtls/verify-chain.ts with the CA at hand). */
export type ChainVerifier = (chain: CertificateChain, atMs: number) => Result<Party>;

/** SHA-256 of the signed payload: what a countersignature names. Undefined when the payload is not base64. */
export function reportDigest(sealed: SealedReport): string | undefined {
  const payload = decodeBase64(sealed.report.payload);
  return payload.ok ? sha256Hex(payload.value) : undefined;
}

export function makeCountersignature(init: {
  readonly signer: Signer;
  readonly role: Countersignature['role'];
  readonly chain: CertificateChain;
  readonly reportSha256: string;
  readonly nowMs: number;
}): Countersignature {
  const { signer, role, chain, reportSha256 } = init;
  const envelope = signer.seal(PAYLOAD_TYPES.countersignature, {
    type: PAYLOAD_TYPES.countersignature,
    signer: signer.node,
    keyId: signer.keyId,
    role,
    reportSha256,
    // The chain travels beside the envelope: bound here, so that no byte of it can change unnoticed.
    chainSha256: canonicalSha256(chain),
    time: isoTime(init.nowMs),
  });
  return { by: signer.node, role, envelope, chain };
}

/** The time that the countersigner claims, in milliseconds, when all else fits. `reportSha256` from `reportDigest`. */
export function verifyCountersignature(
  countersignature: Countersignature,
  reportSha256: string | undefined,
  verifyChain: ChainVerifier,
): Result<{ readonly timeMs: number; readonly signature: AcceptedSignature }> {
  const { by, role, chain, envelope } = countersignature;
  const timeMs = claimedTime(envelope.payload);
  if (timeMs === undefined) return bad('expected a time in the payload');
  const party = verifyChain(chain, timeMs);
  if (!party.ok) return bad(`chain: ${party.reason}`);
  if (party.value.name !== by || party.value.kind !== (role === 'controller' ? 'controller' : 'node')) {
    return bad(`expected the certificate of ${role} ${by}, got that of ${party.value.kind} ${party.value.name}`);
  }
  const key = boundKeyOf(party.value);
  if (!key.ok) return key;
  const opened = openEnvelope(envelope, key.value, PAYLOAD_TYPES.countersignature);
  if (!opened.ok) return opened;
  const payload = opened.value;
  if (payload['type'] !== PAYLOAD_TYPES.countersignature || payload['signer'] !== by || payload['role'] !== role) {
    return bad('the signed payload names another signer or role');
  }
  if (reportSha256 === undefined || payload['reportSha256'] !== reportSha256)
    return bad('the signed payload names another report');
  if (payload['chainSha256'] !== canonicalSha256(chain)) return bad('the signed payload names another chain');
  const part = `countersignature ${by}`;
  const signature = { part, envelope, publicKey: key.value, type: PAYLOAD_TYPES.countersignature };
  return ok({ timeMs, signature });
}

/** The raw Ed25519 key that a party's certificate binds. */
export function boundKeyOf(party: Party): Result<Uint8Array> {
  return party.signingKey === undefined ? bad('the certificate binds no signing key') : decodeHex(party.signingKey, 32);
}

/** Read before the signature is verified, to know at which moment the chain has to be valid; believed only afterwards. */
function claimedTime(payload: string): number | undefined {
  try {
    const timeMs = Date.parse(JSON.parse(Buffer.from(payload, 'base64').toString('utf8')).time);
    return Number.isFinite(timeMs) ? timeMs : undefined;
  } catch {
    return undefined;
  }
}
