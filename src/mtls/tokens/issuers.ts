// Whose access tokens a node accepts: registrar nodes of its own domain, which sign with the key that their certificate binds, and identity
// providers whose keys are fetched aside. The configuration names each of them; nothing in a token adds one.
import type { createLocalJWKSet, JWSHeaderParameters } from 'jose';
import { bad, ok, type Result } from '#base/result.ts';
import type { CertificateChain, Party, Role } from '#model/identity.ts';
import { partyUri } from '../party.ts';

export type TokenIssuer = {
  /** `iss`, exactly. */
  readonly issuer: string;
  /** At most what this role may do. */
  readonly ceiling: Role;
  /** Scopes of its own words, and which of ours each stands for. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** Signature algorithms of its keys; never a symmetric one, never `none` (RFC 8725 §3.1). */
  readonly algorithms: readonly string[];
  keyFor(header: JWSHeaderParameters): Promise<Result<Key>>;
};

/** Finds a key by what a header says of it; rejects when there is none, or more than one. */
export type FindKey = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<FindKey>>;

/** Header parameter with the certificates of a registrar, base64 DER, leaf first: private to these tokens (RFC 7515 §4.3). */
export const CHAIN_HEADER = 'parley-chain';

/** A registrar signs with its node's Ed25519 key, as it signs everything else; the chain says which key that is. */
export function registrarIssuer(init: {
  readonly domain: string;
  readonly name: string;
  readonly ceiling: Role;
  /** Against the domain's CA, now. */
  readonly verifyChain: (chain: CertificateChain) => Result<Party>;
}): TokenIssuer {
  const { domain, name, ceiling } = init;
  return {
    issuer: partyUri({ kind: 'node', domain, name }),
    ceiling,
    scopes: {},
    algorithms: ['EdDSA'],
    async keyFor(header) {
      const chain = (header as Readonly<Record<string, unknown>>)[CHAIN_HEADER];
      if (!Array.isArray(chain) || !chain.every((each) => typeof each === 'string'))
        return bad(`expected the certificates of ${name} in the token's header, got none`);
      const party = init.verifyChain(chain);
      if (!party.ok) return bad(`certificate of the token's issuer: ${party.reason}`);
      if (party.value.kind !== 'node' || party.value.name !== name || party.value.signingKey === undefined)
        return bad(`expected a token that ${name} signed, got one of ${party.value.kind}/${party.value.name}`);
      const x = Buffer.from(party.value.signingKey, 'hex').toString('base64url');
      const { importJWK } = await import('jose');
      return ok((await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA')) as Key);
    },
  };
}

const PUBLIC_KEY_ALGORITHMS = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
];

export function providerIssuer(init: {
  readonly issuer: string;
  readonly ceiling: Role;
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly keys: { current(): FindKey | undefined; lookAgain(): void };
}): TokenIssuer {
  const { issuer, ceiling, scopes, keys } = init;
  return {
    issuer,
    ceiling,
    scopes,
    algorithms: PUBLIC_KEY_ALGORITHMS,
    async keyFor(header) {
      const find = keys.current();
      if (find === undefined) {
        keys.lookAgain();
        return bad(`the keys of ${issuer} are not known here yet, or too old: try again in a minute`);
      }
      try {
        // Only what selects a key: a key or an address of keys in the token itself is an attacker's.
        const { alg, kid } = header;
        return ok(await find({ ...(alg === undefined ? {} : { alg }), ...(kid === undefined ? {} : { kid }) }));
      } catch {
        keys.lookAgain();
        return bad(
          `expected a token under one key of ${issuer}, got one under a key that is unknown here: try again in a minute`,
        );
      }
    },
  };
}
