// A decision about a consent as it is signed and verified (TS-28): over the whole consent object, so that what was shown is what was
// decided, with the time and the signer's chain. Refuses everything that is not exactly that.
import { type Clock, isoTime } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { isJsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { type ConsentObject, DECISIONS, type Decision } from '#model/consent.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { Signer } from '#model/ports.ts';
import { canonicalSha256, sha256Hex } from './digest.ts';
import { openEnvelope } from './envelope.ts';
import { decisionPayload, ID_DIGEST_CHARS, ID_NONCE_CHARS } from './portable/decision.ts';

export type SignedDecision = { readonly envelope: SignedEnvelope; readonly chain: CertificateChain };

export function signDecision(init: {
  readonly signer: Signer;
  readonly chain: CertificateChain;
  readonly decision: Decision;
  /** As the node showed it, byte for byte what is signed. */
  readonly consent: JsonObject;
  readonly nowMs: number;
}): SignedDecision {
  const { signer, chain, decision, consent } = init;
  const payload = decisionPayload({
    signer: signer.node,
    keyId: signer.keyId,
    decision,
    consent,
    chainSha256: canonicalSha256(chain as unknown as JsonValue),
    time: isoTime(init.nowMs),
  });
  const envelope = signer.seal(PAYLOAD_TYPES.consent, payload);
  return { envelope, chain };
}

/** `signedMs`: wall clock of the signer. */
export type VerifiedDecision = { readonly decision: Decision; readonly consent: JsonObject; readonly signedMs: number };

/** `party` is whom the chain named when it was verified. */
export function verifyDecision(
  signed: { readonly envelope: unknown; readonly chain: CertificateChain },
  party: Party,
  clock: Pick<Clock, 'nowMs'>,
): Result<VerifiedDecision> {
  if (party.signingKey === undefined) return bad('expected a certificate with a signing key, got one without');
  const opened = openEnvelope(signed.envelope, Buffer.from(party.signingKey, 'hex'), PAYLOAD_TYPES.consent);
  if (!opened.ok) return opened;
  const { type, signer, decision, consent, chainSha256, time } = opened.value;
  if (type !== PAYLOAD_TYPES.consent) return bad('expected a consent, got another payload');
  if (signer !== party.name) return bad('expected the signer that the certificate names, got another');
  if (chainSha256 !== canonicalSha256(signed.chain as unknown as JsonValue))
    return bad('expected the chain that was signed, got another');
  const known = DECISIONS.find((each) => each === decision);
  if (known === undefined || consent === undefined || !isJsonObject(consent))
    return bad('expected a decision about a consent, got something else');
  const signedMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (!(Math.abs(clock.nowMs() - signedMs) <= LIMITS.consentMs + LIMITS.consentSkewMs))
    return bad('expected a decision of these minutes, its time is another');
  return ok({ decision: known, consent, signedMs });
}

/** SHA-256 of the exact content of a change, also where the summary is redacted; `tag` stands for its secrets. */
export function changesSha256(tag: string | undefined, summary: string): string {
  return sha256Hex(Buffer.from(`${tag ?? ''}\n${summary}`));
}

/** `nonce`: 16 hex digits of random. The rest of the id is of the content, so that under one id there is one consent only. */
export function consentIdOver(nonce: string, consent: Omit<ConsentObject, 'id'>): string {
  return nonce + canonicalSha256({ ...consent, nonce } as unknown as JsonValue).slice(0, ID_DIGEST_CHARS);
}

/** Whether the id is that of the content: an agent cannot show one change under an id, and another one later. */
export function hasOwnId({ id, ...consent }: JsonObject): boolean {
  if (typeof id !== 'string' || id.length !== ID_NONCE_CHARS + ID_DIGEST_CHARS) return false;
  return id === consentIdOver(id.slice(0, ID_NONCE_CHARS), consent as unknown as Omit<ConsentObject, 'id'>);
}

/** True when what was signed is this very consent. */
export function isSameConsent(one: JsonObject, other: ConsentObject): boolean {
  return canonicalJsonText(one) === canonicalJsonText(other as unknown as JsonObject);
}
