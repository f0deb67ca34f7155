// Extensions of a certificate (RFC 5280 §4.2): names, key usage, extended key usage, basic constraints, and all values by OID.
// Refuses an extension that appears twice, and known ones in another form than the RFC's.
import { bad, ok, type Result } from '#base/result.ts';
import { DER, type DerNode, decodeDer } from './der.ts';
import { decodeBoolean, decodeNamedBits, decodeOid, decodeSmallInteger } from './der-values.ts';

export type Extensions = {
  /** Subject alternative names by kind; other kinds are skipped. */
  readonly sanUris: readonly string[];
  readonly sanDns: readonly string[];
  /** IPv4 dotted, IPv6 as eight groups without zero compression (`fd00:0:0:0:0:0:0:1`). */
  readonly sanIps: readonly string[];
  /** OID → content of the extension's OCTET STRING. */
  readonly extensions: ReadonlyMap<string, Uint8Array>;
  readonly criticalOids: ReadonlySet<string>;
  readonly extKeyUsage: readonly string[];
  /** Undefined when the extension is absent. */
  readonly basicConstraints: { readonly ca: boolean; readonly pathLength: number | undefined } | undefined;
  /** Names of RFC 5280 §4.2.1.3; empty when the extension is absent. */
  readonly keyUsage: readonly KeyUsage[];
};

const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;
export type KeyUsage = (typeof KEY_USAGES)[number];

const OID = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extKeyUsage: '2.5.29.37',
} as const;
const GENERAL_NAME = { dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** `field` is the [3] EXPLICIT element of TBSCertificate. */
export function readExtensions(field: DerNode): Result<Extensions> {
  const [list, ...rest] = field.children;
  if (list === undefined || list.tag !== DER.sequence || rest.length > 0)
    return bad('expected a list of extensions, got another structure', field.offset);
  const extensions = new Map<string, Uint8Array>();
  const criticalOids = new Set<string>();
  for (const node of list.children) {
    const read = readExtension(node);
    if (!read.ok) return read;
    const { oid, critical, value } = read.value;
    if (extensions.has(oid)) return bad(`expected extension ${oid} once, got twice`, node.offset);
    extensions.set(oid, value);
    if (critical) criticalOids.add(oid);
  }
  const names = readNames(extensions.get(OID.subjectAltName));
  const extKeyUsage = readOids(extensions.get(OID.extKeyUsage));
  const basicConstraints = readBasicConstraints(extensions.get(OID.basicConstraints));
  const keyUsage = readKeyUsage(extensions.get(OID.keyUsage));
  if (!names.ok) return names;
  if (!extKeyUsage.ok) return extKeyUsage;
  if (!basicConstraints.ok) return basicConstraints;
  if (!keyUsage.ok) return keyUsage;
  return ok({
    ...names.value,
    extensions,
    criticalOids,
    extKeyUsage: extKeyUsage.value,
    basicConstraints: basicConstraints.value,
    keyUsage: keyUsage.value,
  });
}

type OneExtension = { readonly oid: string; readonly critical: boolean; readonly value: Uint8Array };

function readExtension(node: DerNode): Result<OneExtension> {
  const [id, second, third, ...rest] = node.children;
  const value = third ?? second;
  if (node.tag !== DER.sequence || !id || !second || value?.tag !== DER.octetString || rest.length > 0) {
    return bad('expected an extension, got another structure', node.offset);
  }
  const oid = decodeOid(id);
  if (!oid.ok) return oid;
  if (third === undefined) return ok({ oid: oid.value, critical: false, value: value.content });
  const critical = decodeBoolean(second);
  if (!critical.ok) return critical;
  // DER omits a value that is the default.
  return critical.value
    ? ok({ oid: oid.value, critical: true, value: value.content })
    : bad('expected critical true or absent, got false', second.offset);
}

type Names = Pick<Extensions, 'sanUris' | 'sanDns' | 'sanIps'>;

function readNames(value: Uint8Array | undefined): Result<Names> {
  const names = { sanUris: [] as string[], sanDns: [] as string[], sanIps: [] as string[] };
  const list = readSequence(value, 'subject alternative names');
  if (!list.ok) return list;
  for (const node of list.value) {
    if (node.tag === GENERAL_NAME.ip) {
      const address = formatAddress(node.content);
      if (address === undefined) return bad('expected an address of 4 or 16 octets, got another length', node.offset);
      names.sanIps.push(address);
    } else if (node.tag === GENERAL_NAME.uri || node.tag === GENERAL_NAME.dns) {
      const text = visibleAscii(node.content);
      // A NUL or a space in a name makes two readers see two names.
      if (text === undefined) return bad('expected a name in visible ASCII, got another', node.offset);
      (node.tag === GENERAL_NAME.uri ? names.sanUris : names.sanDns).push(text);
    }
  }
  return ok(names);
}

function readOids(value: Uint8Array | undefined): Result<string[]> {
  const list = readSequence(value, 'extended key usages');
  if (!list.ok) return list;
  const oids: string[] = [];
  for (const node of list.value) {
    const oid = decodeOid(node);
    if (!oid.ok) return oid;
    oids.push(oid.value);
  }
  return ok(oids);
}

function readBasicConstraints(value: Uint8Array | undefined): Result<Extensions['basicConstraints']> {
  if (value === undefined) return ok(undefined);
  const list = readSequence(value, 'basic constraints');
  if (!list.ok) return list;
  const [first, second, ...rest] = list.value;
  if (first === undefined) return ok({ ca: false, pathLength: undefined });
  const ca = decodeBoolean(first);
  if (!ca.ok) return ca;
  if (!ca.value || rest.length > 0)
    return bad('expected basic constraints of a CA or none, got another structure', first.offset);
  if (second === undefined) return ok({ ca: true, pathLength: undefined });
  const pathLength = decodeSmallInteger(second);
  return pathLength.ok ? ok({ ca: true, pathLength: pathLength.value }) : pathLength;
}

function readKeyUsage(value: Uint8Array | undefined): Result<KeyUsage[]> {
  if (value === undefined) return ok([]);
  const node = decodeDer(value);
  if (!node.ok) return node;
  const bits = decodeNamedBits(node.value);
  return bits.ok ? ok(bits.value.flatMap((bit) => KEY_USAGES[bit] ?? [])) : bits;
}

/** Elements of the SEQUENCE in an extension's value; none when the extension is absent. */
function readSequence(value: Uint8Array | undefined, what: string): Result<readonly DerNode[]> {
  if (value === undefined) return ok([]);
  const node = decodeDer(value);
  if (!node.ok) return node;
  return node.value.tag === DER.sequence
    ? ok(node.value.children)
    : bad(`expected a list of ${what}, got another type`);
}

function visibleAscii(content: Uint8Array): string | undefined {
  return content.every((octet) => octet > 0x20 && octet < 0x7f) ? String.fromCharCode(...content) : undefined;
}

function formatAddress(content: Uint8Array): string | undefined {
  if (content.length === 4) return content.join('.');
  if (content.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (content[index * 2]! * 256 + content[index * 2 + 1]!).toString(16),
  );
  return groups.join(':');
}
