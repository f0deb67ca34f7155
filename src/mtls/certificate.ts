// Builds one X.509 v3 certificate (RFC 5280). node-forge lays out the part to be signed with a stand-in key; the real
// P-256 key and the signature come from node:crypto, because forge knows no elliptic curves. Refuses nothing itself:
// what may be certified is decided in authority.ts.
import { createHash, type KeyObject, sign } from 'node:crypto';
import forge from 'node-forge';
import type { Role } from '#model/identity.ts';
import { ECDSA_WITH_SHA256_OID, ROLE_OID, SIGNING_KEY_OID } from './oids.ts';

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
    | { readonly kind: 'authority'; readonly pathLength: number }
    | {
        readonly kind: 'party';
        /** Raw Ed25519 key, 32 bytes. */
        readonly signingKey: Uint8Array;
        readonly role?: Role;
      };
};

type Node = forge.asn1.Asn1;

/** Part of forge's public interface that its type package leaves out. */
const forgePki = forge.pki as typeof forge.pki & { getTBSCertificate(certificate: forge.pki.Certificate): Node };

/** DER of the signed certificate. */
export function buildCertificate(init: CertificateInit): Uint8Array {
  const algorithm = sequence([primitive(forge.asn1.Type.OID, oidContent(ECDSA_WITH_SHA256_OID))]);
  const tbs = layOut(init);
  const fields = tbs.value as Node[];
  // RFC 5280 §4.1: signature is field 2, SubjectPublicKeyInfo field 6.
  fields[2] = algorithm;
  fields[6] = forge.asn1.fromDer(binary(spkiOf(init.subject.publicKey)));
  const signature = sign('sha256', derOf(tbs), init.issuer.privateKey);
  const bits = primitive(forge.asn1.Type.BITSTRING, Buffer.concat([Buffer.of(0), signature]));
  return derOf(sequence([tbs, algorithm, bits]));
}

/** Key identifier: leftmost 160 bits of SHA-256 over the public key's bits (RFC 7093 §2 method 1). */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  // The uncompressed point is the last 65 bytes of a P-256 SPKI.
  return createHash('sha256').update(spkiOf(publicKey).subarray(-65)).digest().subarray(0, 20);
}

function layOut(init: CertificateInit): Node {
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
    ...(use.kind === 'party' && use.role !== undefined
      ? [{ id: ROLE_OID, value: binary(derOf(primitive(forge.asn1.Type.UTF8, Buffer.from(use.role)))) }]
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

function sequence(value: Node[]): Node {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SEQUENCE, true, value);
}

function primitive(type: forge.asn1.Type, content: Uint8Array): Node {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, false, binary(content));
}

function octets(content: Uint8Array): Node {
  return primitive(forge.asn1.Type.OCTETSTRING, content);
}

function derOf(node: Node): Uint8Array {
  return Buffer.from(forge.asn1.toDer(node).getBytes(), 'latin1');
}

function oidContent(oid: string): Uint8Array {
  return Buffer.from(forge.asn1.oidToDer(oid).getBytes(), 'latin1');
}

/** Bytes as forge wants them: one character a byte. */
function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

function spkiOf(publicKey: KeyObject): Uint8Array {
  return publicKey.export({ type: 'spki', format: 'der' });
}
