// Fields of an X.509 v3 certificate (RFC 5280 §4.1), read strictly from DER, for keys of any kind (P-256 above all).
// It only reads: chains, validity and policy are decided elsewhere. Total: bad input is a value with the byte offset.
import { LIMITS } from '#base/limits.ts';
import { type Bad, bad, ok, type Result } from '#base/result.ts';
import { DER, type DerNode, decodeDer } from './der.ts';
import { decodeBitOctets, decodeIntegerHex, decodeOid, decodeText, decodeTime } from './der-values.ts';
import { type Extensions, readExtensions } from './x509-extensions.ts';

export type CertificateFields = Extensions & {
  /** Content octets of the serial number, lower-case hex. */
  readonly serialHex: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The last common name of the subject; undefined when there is none in a plain string type. */
  readonly subjectCn: string | undefined;
  /** DER of the issuer's and the subject's name: a chain is linked by equal bytes. */
  readonly issuerRaw: Uint8Array;
  readonly subjectRaw: Uint8Array;
  /** DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** DER of TBSCertificate: what the signature covers. */
  readonly tbs: Uint8Array;
  readonly signatureAlgorithmOid: string;
  readonly signature: Uint8Array;
};

const COMMON_NAME_OID = '2.5.4.3';
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
/** INTEGER 2 means v3. issuerUniqueID and subjectUniqueID are refused: no conforming CA sends them (RFC 5280 §4.1.2.8). */
const VERSION_3 = '02';

export function readCertificate(der: Uint8Array): Result<CertificateFields> {
  if (der.length > LIMITS.certificateBytes)
    return bad(`expected a certificate of at most ${LIMITS.certificateBytes} bytes, got ${der.length}`);
  const root = decodeDer(der);
  if (!root.ok) return root;
  const [tbs, algorithm, signatureBits, ...rest] = root.value.children;
  if (root.value.tag !== DER.sequence || !tbs || !algorithm || !signatureBits || rest.length > 0) {
    return bad('expected a certificate of three parts, got another structure', 0);
  }
  const outer = readAlgorithmOid(algorithm);
  const signature = decodeBitOctets(signatureBits);
  const body = readTbs(tbs, algorithm);
  const fault = [outer, signature, body].find((part): part is Bad => !part.ok);
  if (fault !== undefined || !outer.ok || !signature.ok || !body.ok)
    return fault ?? bad('expected a certificate, got another structure');
  return ok({ ...body.value, tbs: tbs.bytes, signatureAlgorithmOid: outer.value, signature: signature.value });
}

type TbsFields = Omit<CertificateFields, 'tbs' | 'signatureAlgorithmOid' | 'signature'>;

function readTbs(tbs: DerNode, outerAlgorithm: DerNode): Result<TbsFields> {
  const [version, serial, algorithm, issuer, validity, subject, spki, extensions, ...rest] = tbs.children;
  if (
    tbs.tag !== DER.sequence ||
    !version ||
    !serial ||
    !algorithm ||
    !issuer ||
    !validity ||
    !subject ||
    !spki ||
    !extensions ||
    rest.length > 0
  ) {
    return bad('expected a version 3 certificate with extensions, got another structure', tbs.offset);
  }
  const number = version.tag === VERSION_TAG && version.children[0] ? decodeIntegerHex(version.children[0]) : undefined;
  if (!number?.ok || number.value !== VERSION_3)
    return bad('expected certificate version 3, got another', version.offset);
  if (extensions.tag !== EXTENSIONS_TAG) return bad('expected extensions, got another field', extensions.offset);
  const sequences = [algorithm, issuer, validity, subject, spki];
  const odd = sequences.find((node) => node.tag !== DER.sequence);
  if (odd !== undefined) return bad('expected a sequence, got another type', odd.offset);
  // RFC 5280 §4.1.1.2: the two algorithm fields are the same, or what is signed and what is checked could differ.
  if (!sameDer(algorithm, outerAlgorithm))
    return bad('expected the same signature algorithm inside and outside, got two', algorithm.offset);
  const serialHex = decodeIntegerHex(serial);
  if (!serialHex.ok) return serialHex;
  const notBefore = readTime(validity, 0);
  if (!notBefore.ok) return notBefore;
  const notAfter = readTime(validity, 1);
  if (!notAfter.ok) return notAfter;
  const read = readExtensions(extensions);
  if (!read.ok) return read;
  const subjectCn = readCommonName(subject);
  if (!subjectCn.ok) return subjectCn;
  return ok({
    ...read.value,
    serialHex: serialHex.value,
    notBeforeMs: notBefore.value,
    notAfterMs: notAfter.value,
    subjectCn: subjectCn.value,
    issuerRaw: issuer.bytes,
    subjectRaw: subject.bytes,
    spki: spki.bytes,
  });
}

function readTime(validity: DerNode, index: 0 | 1): Result<number> {
  const node = validity.children[index];
  if (node === undefined || validity.children.length !== 2)
    return bad('expected two times of validity, got another number', validity.offset);
  return decodeTime(node);
}

function readAlgorithmOid(algorithm: DerNode): Result<string> {
  const [oid] = algorithm.children;
  if (algorithm.tag !== DER.sequence || oid === undefined)
    return bad('expected an algorithm identifier, got another structure', algorithm.offset);
  return decodeOid(oid);
}

function readCommonName(name: DerNode): Result<string | undefined> {
  let commonName: string | undefined;
  for (const attribute of name.children.flatMap((set) => set.children)) {
    const [type, value, ...rest] = attribute.children;
    if (!type || !value || rest.length > 0)
      return bad('expected a name of types and values, got another structure', attribute.offset);
    const oid = decodeOid(type);
    if (!oid.ok) return oid;
    if (oid.value === COMMON_NAME_OID) commonName = decodeText(value);
  }
  return ok(commonName);
}

function sameDer(one: DerNode, other: DerNode): boolean {
  return Buffer.compare(one.bytes, other.bytes) === 0;
}
