// An admin's signing key, for as long as this page is open (docs/decisions/0075-consent-in-the-browser.md). The browser reads the two files that
// the admin chooses and holds the key as one that can sign and cannot be read out again. It is written nowhere, and sent to no one: a decision
// leaves the page, the key does not.
import { readOperatorCertificate } from './certificate.js';
import { signDecisionPortable } from './sign/portable/decision.js';

const MOST_FILE_BYTES = 65_536;
const PKCS8 = 'PRIVATE KEY';

/** From `chain.pem` and `signing-key.pem` of an identity, in any order. Throws an Error that says which is missing or wrong. */
export async function loadAdminKey(files) {
  const texts = await Promise.all([...files].map(readText));
  const chain = texts.flatMap((text) => blocksOf(text, 'CERTIFICATE'));
  const keys = texts.flatMap((text) => blocksOf(text, PKCS8));
  if (chain.length === 0) throw new Error('Choose chain.pem as well: it says whose key this is.');
  if (keys.length === 0) throw new Error('Choose signing-key.pem as well: it is the key that signs.');
  const { name, domain, signingKey } = readOperatorCertificate(bytesOf(chain[0]));
  const held = await importKey(keys);
  const sign = async (message) => new Uint8Array(await crypto.subtle.sign('Ed25519', held, message));
  return { name, domain, signer: { name, chain, publicKeyRaw: signingKey, sign } };
}

/** Signs exactly this consent. Throws an Error where it would be another one, or where the key is not the certificate's. */
export async function signConsent({ signer }, decision, consent) {
  const signed = await signDecisionPortable(signer, { decision, consent, time: new Date().toISOString() });
  if (!signed.ok) throw new Error(`Nothing was signed: ${signed.reason}.`);
  return signed.value;
}

/** The files of an identity hold two keys; the other one, of TLS, is refused by its kind. */
async function importKey(keys) {
  let last;
  for (const key of keys) {
    const der = bytesOf(key);
    try {
      return await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
    } catch (error) {
      last = error;
    } finally {
      der.fill(0);
    }
  }
  if (last?.name === 'NotSupportedError')
    throw new Error('This browser cannot sign with Ed25519 keys. Use “parley approve” on your own computer.');
  throw new Error('Choose signing-key.pem: that file holds another kind of key.');
}

async function readText(file) {
  if (file.size > MOST_FILE_BYTES) throw new Error(`${file.name} is too large for a key or a certificate.`);
  return file.text();
}

function blocksOf(text, label) {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`, 'g');
  return [...text.matchAll(block)].map(([, body]) => body.replace(/\s/g, ''));
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
