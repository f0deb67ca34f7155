// The party that a certificate names: the one `parley://` URI among its alternative names, never a host name.
// Refuses certificates that name no party or more than one, bind no signing key (TS-24), or give a role to any party but an
// operator [NET-16]. Pure.
import { createHash } from 'node:crypto';
import { bad, ok, type Result } from '#base/result.ts';
import { DER, decodeDer } from '#codec/der.ts';
import { decodeText } from '#codec/der-values.ts';
import { encodeHex } from '#codec/hex.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import { isRole, type Party, type PartyKind, type Role } from '#model/identity.ts';
import { isNodeName } from '#model/names.ts';
import { issuedAtMs } from './lifetime/life.ts';
import { CLIENT_AUTH_OID, ROLE_OID, SERVER_AUTH_OID, SIGNING_KEY_OID } from './oids.ts';

/** Domains are spelled as DNS names are, in lower case. */
const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const PARTY_URI = /^parley:\/\/([^/]+)\/(?:(operator|controller)\/)?([^/]+)$/;
const AUTHORITY_URI = /^parley:\/\/([^/]+)$/;
const SIGNING_KEY_BYTES = 32;

/** Key usage, alternative names, basic constraints, extended key usage: what this reader understands. */
const KNOWN_CRITICAL: readonly string[] = ['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37'];

/** Who comes over the local Unix socket has no certificate and this name. */
export const LOCAL_NAME = 'local';
/** Who shows the token of the loopback endpoint. */
export const LOOPBACK_NAME = 'loopback';

/** Names of this machine's own doors, which no operator's or controller's certificate may carry. */
export function isDoorName(name: string): boolean {
  return name === LOCAL_NAME || name === LOOPBACK_NAME;
}

export function isDomain(text: string): boolean {
  return DOMAIN.test(text);
}

export function partyUri(party: Pick<Party, 'kind' | 'domain' | 'name'>): string {
  return `parley://${party.domain}/${party.kind === 'node' ? '' : `${party.kind}/`}${party.name}`;
}

export function authorityUri(domain: string): string {
  return `parley://${domain}`;
}

/** Of a registrar's intermediate CA: neither a party nor the domain's CA to any reader. */
export function registrarUri(domain: string, name: string): string {
  return `parley://${domain}/registrar/${name}`;
}

/** SHA-256 of a certificate's DER, lower-case hex (TS-13 `cert-thumbprint`). */
export function thumbprintOf(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('hex');
}

/** The party of a leaf certificate. Says nothing about its issuer or its validity. */
export function partyOf(der: Uint8Array): Result<Party> {
  const fields = readCertificate(der);
  return fields.ok ? partyOfFields(fields.value, thumbprintOf(der)) : fields;
}

function partyOfFields(fields: CertificateFields, thumbprint: string): Result<Party> {
  const strange = unknownCritical(fields);
  if (strange !== undefined) return bad(`expected no critical extension but the known ones, got ${strange}`);
  if (fields.basicConstraints?.ca) return bad("expected a party's certificate, got a CA's");
  if (!fields.keyUsage.includes('digitalSignature')) return bad('expected key usage digitalSignature, it is missing');
  if (!fields.extKeyUsage.includes(SERVER_AUTH_OID) || !fields.extKeyUsage.includes(CLIENT_AUTH_OID)) {
    return bad('expected extended key usages for server and client, not both are there');
  }
  const named = readPartyUri(fields.sanUris);
  if (!named.ok) return named;
  const signingKey = readSigningKey(fields);
  if (!signingKey.ok) return signingKey;
  const role = readRole(fields, named.value.kind);
  if (!role.ok) return role;
  return ok({
    ...named.value,
    ...(role.value === undefined ? {} : { role: role.value }),
    thumbprint,
    signingKey: signingKey.value,
    issuedAtMs: issuedAtMs(fields),
    notAfterMs: fields.notAfterMs,
  });
}

/** The domain that a CA certificate stands for. */
export function domainOf(fields: CertificateFields): Result<string> {
  const uri = onlyParleyUri(fields.sanUris);
  if (!uri.ok) return uri;
  const domain = AUTHORITY_URI.exec(uri.value)?.[1];
  return domain !== undefined && isDomain(domain)
    ? ok(domain)
    : bad('expected a CA certificate of a domain, got another name');
}

/** A critical extension that this code does not understand must not be passed over (RFC 5280 §4.2). */
export function unknownCritical(fields: CertificateFields): string | undefined {
  return [...fields.criticalOids].find((oid) => !KNOWN_CRITICAL.includes(oid));
}

function readPartyUri(uris: readonly string[]): Result<Pick<Party, 'kind' | 'domain' | 'name'>> {
  const uri = onlyParleyUri(uris);
  if (!uri.ok) return uri;
  const [, domain = '', kind = 'node', name = ''] = PARTY_URI.exec(uri.value) ?? [];
  if (!isDomain(domain) || !isNodeName(name)) return bad('expected parley://<domain>/<name>, got another form of URI');
  return ok({ kind: kind as PartyKind, domain, name });
}

/** Two names in one certificate could be two parties to two readers. */
function onlyParleyUri(uris: readonly string[]): Result<string> {
  const ours = uris.filter((uri) => /^parley:/i.test(uri));
  const [uri] = ours;
  return uri !== undefined && ours.length === 1 ? ok(uri) : bad(`expected one parley:// name, got ${ours.length}`);
}

function readSigningKey(fields: CertificateFields): Result<string> {
  const value = fields.extensions.get(SIGNING_KEY_OID);
  if (value === undefined) return bad('expected a signing key extension, it is missing');
  const node = decodeDer(value);
  if (!node.ok) return node;
  if (node.value.tag !== DER.octetString || node.value.content.length !== SIGNING_KEY_BYTES) {
    return bad('expected a signing key of 32 octets, got another value');
  }
  return ok(encodeHex(node.value.content));
}

/** A role that is not known here must not be taken for a lesser or a greater one. */
function readRole(fields: CertificateFields, kind: PartyKind): Result<Role | undefined> {
  const value = fields.extensions.get(ROLE_OID);
  if (value === undefined) return ok(undefined);
  if (kind !== 'operator') return bad("expected a role in operators' certificates only, got one of another kind");
  const node = decodeDer(value);
  const text = node.ok && node.value.tag === DER.utf8String ? decodeText(node.value) : undefined;
  return text !== undefined && isRole(text)
    ? ok(text)
    : bad('expected the role observer, operator or admin, got another');
}
