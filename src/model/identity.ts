// Who is who: parties, roles, and what a verified certificate says.
import type { TokenGrant } from './rights/token-scope.ts';

/** What a certificate's SAN URI names (mtls/identity.ts): `parley://<domain>/<node>`, `…/operator/<name>`, `…/controller/<name>`. */
export type PartyKind = 'node' | 'operator' | 'controller';

/** What an operator may do, least first (model/access.ts). Nodes and controllers have none: their kind says it. */
export const ROLES = ['observer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

/** A party whose certificate chain and SAN were verified, or the local operator behind the Unix socket. */
export type Party = {
  readonly kind: PartyKind;
  readonly domain: string;
  /** Node name, or the operator's or controller's name. */
  readonly name: string;
  /** As the certificate says; a node's own configuration may say otherwise. Only operators have one. */
  readonly role?: Role;
  /** SHA-256 of the certificate, lower-case hex; absent for the local operator. */
  readonly thumbprint?: string;
  /** Ed25519 public key that the certificate binds, 32 bytes as lower-case hex; absent for the local operator. */
  readonly signingKey?: string;
  /** Who opened the local socket, as the kernel says: `alice (uid 1000)`. For the audit trail; no rule reads it. */
  readonly localUser?: string;
  /** When the certificate was issued, milliseconds since the epoch. */
  readonly issuedAtMs?: number;
  /** End of the certificate, milliseconds since the epoch. */
  readonly notAfterMs?: number;
  /** The access token that the call came with, verified; it narrows what the party may do (TS-29). */
  readonly token?: TokenGrant;
  /** It stands behind the call of another node, which asked for its token where one is needed. */
  readonly isBehind?: true;
};

/** Everything that is needed to verify a party's signatures later, offline: certificates as base64 DER, leaf first. */
export type CertificateChain = readonly string[];
