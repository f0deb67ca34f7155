// PKCS #12 (RFC 7292) with one P-256 key and its certificates, as browsers import it: AES-256 and PBKDF2-SHA-256 for the contents (RFC 8018),
// HMAC-SHA-256 for the whole. What OpenSSL 3 writes by default.
import { createCipheriv, createHmac, createPrivateKey, type KeyObject, pbkdf2Sync } from 'node:crypto';
import forge from 'node-forge';
import type { Random } from '#base/random.ts';
import { type DerPart, derOf, integer, octets, oid, primitive, sequence, setOf, tagged } from './der-parts.ts';
import type { Identity } from './identity.ts';

const OID = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  x509: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  pbes2: '1.2.840.113549.1.5.13',
  pbkdf2: '1.2.840.113549.1.5.12',
  hmacSha256: '1.2.840.113549.2.9',
  aes256Cbc: '2.16.840.1.101.3.4.1.42',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;

/** OpenSSL's default. The passwords of these files are 100 random bits (enrol/code.ts), which no number of rounds makes better or worse. */
const ROUNDS = 2_048;
const SALT_BYTES = 16;
const IV_BYTES = 16;
const KEY_BYTES = 32;
const MAC_BYTES = 32;
/** Ties the key to its certificate; any value that both bags have. */
const LOCAL_KEY_ID = Buffer.of(1);

/** An identity's key and certificates, without the domain's CA: a browser takes that as an authority only from a file of its own. */
export function browserFileOf(identity: Identity, password: string, random: Random): Uint8Array {
  const { name, domain } = identity.party;
  return buildPkcs12({
    privateKey: createPrivateKey(identity.keyPem),
    certificates: identity.chain.map((each) => Buffer.from(each, 'base64')),
    friendlyName: `${name} (${domain})`,
    password,
    random,
  });
}

export type Pkcs12Init = {
  readonly privateKey: KeyObject;
  /** DER, leaf first. */
  readonly certificates: readonly Uint8Array[];
  /** What the browser's list of certificates shows. */
  readonly friendlyName: string;
  readonly password: string;
  readonly random: Random;
};

/** DER of the file. */
export function buildPkcs12(init: Pkcs12Init): Uint8Array {
  const { privateKey, certificates, random, password } = init;
  const keyDer = privateKey.export({ type: 'pkcs8', format: 'der' });
  const sealedKey = encrypted(keyDer, password, random);
  const keyBag = bag(OID.keyBag, sequence([sealedKey.algorithm, octets(sealedKey.bytes)]), attributes(init));
  const certBags = certificates.map((der, index) =>
    bag(OID.certBag, sequence([oid(OID.x509), tagged(0, [octets(der)])]), index === 0 ? attributes(init) : []),
  );
  const sealedCerts = encrypted(derOf(sequence(certBags)), password, random);
  const safe = derOf(
    sequence([
      contentInfo(OID.encryptedData, encryptedData(sealedCerts)),
      contentInfo(OID.data, octets(derOf(sequence([keyBag])))),
    ]),
  );
  return derOf(sequence([integer(3), contentInfo(OID.data, octets(safe)), macData(safe, password, random)]));
}

function bag(type: string, value: DerPart, attributes: DerPart[]): DerPart {
  return sequence([oid(type), tagged(0, [value]), ...(attributes.length === 0 ? [] : [setOf(attributes)])]);
}

function attributes({ friendlyName }: Pkcs12Init): DerPart[] {
  // forge writes the characters of a BMPString as UTF-16 by itself.
  const name = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.BMPSTRING, false, friendlyName);
  return [
    sequence([oid(OID.friendlyName), setOf([name])]),
    sequence([oid(OID.localKeyId), setOf([octets(LOCAL_KEY_ID)])]),
  ];
}

function contentInfo(type: string, content: DerPart): DerPart {
  return sequence([oid(type), tagged(0, [content])]);
}

type Sealed = { readonly algorithm: DerPart; readonly bytes: Uint8Array };

/** EncryptedData of RFC 5652 §8; `[0]` IMPLICIT holds the octets themselves. */
function encryptedData({ algorithm, bytes }: Sealed): DerPart {
  const content = forge.asn1.create(
    forge.asn1.Class.CONTEXT_SPECIFIC,
    0 as forge.asn1.Type,
    false,
    Buffer.from(bytes).toString('latin1'),
  );
  return sequence([integer(0), sequence([oid(OID.data), algorithm, content])]);
}

/** PBES2 (RFC 8018 §6.2) with PBKDF2, HMAC-SHA-256 and AES-256-CBC. */
function encrypted(plain: Uint8Array, password: string, random: Random): Sealed {
  const salt = random.bytes(SALT_BYTES);
  const iv = random.bytes(IV_BYTES);
  const key = pbkdf2Sync(password, salt, ROUNDS, KEY_BYTES, 'sha256');
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const bytes = Buffer.concat([cipher.update(plain), cipher.final()]);
  const none = primitive(forge.asn1.Type.NULL, Buffer.alloc(0));
  const derivation = sequence([
    oid(OID.pbkdf2),
    sequence([octets(salt), integer(ROUNDS), sequence([oid(OID.hmacSha256), none])]),
  ]);
  const algorithm = sequence([oid(OID.pbes2), sequence([derivation, sequence([oid(OID.aes256Cbc), octets(iv)])])]);
  return { algorithm, bytes };
}

function macData(safe: Uint8Array, password: string, random: Random): DerPart {
  const salt = random.bytes(SALT_BYTES);
  const key = macKey(password, salt);
  const digest = createHmac('sha256', key).update(safe).digest();
  const none = primitive(forge.asn1.Type.NULL, Buffer.alloc(0));
  const algorithm = sequence([oid(OID.sha256), none]);
  return sequence([sequence([algorithm, octets(digest)]), octets(salt), integer(ROUNDS)]);
}

type DeriveKey = (
  password: string,
  salt: forge.util.ByteStringBuffer,
  purpose: number,
  rounds: number,
  byteCount: number,
  hash: forge.md.MessageDigest,
) => forge.util.ByteStringBuffer;

/** RFC 7292 appendix B.2, purpose 3. */
function macKey(password: string, salt: Uint8Array): Uint8Array {
  const wrapped = forge.util.createBuffer(Buffer.from(salt).toString('latin1'));
  // Part of forge's public interface that its type package leaves out.
  const { pbe } = forge.pki as unknown as { readonly pbe: { readonly generatePkcs12Key: DeriveKey } };
  const key = pbe.generatePkcs12Key(password, wrapped, 3, ROUNDS, MAC_BYTES, forge.md.sha256.create());
  return Buffer.from(key.getBytes(), 'latin1');
}
