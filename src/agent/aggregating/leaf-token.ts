// The access token for one server below (AX-15, RFC 8707): from a file, or from an authorization server, and renewed before it ends. A token that
// is for another server, or that two servers would get, is never sent.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { TokenSource } from '#aggregate/wire/http-headers.ts';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { Identity } from '#mtls/identity.ts';
import { audienceFault, type GivenToken, requestToken, type TokenRequest } from '#mtls/tokens/request-token.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type HttpLeaf = Extract<AggregateConfig['leaves'][number], { url: string }>;

export type LeafToken = TokenSource & {
  /** Sees to it that there is one in force. Rejects with `caller/config-invalid`, `peer/unreachable` or `peer/protocol`, or with the signal's reason. */
  ready(): Promise<void>;
};

export type LeafTokenParts = {
  /** As it is now; undefined without one. */
  readonly identity: () => Pick<Identity, 'certPem' | 'keyPem'> | undefined;
  /** Which server has which token, by digest. */
  readonly held: Map<string, string>;
  readonly clock: Clock;
  /** Nothing is asked for any more. */
  readonly signal: AbortSignal;
  readonly log: Log;
};

/** What is the same in each request. */
type Standing = Omit<TokenRequest, 'nowMs' | 'identity'>;

/** Of a token's life; the rest is for the network and for another try. */
const RENEW_AT = 2 / 3;

/** Undefined for a server that needs none. */
export async function createLeafToken(leaf: HttpLeaf, parts: LeafTokenParts): Promise<LeafToken | undefined> {
  if (leaf.tokenFile !== undefined) return fromFile(leaf, leaf.tokenFile, parts);
  return leaf.token === undefined ? undefined : fromServer(await requestFor(leaf, leaf.token), leaf, parts);
}

/** What tokens call this server; one is asked for by the first of these names. */
function namesOf({ url, audience }: HttpLeaf): readonly [string, ...string[]] {
  const [resource = addressOf(url), ...others] = [audience ?? []].flat();
  return [resource, ...others];
}

/** Two servers may be called the same in tokens; their addresses tell them apart. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function fromFile(leaf: HttpLeaf, file: string, { held }: LeafTokenParts): LeafToken {
  let token: Result<string> = bad(`expected a token in ${file}, it was not read yet`);
  const leafToken: LeafToken = {
    async ready() {
      const text = (await readFile(file, 'utf8')).trim();
      const fault = audienceFault(text, namesOf(leaf)) ?? sharedFault(held, text, addressOf(leaf.url));
      token = fault === undefined ? ok(text) : bad(`${file}: ${fault}`);
      if (!token.ok) throw new ParleyError('caller/config-invalid', `leaves: ${leaf.segment}: ${token.reason}`);
    },
    current: () => token,
    /** The file may have another one when it is read again. */
    async another(refused) {
      const fault = await leafToken.ready().then(() => undefined, messageOf);
      if (fault !== undefined) return bad(fault);
      return token.ok && token.value === refused ? bad(`expected another token in ${file}, got the same`) : token;
    },
  };
  return leafToken;
}

/** A token that no one but its server can read must not go to two of them: each could use it at the other. */
function sharedFault(held: Map<string, string>, token: string, address: string): string | undefined {
  const digest = createHash('sha256').update(token).digest('base64url');
  const other = held.get(digest);
  if (other !== undefined && other !== address)
    return `expected a token for ${address} alone, got the one for ${other}`;
  for (const [each, of] of held) if (of === address) held.delete(each);
  held.set(digest, address);
  return undefined;
}

async function requestFor(
  leaf: HttpLeaf,
  { endpoint, ca, clientId, secretFile, scope }: NonNullable<HttpLeaf['token']>,
): Promise<Standing> {
  const secret = secretFile === undefined ? undefined : (await readFile(secretFile, 'utf8')).trim();
  const client = clientId === undefined ? undefined : { id: clientId, secret };
  const caPem = ca === undefined ? undefined : await readFile(ca, 'utf8');
  const [resource, ...otherNames] = namesOf(leaf);
  return { endpoint: new URL(endpoint), caPem, resource, otherNames, scope, client };
}

function fromServer(request: Standing, leaf: HttpLeaf, parts: LeafTokenParts): LeafToken {
  const { clock, log, held, identity, signal } = parts;
  let given: (GivenToken & { readonly renewMs: number }) | undefined;
  let asking: Promise<void> | undefined;
  /** Requests ask for another token when it is time, and when one is refused; the authorization server is left alone between. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  const isInForce = () => given !== undefined && clock.nowMs() < given.endsMs;
  const ask = async () => {
    const nowMs = clock.nowMs();
    // A certificate may have been renewed since.
    const own = request.client?.secret === undefined ? identity() : undefined;
    const next = await requestToken({ ...request, identity: own, nowMs }, signal);
    const fault = sharedFault(held, next.token, addressOf(leaf.url));
    if (fault !== undefined) throw new ParleyError('peer/protocol', `token of ${request.endpoint.host}: ${fault}`);
    given = { ...next, renewMs: nowMs + (next.endsMs - nowMs) * RENEW_AT };
  };
  const askOnce = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const askSoon = () => {
    notBeforeMs = clock.monotonicMs() + AGENT_LIMITS.leafTokenRetryMs;
    return askOnce();
  };
  return {
    async ready() {
      if (!isInForce()) await askOnce();
    },
    current() {
      if (given === undefined || !isInForce()) return bad(`expected a token for ${request.resource} that is in force`);
      if (clock.nowMs() >= given.renewMs && clock.monotonicMs() >= notBeforeMs)
        askSoon().catch((error) => {
          if (!signal.aborted) log.warn('a token was not renewed', { segment: leaf.segment, reason: messageOf(error) });
        });
      return ok(given.token);
    },
    async another(refused) {
      const isOther = () => given !== undefined && isInForce() && given.token !== refused;
      if (!isOther()) {
        if (asking === undefined && clock.monotonicMs() < notBeforeMs)
          return bad(`another token was asked for within the last ${AGENT_LIMITS.leafTokenRetryMs / 1_000} s`);
        const fault = await (asking ?? askSoon()).then(() => undefined, messageOf);
        if (fault !== undefined) return bad(fault);
      }
      return isOther() ? ok(given!.token) : bad('expected another token of the authorization server, got the same');
    },
  };
}
