// Verifies a certificate chain offline, at a given time: signatures, issuers, path length, usages, validity and the
// party at its end. For reports, which are read long after the session that brought them. Total and pure.
import { X509Certificate } from 'node:crypto';
import { isoTime } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { equalBytes } from '#codec/bytes.ts';
import { decodePemAll } from '#codec/pem.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { beyondIntermediates } from './intermediate.ts';
import { MTLS_LIMITS } from './limits.ts';
import { ECDSA_WITH_SHA256_OID } from './oids.ts';
import { domainOf, partyOf, unknownCritical } from './party.ts';

type Certificate = { readonly der: Uint8Array; readonly x509: X509Certificate; readonly fields: CertificateFields };

/** `chain`: base64 DER, leaf first, without the root. `caPem`: the domain's CA; while it is replaced, the old one and the new one. */
export function verifyChain(chain: CertificateChain, caPem: string, atMs: number): Result<Party> {
  const authorities = readAuthorities(caPem);
  if (!authorities.ok) return authorities;
  const certificates = readChain(chain);
  if (!certificates.ok) return certificates;
  const results = authorities.value.map((ca) => verifyPath(certificates.value, ca, atMs));
  return results.find((result) => result.ok) ?? results[0]!;
}

function verifyPath(certificates: readonly Certificate[], ca: Certificate, atMs: number): Result<Party> {
  const path = [...certificates, ca];
  const odd = path.map((certificate) => outOfForce(certificate, atMs)).find((reason) => reason !== undefined);
  if (odd !== undefined) return bad(odd);
  for (let index = 0; index + 1 < path.length; index++) {
    const reason = wrongIssuer(path[index]!, path[index + 1]!, index);
    if (reason !== undefined) return bad(reason);
  }
  const party = partyOf(path[0]!.der);
  const domain = domainOf(ca.fields);
  if (!party.ok) return party;
  if (!domain.ok) return domain;
  const beyond = beyondIntermediates(
    certificates.slice(1).map(({ der }) => der),
    party.value.kind,
  );
  if (beyond !== undefined) return bad(beyond);
  return party.value.domain === domain.value
    ? party
    : bad(`expected a party of domain ${domain.value}, got one of ${party.value.domain}`);
}

function readAuthorities(caPem: string): Result<Certificate[]> {
  const ders = decodePemAll(caPem, 'CERTIFICATE');
  if (!ders.ok) return bad(`CA certificate: ${ders.reason}`);
  if (ders.value.length === 0 || ders.value.length > MTLS_LIMITS.anchors)
    return bad(`expected 1 to ${MTLS_LIMITS.anchors} CA certificates, got ${ders.value.length}`);
  const authorities: Certificate[] = [];
  for (const der of ders.value) {
    const ca = readOne(der);
    if (!ca.ok) return bad(`CA certificate: ${ca.reason}`);
    authorities.push(ca.value);
  }
  return ok(authorities);
}

function readChain(chain: CertificateChain): Result<Certificate[]> {
  if (chain.length === 0 || chain.length > LIMITS.chainCertificates) {
    return bad(`expected a chain of 1 to ${LIMITS.chainCertificates} certificates, got ${chain.length}`);
  }
  const certificates: Certificate[] = [];
  for (const [index, text] of chain.entries()) {
    const der = decodeBase64(text);
    const certificate = der.ok ? readOne(der.value) : der;
    if (!certificate.ok) return bad(`certificate ${index} of the chain: ${certificate.reason}`);
    certificates.push(certificate.value);
  }
  return ok(certificates);
}

function readOne(der: Uint8Array): Result<Certificate> {
  const fields = readCertificate(der);
  if (!fields.ok) return fields;
  if (fields.value.signatureAlgorithmOid !== ECDSA_WITH_SHA256_OID)
    return bad('expected an ECDSA signature with SHA-256, got another');
  try {
    return ok({ der, x509: new X509Certificate(der), fields: fields.value });
  } catch {
    return bad('expected a certificate, OpenSSL cannot read it');
  }
}

function outOfForce({ fields }: Certificate, atMs: number): string | undefined {
  const name = fields.subjectCn ?? 'without a name';
  if (atMs < fields.notBeforeMs)
    return `certificate ${name} is valid from ${isoTime(fields.notBeforeMs)}, asked for ${isoTime(atMs)}`;
  if (atMs >= fields.notAfterMs)
    return `certificate ${name} ended at ${isoTime(fields.notAfterMs)}, asked for ${isoTime(atMs)}`;
  return undefined;
}

/** `below`: certificates between the issuer and the leaf, the issued one included unless it is the leaf. */
function wrongIssuer(issued: Certificate, issuer: Certificate, below: number): string | undefined {
  const name = issued.fields.subjectCn ?? 'without a name';
  const { basicConstraints, keyUsage } = issuer.fields;
  if (!equalBytes(issued.fields.issuerRaw, issuer.fields.subjectRaw) || !issued.x509.checkIssued(issuer.x509)) {
    return `certificate ${name} was not issued by the next one of the chain or the domain's CA`;
  }
  if (!verifies(issued.x509, issuer.x509)) return `certificate ${name} has a signature that does not verify`;
  if (!basicConstraints?.ca || !keyUsage.includes('keyCertSign'))
    return `certificate ${name} was issued by one that is no CA`;
  if (basicConstraints.pathLength !== undefined && below > basicConstraints.pathLength) {
    return `certificate chain is longer than ${issuer.fields.subjectCn ?? 'its CA'} allows`;
  }
  const strange = unknownCritical(issuer.fields);
  return strange === undefined ? undefined : `CA certificate has an unknown critical extension ${strange}`;
}

function verifies(issued: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issued.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
