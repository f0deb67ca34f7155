// A detached JSON Web Signature (RFC 7515 appendix F) with the node's Ed25519 key (RFC 8037) over RFC 8785 JSON, as A2A 1.0 §8.4 signs agent
// cards. What is signed begins with base64url and a dot, and so is never the bytes of an envelope, which begin with `DSSEv1`.
import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { signNative, verifyNative } from './native.ts';

export type DetachedJws = { readonly protected: string; readonly signature: string };

/** `privateKey` is an Ed25519 key; `header` becomes part of what is signed. */
export function sealDetached(privateKey: KeyObject, header: JsonObject, value: JsonObject): DetachedJws {
  const head = base64url(canonicalJsonText({ ...header, alg: 'EdDSA' }));
  const signature = signNative(privateKey, Buffer.from(signingInput(head, value)));
  return { protected: head, signature: Buffer.from(signature).toString('base64url') };
}

/** `value` without its signatures. */
export function verifyDetached(jws: DetachedJws, value: JsonObject, publicKeyRaw: Uint8Array): Result<undefined> {
  const signature = Buffer.from(jws.signature, 'base64url');
  const isValid = verifyNative(signature, Buffer.from(signingInput(jws.protected, value)), publicKeyRaw);
  return isValid ? ok(undefined) : bad('expected a valid signature, got an invalid one');
}

function signingInput(head: string, value: JsonObject): string {
  return `${head}.${base64url(canonicalJsonText(value))}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
