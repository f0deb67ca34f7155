// DER elements for what mtls builds: certificates, certification requests, PKCS #12. node-forge lays them out; keys and signatures are
// node:crypto's, because forge knows no elliptic curves.
import { createHash, type KeyObject } from 'node:crypto';
import forge from 'node-forge';

export type DerPart = forge.asn1.Asn1;

export function sequence(value: DerPart[]): DerPart {
  return constructed(forge.asn1.Type.SEQUENCE, value);
}

export function setOf(value: DerPart[]): DerPart {
  return constructed(forge.asn1.Type.SET, value);
}

/** `[tag]`, constructed: EXPLICIT around one element, or IMPLICIT in place of a SET or SEQUENCE. */
export function tagged(tag: number, value: DerPart[]): DerPart {
  return forge.asn1.create(forge.asn1.Class.CONTEXT_SPECIFIC, tag as forge.asn1.Type, true, value);
}

function constructed(type: forge.asn1.Type, value: DerPart[]): DerPart {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, true, value);
}

export function primitive(type: forge.asn1.Type, content: Uint8Array): DerPart {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, false, binary(content));
}

export function octets(content: Uint8Array): DerPart {
  return primitive(forge.asn1.Type.OCTETSTRING, content);
}

/** Of whole octets. */
export function bits(content: Uint8Array): DerPart {
  return primitive(forge.asn1.Type.BITSTRING, Buffer.concat([Buffer.of(0), content]));
}

export function utf8(text: string): DerPart {
  return primitive(forge.asn1.Type.UTF8, Buffer.from(text));
}

/** From 0 to 2^31 - 1. */
export function integer(value: number): DerPart {
  return primitive(forge.asn1.Type.INTEGER, Buffer.from(forge.asn1.integerToDer(value).getBytes(), 'latin1'));
}

export function oid(text: string): DerPart {
  return primitive(forge.asn1.Type.OID, Buffer.from(forge.asn1.oidToDer(text).getBytes(), 'latin1'));
}

/** An element that is there as bytes already. */
export function parsed(der: Uint8Array): DerPart {
  return forge.asn1.fromDer(binary(der));
}

export function derOf(part: DerPart): Uint8Array {
  return Buffer.from(forge.asn1.toDer(part).getBytes(), 'latin1');
}

/** Bytes as forge wants them: one character a byte. */
export function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

export function spkiOf(publicKey: KeyObject): Uint8Array {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** Key identifier: leftmost 160 bits of SHA-256 over the public key's bits (RFC 7093 §2 method 1). */
export function keyIdentifier(publicKey: KeyObject): Uint8Array {
  // The uncompressed point is the last 65 bytes of a P-256 SPKI.
  return createHash('sha256').update(spkiOf(publicKey).subarray(-65)).digest().subarray(0, 20);
}
