// Access tokens at this node (TS-29): whose count here, from the configuration; the part that keeps keys of identity providers current; and what
// HTTP needs to check them. Wiring only.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { Result } from '#base/result.ts';
import type { Config } from '#config/schema.ts';
import { hostNamesOf } from '#console/own-host.ts';
import type { TokenCheck } from '#mcp/http/bearer.ts';
import type { Access } from '#model/access.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { Identity } from '#mtls/identity.ts';
import { partyUri } from '#mtls/party.ts';
import { createTokenDoor } from '#mtls/tokens/door.ts';
import { createIssuerKeys, type IssuerKeys } from '#mtls/tokens/issuer-keys.ts';
import { providerIssuer, registrarIssuer, type TokenIssuer } from '#mtls/tokens/issuers.ts';
import type { Trust } from '#mtls/trust.ts';
import type { Part } from '../lifecycle.ts';

export type TokenParts = {
  readonly config: Pick<Config, 'node' | 'domain'> & {
    readonly listen: Pick<Config['listen'], 'port' | 'names'>;
    readonly tokens: Pick<Config['tokens'], 'issuers' | 'required' | 'audiences'>;
  };
  readonly identity: () => Identity;
  /** A revoked registrar issues nothing that counts. */
  readonly verifyNow: (chain: CertificateChain, atMs?: number) => Result<Party>;
  readonly trust: Pick<Trust, 'nowMs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly callerChains: {
    get(caller: Party): CertificateChain | undefined;
    set(caller: Party, chain: CertificateChain): unknown;
  };
};

export type Tokens = { readonly part: Part; readonly check: TokenCheck };

export function createTokens(
  parts: TokenParts,
  access: Pick<Access, 'isOf'>,
  caFiles: ReadonlyMap<string, string>,
): Tokens {
  const { config, trust, callerChains } = parts;
  const identity = parts.identity();
  // A clock that is years behind must bring no ended token back.
  const clock = { nowMs: () => trust.nowMs() };
  const keys: IssuerKeys[] = [];
  const issuers = config.tokens.issuers.map((each): TokenIssuer => {
    if ('registrar' in each) {
      const ofChain = (chain: readonly string[]) => parts.verifyNow(chain);
      return registrarIssuer({ domain: config.domain, name: each.registrar, ceiling: each.role, verifyChain: ofChain });
    }
    const { url: issuer, role: ceiling, scopes } = each;
    const ofIssuer = createIssuerKeys({ ...parts, issuer, caPem: each.ca && caFiles.get(each.ca) });
    keys.push(ofIssuer);
    return providerIssuer({ issuer, ceiling, scopes, keys: ofIssuer });
  });
  const resources = resourcesOf(config, identity);
  const door = createTokenDoor({
    issuers,
    audiences: [...resources, partyUri(identity.party), ...config.tokens.audiences],
    needsToken: (party) => access.isOf(party, config.tokens.required),
    onParty: (made, from) => {
      const chain = callerChains.get(from);
      if (chain !== undefined) callerChains.set(made, chain);
    },
    clock,
  });
  return {
    part: {
      name: 'keys of identity providers',
      start: async () => {
        for (const each of keys) await each.start();
      },
      stop: async () => {
        for (const each of keys) await each.stop();
      },
    },
    check: {
      admit: door.admit,
      resources,
      authorizationServers: config.tokens.issuers.flatMap((each) => each.url ?? []),
    },
  };
}

/** The CAs of identity providers, by path. Rejects with `caller/unreadable-file`. */
export async function readIssuerCas(config: {
  readonly tokens: Pick<Config['tokens'], 'issuers'>;
}): Promise<ReadonlyMap<string, string>> {
  const paths = config.tokens.issuers.flatMap((each) => ('ca' in each && each.ca !== undefined ? [each.ca] : []));
  const read = async (path: string) => {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      const message = `expected the CA of an identity provider in ${path} (tokens.issuers), got: ${messageOf(cause)}`;
      throw new ParleyError('caller/unreadable-file', message, { cause });
    });
    return [path, text] as const;
  };
  return new Map(await Promise.all(paths.map(read)));
}

/** `https://pe1.lab.example:9514/mcp`, and the same for the other names of this node. */
export function resourcesOf(
  config: Pick<TokenParts['config'], 'node' | 'domain' | 'listen'>,
  identity: Pick<Identity, 'dnsNames'>,
): readonly string[] {
  const [short, full, ...others] = hostNamesOf(config, identity.dnsNames);
  const names = [...new Set([full!, short!, ...others])];
  return names.map((name) => new URL(`https://${name}:${config.listen.port}/mcp`).href);
}
