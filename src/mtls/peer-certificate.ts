// What the other end of a TLS session showed: its chain as it travels in reports, and the party that it names.
// Refuses a chain whose leaf is not a party of this node's domain.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { encodeBase64 } from '#codec/base64.ts';
import { DER, decodeDer } from '#codec/der.ts';
import { readCertificate } from '#codec/x509.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { beyondIntermediates } from './intermediate.ts';
import { ISSUER_OID } from './oids.ts';
import { isDoorName, partyOf } from './party.ts';

export type PeerCertificate = { readonly party: Party; readonly chain: CertificateChain };

/**
 * The peer's party and chain, from a certificate that OpenSSL has verified against the domain's CA.
 * `getPeerCertificate` and never `getPeerX509Certificate`: on the dialling side the latter works once and then empties
 * the former.
 */
export function peerCertificateOf(socket: TLSSocket, domain: string): Result<PeerCertificate> {
  return readPeerCertificate(socket.getPeerCertificate(true), domain);
}

export function readPeerCertificate(shown: DetailedPeerCertificate, domain: string): Result<PeerCertificate> {
  if (!shown.raw) return bad('expected a certificate, the peer showed none');
  const party = partyOf(shown.raw);
  if (!party.ok) return party;
  if (party.value.domain !== domain) {
    return bad(`expected a certificate of domain ${domain}, it is of domain ${party.value.domain}`);
  }
  if (party.value.kind !== 'node' && isDoorName(party.value.name))
    return bad(
      `expected another name than ${party.value.name}, which stands for a door of this machine in the audit trail`,
    );
  const chain = chainOf(shown);
  const intermediates = chain.slice(1).map((each) => Buffer.from(each, 'base64'));
  const beyond = beyondIntermediates(intermediates, party.value.kind);
  return beyond === undefined ? ok({ party: party.value, chain }) : bad(beyond);
}

/** Base64 DER, leaf first, without the root: OpenSSL completes the chain from our own trust store. */
function chainOf(leaf: DetailedPeerCertificate): CertificateChain {
  const chain: string[] = [];
  let certificate: DetailedPeerCertificate | undefined = leaf;
  while (certificate !== undefined && chain.length < LIMITS.chainCertificates) {
    const issuer: DetailedPeerCertificate | undefined = certificate.issuerCertificate;
    // The root is its own issuer.
    if (chain.length > 0 && issuer?.fingerprint256 === certificate.fingerprint256) break;
    chain.push(certificate.raw.toString('base64'));
    certificate = issuer;
  }
  return chain.length === 1 ? [...chain, ...heldIssuer(leaf.raw)] : chain;
}

/** The intermediate that a registrar's certificate holds, where TLS does not show it. Whether it issued the leaf is for `verifyChain`. */
function heldIssuer(leaf: Uint8Array): readonly string[] {
  const fields = readCertificate(leaf);
  const value = fields.ok ? fields.value.extensions.get(ISSUER_OID) : undefined;
  const node = value === undefined ? undefined : decodeDer(value);
  return node?.ok && node.value.tag === DER.octetString ? [encodeBase64(node.value.content)] : [];
}
