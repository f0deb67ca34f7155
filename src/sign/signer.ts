// The node's signing key and the Signer made of it. Private keys leave this file only as PKCS #8 PEM for the key file.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ParleyError } from '#base/error.ts';
import type { Signer } from '#model/ports.ts';
import { sealEnvelope } from './envelope.ts';
import { PUBLIC_KEY_BYTES } from './portable/public-key.ts';

export type SigningKey = {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKeyRaw: Uint8Array;
};

const KEY_ID_BYTES = 16;

export function createSigner(init: { readonly node: string; readonly privateKey: KeyObject }): Signer {
  const keyId = keyIdOf(rawPublicKeyOf(init.privateKey));
  return { node: init.node, keyId, seal: (payloadType, value) => sealEnvelope(init.privateKey, payloadType, value) };
}

/** SHA-256 of the raw public key, first 16 bytes, lower-case hex. A hint for finding the key, never an identity. */
export function keyIdOf(publicKeyRaw: Uint8Array): string {
  return createHash('sha256')
    .update(publicKeyRaw)
    .digest('hex')
    .slice(0, KEY_ID_BYTES * 2);
}

export function generateSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** PKCS #8 PEM, not encrypted: the caller writes it with mode 0600. */
export function exportSigningKey(key: SigningKey): string {
  return key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
}

/** Throws ParleyError `us/signing-key` when `pem` is not an Ed25519 private key. */
export function importSigningKey(pem: string): SigningKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey({ key: pem, format: 'pem' });
  } catch (cause) {
    throw new ParleyError('us/signing-key', 'expected an Ed25519 private key in PKCS #8 PEM, got something else', {
      cause,
    });
  }
  return signingKeyOf(privateKey);
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new ParleyError('us/signing-key', `expected an Ed25519 private key, got ${privateKey.asymmetricKeyType}`);
  }
  return { privateKey, publicKeyRaw: rawPublicKeyOf(privateKey) };
}

/** The last 32 bytes of SubjectPublicKeyInfo (RFC 8410 §4). */
function rawPublicKeyOf(privateKey: KeyObject): Uint8Array {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return new Uint8Array(spki.subarray(spki.length - PUBLIC_KEY_BYTES));
}
