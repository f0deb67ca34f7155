// A decision about a consent, signed without `node:` (TS-28): octet for octet what `parley approve` signs. The caller brings the function
// that signs, so that a private key need not be readable here. Never signs a consent whose id is not that of its content.

import type { JsonObject, JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { canonicalJsonText, encodeCanonicalJson } from '#codec/canonical-json.ts';
import type { Decision } from '#model/consent.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import { verifyPortable } from './ed25519.ts';
import { preAuthEncoding } from './pae.ts';

export const ID_NONCE_CHARS = 16;
export const ID_DIGEST_CHARS = 40;
const KEY_ID_CHARS = 32;

/** What is signed, but for the envelope around it. `time`: RFC 3339, the signer's own clock. */
export function decisionPayload(init: {
  readonly signer: string;
  readonly keyId: string;
  readonly decision: Decision;
  readonly consent: JsonObject;
  readonly chainSha256: string;
  readonly time: string;
}): JsonObject {
  return { type: PAYLOAD_TYPES.consent, ...init };
}

export type PortableSigner = {
  /** Name in the certificate. */
  readonly name: string;
  /** Base64 of DER, the signer's own first. */
  readonly chain: readonly string[];
  /** Ed25519 public key that the certificate binds, 32 bytes. */
  readonly publicKeyRaw: Uint8Array;
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
};

/** Refuses a consent under another's id, and a key that is not the certificate's. */
export async function signDecisionPortable(
  { name, chain, publicKeyRaw, sign }: PortableSigner,
  { decision, consent, time }: { readonly decision: Decision; readonly consent: JsonObject; readonly time: string },
): Promise<Result<{ readonly envelope: SignedEnvelope; readonly chain: readonly string[] }>> {
  if (!(await hasOwnIdPortable(consent))) return bad('expected a consent whose id is that of its content, got another');
  const payload = encodeCanonicalJson(
    decisionPayload({
      signer: name,
      keyId: (await sha256(publicKeyRaw)).slice(0, KEY_ID_CHARS),
      decision,
      consent,
      chainSha256: await sha256(encodeCanonicalJson(chain as unknown as JsonValue)),
      time,
    }),
  );
  const message = preAuthEncoding(PAYLOAD_TYPES.consent, payload);
  const signature = await sign(message);
  if (!(await verifyPortable(signature, message, publicKeyRaw)))
    return bad('expected the signing key of this certificate, got another key');
  const envelope = {
    payloadType: PAYLOAD_TYPES.consent,
    payload: base64Of(payload),
    signature: base64Of(signature),
  };
  return ok({ envelope, chain });
}

/** As `hasOwnId` of `src/sign/decision.ts`. */
export async function hasOwnIdPortable({ id, ...consent }: JsonObject): Promise<boolean> {
  if (typeof id !== 'string' || id.length !== ID_NONCE_CHARS + ID_DIGEST_CHARS) return false;
  const nonce = id.slice(0, ID_NONCE_CHARS);
  const digest = await sha256(new TextEncoder().encode(canonicalJsonText({ ...consent, nonce })));
  return id === nonce + digest.slice(0, ID_DIGEST_CHARS);
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
