// Certification requests (PKCS #10, RFC 2986), read strictly from DER: one common name, one key, and the extensions that are asked for.
// It only reads: who may be certified is decided elsewhere. Total: bad input is a value with the byte offset.
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { DER, type DerNode, decodeDer } from './der.ts';
import { decodeBitOctets, decodeIntegerHex, decodeOid, decodeText } from './der-values.ts';
import { type Extensions, readExtensions } from './x509-extensions.ts';

export type RequestFields = {
  readonly commonName: string;
  /** DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly extensions: Extensions;
  /** DER of CertificationRequestInfo: what the signature covers. */
  readonly info: Uint8Array;
  readonly signatureAlgorithmOid: string;
  readonly signature: Uint8Array;
};

const COMMON_NAME_OID = '2.5.4.3';
/** pkcs-9-at-extensionRequest, RFC 2985 §5.4.2. */
export const EXTENSION_REQUEST_OID = '1.2.840.113549.1.9.14';
const ATTRIBUTES_TAG = 0xa0;

export function readCertificationRequest(der: Uint8Array): Result<RequestFields> {
  if (der.length > LIMITS.certificateBytes)
    return bad(`expected a request of at most ${LIMITS.certificateBytes} bytes, got ${der.length}`);
  const root = decodeDer(der);
  if (!root.ok) return root;
  const [info, algorithm, bits, ...rest] = root.value.children;
  if (root.value.tag !== DER.sequence || !info || !algorithm || !bits || rest.length > 0)
    return bad('expected a request of three parts, got another structure', 0);
  const oid = algorithm.children[0];
  if (algorithm.tag !== DER.sequence || oid === undefined || algorithm.children.length !== 1)
    return bad('expected an algorithm without parameters, got another structure', algorithm.offset);
  const signatureAlgorithmOid = decodeOid(oid);
  if (!signatureAlgorithmOid.ok) return signatureAlgorithmOid;
  const signature = decodeBitOctets(bits);
  if (!signature.ok) return signature;
  const fields = readInfo(info);
  if (!fields.ok) return fields;
  return ok({
    ...fields.value,
    info: info.bytes,
    signatureAlgorithmOid: signatureAlgorithmOid.value,
    signature: signature.value,
  });
}

function readInfo(info: DerNode): Result<Pick<RequestFields, 'commonName' | 'spki' | 'extensions'>> {
  const [version, subject, spki, attributes, ...rest] = info.children;
  if (info.tag !== DER.sequence || !version || !subject || !spki || !attributes || rest.length > 0)
    return bad('expected version, subject, key and attributes, got another structure', info.offset);
  const number = decodeIntegerHex(version);
  if (!number.ok || number.value !== '00') return bad('expected request version 1, got another', version.offset);
  if (spki.tag !== DER.sequence) return bad('expected a key, got another type', spki.offset);
  const commonName = readOnlyName(subject);
  if (!commonName.ok) return commonName;
  const extensions = readAttributes(attributes);
  return extensions.ok
    ? ok({ commonName: commonName.value, spki: spki.bytes, extensions: extensions.value })
    : extensions;
}

/** One relative name with one attribute: a second name could be the one that another reader sees. */
function readOnlyName(subject: DerNode): Result<string> {
  const attribute = only(only(subject));
  const [type, value, ...rest] = attribute?.children ?? [];
  const oid = type === undefined ? undefined : decodeOid(type);
  if (subject.tag !== DER.sequence || !value || rest.length > 0 || !oid?.ok || oid.value !== COMMON_NAME_OID)
    return bad('expected a subject of one common name, got another structure', subject.offset);
  const text = decodeText(value);
  return text === undefined ? bad('expected a common name in a plain string, got another', value.offset) : ok(text);
}

function readAttributes(attributes: DerNode): Result<Extensions> {
  const attribute = attributes.tag === ATTRIBUTES_TAG ? only(attributes) : undefined;
  const [type, values, ...rest] = attribute?.children ?? [];
  const oid = type === undefined ? undefined : decodeOid(type);
  if (values?.tag !== DER.set || rest.length > 0 || !oid?.ok || oid.value !== EXTENSION_REQUEST_OID)
    return bad('expected one attribute, the extensions, got another structure', attributes.offset);
  return readExtensions(values);
}

function only(node: DerNode | undefined): DerNode | undefined {
  return node?.children.length === 1 ? node.children[0] : undefined;
}
