// The one TLS policy, for dialling and for listening: TLS 1.3 only, certificates required and checked on both sides
// (TS-14, TS-23), no session tickets, since a resumed session outlives its certificate. Refuses nothing by name or address.
import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Identity } from './identity.ts';

/** In the listener's order of preference. */
export const ALPN_PROTOCOLS = ['mcp', 'h2', 'http/1.1', 'parley-relay'] as const;
export type AlpnProtocol = (typeof ALPN_PROTOCOLS)[number];

/**
 * For one connection, in the form of RFC 7301 §3.1 and in memory of its own. Of a list of names, Node keeps four octets of a pool of 64 kB, which
 * then stays as long as the connection.
 */
export function alpnOf(protocol: AlpnProtocol): DataView {
  const name = new TextEncoder().encode(protocol);
  return new DataView(Uint8Array.of(name.length, ...name).buffer);
}

export type TlsPolicy = {
  /** TLS groups, such as `X25519`; OpenSSL's own list, which begins with X25519MLKEM768, when absent. */
  readonly groups?: string;
};

export function secureContextOptions(identity: Identity, policy: TlsPolicy = {}): SecureContextOptions {
  return {
    key: identity.keyPem,
    cert: identity.certPem,
    ca: identity.caPem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(policy.groups === undefined ? {} : { ecdhCurve: policy.groups }),
  };
}

const contexts = new WeakMap<Identity, Map<string, SecureContext>>();

/** The context of an identity, made once: parsing keys for every connection costs a third of a handshake. */
export function secureContextOf(identity: Identity, policy: TlsPolicy = {}): SecureContext {
  const byGroups = contexts.get(identity) ?? new Map<string, SecureContext>();
  contexts.set(identity, byGroups);
  const key = policy.groups ?? '';
  const context = byGroups.get(key) ?? createSecureContext(secureContextOptions(identity, policy));
  byGroups.set(key, context);
  return context;
}
