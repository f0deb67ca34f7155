// Builds one X.509 v3 certificate (RFC 5280). node-forge lays out the part to be signed with a stand-in key; the real
// P-256 key and the signature come from node:crypto, because forge knows no elliptic curves. Refuses nothing itself:
// what may be certified is decided in authority.ts.
import { type KeyObject, sign } from 'node:crypto';
import forge from 'node-forge';
import { isoTime } from '#base/clock.ts';
import type { PartyKind, Role } from '#model/identity.ts';
import {
  binary,
  bits,
  type DerPart,
  derOf,
  keyIdentifier,
  octets,
  oid,
  parsed,
  sequence,
  spkiOf,
  utf8,
} from './der-parts.ts';
import { ECDSA_WITH_SHA256_OID, ENROLLED_OID, ISSUER_OID, ISSUES_OID, ROLE_OID, SIGNING_KEY_OID } from './oids.ts';

export type CertificateSubject = {
  /** Common name; for people only, nothing reads it. */
  readonly commonName: string;
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** P-256 public key. */
  readonly publicKey: KeyObject;
};

export type CertificateInit = {
  readonly subject: CertificateSubject;
  readonly issuer: { readonly commonName: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** Lower-case hex, minimal and positive. */
  readonly serial: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly use:
    | {
        readonly kind: 'authority';
        readonly pathLength: number;
        /** Of an intermediate: kinds of parties that it may certify besides nodes. */
        readonly issues?: readonly PartyKind[];
      }
    | {
        readonly kind: 'party';
        /** Raw Ed25519 key, 32 bytes. */
        readonly signingKey: Uint8Array;
        readonly role?: Role;
        /** Of a renewed certificate: when the party last proved itself otherwise. */
        readonly enrolledMs?: number;
        /** DER of the intermediate that issues it. */
        readonly issuer?: Uint8Array;
      };
};

/** Part of forge's public interface that its type package leaves out. */
const forgePki = forge.pki as typeof forge.pki & { getTBSCertificate(certificate: forge.pki.Certificate): DerPart };

/** DER of the signed certificate. */
export function buildCertificate(init: CertificateInit): Uint8Array {
  const algorithm = sequence([oid(ECDSA_WITH_SHA256_OID)]);
  const tbs = layOut(init);
  const fields = tbs.value as DerPart[];
  // RFC 5280 §4.1: signature is field 2, SubjectPublicKeyInfo field 6.
  fields[2] = algorithm;
  fields[6] = parsed(spkiOf(init.subject.publicKey));
  const signature = sign('sha256', derOf(tbs), init.issuer.privateKey);
  return derOf(sequence([tbs, algorithm, bits(signature)]));
}

function layOut(init: CertificateInit): DerPart {
  const certificate = forge.pki.createCertificate();
  certificate.serialNumber = init.serial;
  certificate.validity.notBefore = new Date(init.notBeforeMs);
  certificate.validity.notAfter = new Date(init.notAfterMs);
  certificate.setSubject(commonName(init.subject.commonName));
  certificate.setIssuer(commonName(init.issuer.commonName));
  certificate.setExtensions(extensionsOf(init));
  // Stand-ins that buildCertificate replaces: forge can lay out RSA only.
  certificate.publicKey = forge.pki.setRsaPublicKey(new forge.jsbn.BigInteger('3'), new forge.jsbn.BigInteger('3'));
  certificate.siginfo.algorithmOid = ECDSA_WITH_SHA256_OID;
  return forgePki.getTBSCertificate(certificate);
}

function extensionsOf(init: CertificateInit): object[] {
  const { subject, issuer, use } = init;
  return [
    use.kind === 'authority'
      ? { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: use.pathLength }
      : { name: 'basicConstraints', critical: true, cA: false },
    use.kind === 'authority'
      ? { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true }
      : { name: 'keyUsage', critical: true, digitalSignature: true },
    ...(use.kind === 'party' ? [{ name: 'extKeyUsage', serverAuth: true, clientAuth: true }] : []),
    { name: 'subjectAltName', altNames: alternativeNames(subject) },
    // Given as bytes: forge would take the stand-in key's identifier.
    { id: '2.5.29.14', value: binary(derOf(octets(keyIdentifier(subject.publicKey)))) },
    { name: 'authorityKeyIdentifier', keyIdentifier: binary(keyIdentifier(issuer.publicKey)) },
    ...(use.kind === 'party' ? [{ id: SIGNING_KEY_OID, value: binary(derOf(octets(use.signingKey))) }] : []),
    ...(use.kind === 'party' && use.role !== undefined ? [{ id: ROLE_OID, value: binary(derOf(utf8(use.role))) }] : []),
    ...(use.kind === 'party' && use.enrolledMs !== undefined
      ? [{ id: ENROLLED_OID, value: binary(derOf(utf8(isoTime(use.enrolledMs)))) }]
      : []),
    ...(use.kind === 'party' && use.issuer !== undefined
      ? [{ id: ISSUER_OID, value: binary(derOf(octets(use.issuer))) }]
      : []),
    ...(use.kind === 'authority' && use.issues !== undefined
      ? [{ id: ISSUES_OID, value: binary(derOf(sequence(use.issues.map(utf8)))) }]
      : []),
  ];
}

/** GeneralName choices of RFC 5280 §4.2.1.6: 6 URI, 2 DNS, 7 IP. */
function alternativeNames(subject: CertificateSubject): object[] {
  return [
    ...subject.uris.map((value) => ({ type: 6, value })),
    ...subject.dnsNames.map((value) => ({ type: 2, value })),
    ...subject.addresses.map((ip) => ({ type: 7, ip })),
  ];
}

function commonName(value: string): forge.pki.CertificateField[] {
  // UTF8String: PrintableString, forge's default, has no underscore.
  return [{ shortName: 'CN', value, valueTagClass: forge.asn1.Type.UTF8 as unknown as forge.asn1.Class }];
}
