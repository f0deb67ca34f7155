// A text that only the holder of one P-256 key can read: a compact JWE (RFC 7516) with ECDH-ES and A256GCM (RFC 7518 §4.6, §5.3), which
// any JOSE program opens too. It proves nothing about who sealed it. Refuses every other algorithm, curve and form.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';

const ENC = 'A256GCM';
const KEY_BITS = 256;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PARTS = 5;

/** Base64 of the SubjectPublicKeyInfo of the key's public half; bad unless it is a P-256 key. PEM, private or public, or a certificate. */
export function recipientOf(pem: string): Result<string> {
  try {
    const key = createPublicKey(pem);
    if (!isP256(key)) return bad('expected a P-256 key, got another');
    return ok(key.export({ format: 'der', type: 'spki' }).toString('base64'));
  } catch {
    return bad('expected a P-256 key in PEM, got something else');
  }
}

/** SHA-256 of the SubjectPublicKeyInfo, lower-case hex: how people compare recipients. */
export function recipientId(recipient: string): string {
  return createHash('sha256').update(Buffer.from(recipient, 'base64')).digest('hex');
}

/** `recipient` as `recipientOf` spells it. */
export function sealText(recipient: string, text: string): Result<string> {
  const theirs = publicKeyOf(recipient);
  if (!theirs.ok) return theirs;
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = base64url(
    JSON.stringify({ alg: 'ECDH-ES', enc: ENC, epk: publicJwk(own.publicKey), kid: recipientId(recipient) }),
  );
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', contentKey(own.privateKey, theirs.value), iv);
  cipher.setAAD(Buffer.from(header));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return ok([header, '', base64url(iv), base64url(sealed), base64url(cipher.getAuthTag())].join('.'));
}

/** `keyPem`: the recipient's private key. */
export function openText(sealed: string, keyPem: string): Result<string> {
  const parts = sealed.trim().split('.');
  const [header = '', wrapped, iv = '', body = '', tag = ''] = parts;
  if (parts.length !== PARTS || wrapped !== '') return bad('expected a sealed text, got something else');
  const read = decodeStrictJson(Buffer.from(header, 'base64url'));
  if (!read.ok || !isJsonObject(read.value)) return bad('expected a sealed text, its header cannot be read');
  const { alg, enc, epk, kid } = read.value;
  if (alg !== 'ECDH-ES' || enc !== ENC || !isJsonObject(epk)) return bad('expected ECDH-ES and A256GCM, got another');
  try {
    const key = createPrivateKey(keyPem);
    const own = recipientOf(keyPem);
    if (!own.ok) return own;
    if (kid !== recipientId(own.value)) return bad(`expected the key ${String(kid)}, got ${recipientId(own.value)}`);
    const theirs = createPublicKey({ key: epk as JsonWebKeyLike, format: 'jwk' });
    if (!isP256(theirs)) return bad('expected a P-256 key in the header, got another');
    const decipher = createDecipheriv('aes-256-gcm', contentKey(key, theirs), Buffer.from(iv, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(header));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return ok(Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8'));
  } catch {
    return bad('expected a text sealed to this key, it is another one or was changed');
  }
}

type JsonWebKeyLike = JsonObject & { readonly kty?: string };

/** Concat KDF (RFC 7518 §4.6.2) for one block: the content key itself, so its algorithm is `enc`. */
function contentKey(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const secret = diffieHellman({ privateKey, publicKey });
  const algorithm = Buffer.from(ENC);
  return createHash('sha256')
    .update(
      Buffer.concat([uint32(1), secret, uint32(algorithm.length), algorithm, uint32(0), uint32(0), uint32(KEY_BITS)]),
    )
    .digest();
}

function publicKeyOf(recipient: string): Result<KeyObject> {
  try {
    const key = createPublicKey({ key: Buffer.from(recipient, 'base64'), format: 'der', type: 'spki' });
    return isP256(key) ? ok(key) : bad('expected a P-256 key, got another');
  } catch {
    return bad('expected a P-256 key, got something else');
  }
}

function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

function publicJwk(key: KeyObject) {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  return { kty, crv, x, y };
}

function base64url(value: string | Buffer): string {
  return Buffer.from(value as string).toString('base64url');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
