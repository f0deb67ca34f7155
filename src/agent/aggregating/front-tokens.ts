// Access tokens that clients of an aggregator bring over mutual TLS and HTTP (AX-15, TS-29): each must be for this aggregator (RFC 8707) and bound
// to the certificate of its connection. None is passed on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '#aggregate/wire/http-front.ts';
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import { resourceMetadata, withToken } from '#mcp/http/bearer.ts';
import { createAccess } from '#model/access.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import type { Secure } from '../hierarchy/open-asking.ts';
import { createTokens, readIssuerCas } from '../parts/tokens.ts';

export type FrontTokens = {
  admit(request: IncomingMessage, response: ServerResponse, party: Party): Admission | Promise<Admission>;
  /** The document at this path by which clients learn who gives tokens for this aggregator (RFC 9728). */
  metadata(request: IncomingMessage, response: ServerResponse, party: Party): JsonObject | undefined;
  /** Whose certificate alone permits nothing. */
  needsToken(party: Party): boolean;
  close(): Promise<void>;
};

export type FrontTokenParts = {
  readonly secure: Secure;
  readonly port: number;
  readonly chains: WeakMap<Party, CertificateChain>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Rejects with `caller/unreadable-file`. */
export async function openFrontTokens(config: AggregateConfig, parts: FrontTokenParts): Promise<FrontTokens> {
  const { secure, port, chains, clock, log } = parts;
  const { live, trust } = secure;
  const access = createAccess();
  const { domain } = live.current().party;
  const { check, part } = createTokens(
    {
      config: { node: config.node, domain, listen: { port, names: [] }, tokens: config.tokens },
      identity: live.current,
      verifyNow: (chain, atMs = trust.nowMs()) => verifyChain(chain, live.current().caPem, atMs),
      ...{ trust, clock, log, callerChains: chains },
    },
    access,
    await readIssuerCas(config),
  );
  await part.start?.();
  const needsToken = (party: Party) => access.isOf(party, config.tokens.required);
  return {
    needsToken,
    admit(request, response, party) {
      if (request.headers.authorization === undefined && !needsToken(party)) return { ok: true, party };
      return withToken({ request, response, party }, request.url ?? '', check).then((verdict): Admission => {
        if ('exchange' in verdict) return { ok: true, party: verdict.exchange.party };
        const { status, reason, headers } = verdict.refusal;
        return { ok: false, status, reason, headers };
      });
    },
    metadata: (request, response, party) =>
      resourceMetadata({ request, response, party }, request.url?.split('?')[0] ?? '', check),
    close: async () => part.stop?.(),
  };
}
