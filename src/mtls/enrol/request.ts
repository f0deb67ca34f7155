// What an enrolling node asks to be certified: its name, its two public keys, and the proof that it holds both private ones. It is
// one JSON text, the same over the network and as a file. Refuses a request that asks for any further name or right.
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64, encodeBase64 } from '#codec/base64.ts';
import { DER, decodeDer } from '#codec/der.ts';
import { EXTENSION_REQUEST_OID, readCertificationRequest } from '#codec/pkcs10.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { checkPublicKey } from '#sign/key-check.ts';
import { signNative, verifyNative } from '#sign/native.ts';
import type { SigningKey } from '#sign/signer.ts';
import { bits, derOf, integer, octets, oid, parsed, sequence, setOf, spkiOf, tagged, utf8 } from '../der-parts.ts';
import { ECDSA_WITH_SHA256_OID, SIGNING_KEY_OID } from '../oids.ts';
import { ENROL_LIMITS } from './limits.ts';
import { type RequestBody, requestSchema } from './messages.ts';

const COMMON_NAME_OID = '2.5.4.3';
/** Separates this signature of the Ed25519 key from all others that it ever makes. */
const PROOF_PREFIX = Buffer.from('parley-enrolment-signing-key-1\0');

export type RequestInit = {
  readonly kind: RequestBody['kind'];
  readonly name: string;
  readonly serial?: string;
  /** P-256. */
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly signingKey: SigningKey;
};

/** The text of the request. */
export function buildRequest(init: RequestInit): string {
  const csr = buildCsr(init);
  const body: RequestBody = {
    parley: 'enrolment-request',
    version: 1,
    kind: init.kind,
    name: init.name,
    ...(init.serial === undefined ? {} : { serial: init.serial }),
    csr: encodeBase64(csr),
    signingKeyProof: encodeBase64(signNative(init.signingKey.privateKey, proven(csr))),
  };
  return `${JSON.stringify(body)}\n`;
}

/** PKCS #10 (RFC 2986) with the common name and the signing key; the registrar adds every other name by itself. */
function buildCsr({ name, publicKey, privateKey, signingKey }: RequestInit): Uint8Array {
  const subject = sequence([setOf([sequence([oid(COMMON_NAME_OID), utf8(name)])])]);
  const extension = sequence([oid(SIGNING_KEY_OID), octets(derOf(octets(signingKey.publicKeyRaw)))]);
  const attribute = sequence([oid(EXTENSION_REQUEST_OID), setOf([sequence([extension])])]);
  const info = sequence([integer(0), subject, parsed(spkiOf(publicKey)), tagged(0, [attribute])]);
  const signature = sign('sha256', derOf(info), privateKey);
  return derOf(sequence([info, sequence([oid(ECDSA_WITH_SHA256_OID)]), bits(signature)]));
}

export type EnrolmentRequest = {
  readonly kind: RequestBody['kind'];
  readonly name: string;
  readonly serial?: string;
  readonly publicKey: KeyObject;
  /** DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** Raw Ed25519 key, 32 bytes. */
  readonly signingKey: Uint8Array;
};

/** A request whose form and proofs hold. Whether its name may be certified is not decided here. */
export function readRequest(text: string): Result<EnrolmentRequest> {
  if (text.length > ENROL_LIMITS.requestChars)
    return bad(`expected a request of at most ${ENROL_LIMITS.requestChars} characters, got ${text.length}`);
  const json = decodeStrictJson(Buffer.from(text));
  if (!json.ok) return json;
  const body = requestSchema.safeParse(json.value);
  if (!body.success) return bad('expected an enrolment request, got something else');
  const { kind, name, serial } = body.data;
  const csr = decodeBase64(body.data.csr);
  const proof = decodeBase64(body.data.signingKeyProof);
  if (!csr.ok) return csr;
  if (!proof.ok) return proof;
  const read = readCsr(csr.value);
  if (!read.ok) return read;
  if (read.value.commonName !== name) return bad(`expected a request of ${name}, its key is for another name`);
  const checked = checkPublicKey(read.value.signingKey);
  if (!checked.ok) return checked;
  if (proof.value.length !== 64 || !verifyNative(proof.value, proven(csr.value), read.value.signingKey))
    return bad('expected proof of the signing key, its signature does not verify');
  const { publicKey, spki, signingKey } = read.value;
  return ok({ kind, name, ...(serial === undefined ? {} : { serial }), publicKey, spki, signingKey });
}

function readCsr(der: Uint8Array): Result<Omit<EnrolmentRequest, 'kind' | 'name'> & { readonly commonName: string }> {
  const fields = readCertificationRequest(der);
  if (!fields.ok) return fields;
  const { commonName, spki, extensions, info, signatureAlgorithmOid, signature } = fields.value;
  if (signatureAlgorithmOid !== ECDSA_WITH_SHA256_OID) return bad('expected ECDSA with SHA-256, got another algorithm');
  const asked = [...extensions.extensions.keys()];
  if (asked.length !== 1 || asked[0] !== SIGNING_KEY_OID || extensions.criticalOids.size > 0)
    return bad('expected a request for a signing key alone, it asks for more');
  const value = decodeDer(extensions.extensions.get(SIGNING_KEY_OID)!);
  if (!value.ok || value.value.tag !== DER.octetString || value.value.content.length !== 32)
    return bad('expected a signing key of 32 octets, got another value');
  const publicKey = p256KeyOf(spki);
  if (publicKey === undefined) return bad('expected a P-256 key, got another');
  if (!signatureHolds(info, publicKey, signature))
    return bad('expected proof of the key, its signature does not verify');
  return ok({ commonName, publicKey, spki, signingKey: value.value.content });
}

function p256KeyOf(spki: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    // The uncompressed form alone: the key identifier and later comparisons read it.
    const isPlain = key.export({ format: 'der', type: 'spki' }).equals(spki) && spki.length === 91;
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' && isPlain ? key : undefined;
  } catch {
    return undefined;
  }
}

function signatureHolds(info: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify('sha256', info, key, signature);
  } catch {
    return false;
  }
}

function proven(csr: Uint8Array): Uint8Array {
  return Buffer.concat([PROOF_PREFIX, csr]);
}

/** SHA-256 of the text, lower-case hex. */
export function requestSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const SPOKEN = '0123456789abcdefghjkmnpqrstvwxyz';

/** What people compare of a text that was carried by hand: 100 bits of its SHA-256 as four groups of five symbols. */
export function fingerprintOf(text: string): string {
  const bits = BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 26)}`) >> 4n;
  const symbols = Array.from({ length: 20 }, (_, index) => SPOKEN[Number((bits >> BigInt(5 * (19 - index))) & 31n)]);
  return symbols.join('').match(/.{5}/g)!.join('-');
}
