// The keys of an identity provider (OpenID Connect Discovery 1.0, RFC 8414): fetched at the start and again from time to time, beside the calls.
// No call waits for the network: an unknown key is refused, and looked for aside. Keys that could not be confirmed for a day are not believed.
import type { JWK } from 'jose';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { fetchJson } from './fetch-json.ts';
import type { FindKey } from './issuers.ts';
import { TOKEN_LIMITS } from './limits.ts';

export type IssuerKeys = {
  /** undefined: none were fetched, or those that were are too old. */
  current(): FindKey | undefined;
  /** A token named a key that is not among them: they are fetched again, at most once in `issuerRetryMs`. */
  lookAgain(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type IssuerKeysInit = {
  /** Without a path of its own metadata: `https://idp.example`. */
  readonly issuer: string;
  readonly caPem?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

export function createIssuerKeys(init: IssuerKeysInit): IssuerKeys {
  const { issuer, clock, log } = init;
  const ended = new AbortController();
  let keys: { readonly find: FindKey; readonly atMs: number } | undefined;
  let triedMs = Number.NEGATIVE_INFINITY;
  let wake = () => {};
  let lastFault = '';
  let loop: Promise<void> = Promise.resolve();

  const fetchOnce = async () => {
    triedMs = clock.monotonicMs();
    try {
      const { createLocalJWKSet } = await import('jose');
      const find = createLocalJWKSet({ keys: await fetchKeys(init, ended.signal) });
      keys = { find, atMs: clock.monotonicMs() };
      if (lastFault !== '') log.info('keys of an identity provider were fetched', { issuer });
      lastFault = '';
      return true;
    } catch (error) {
      if (!ended.signal.aborted && messageOf(error) !== lastFault)
        log.warn('keys of an identity provider could not be fetched', { issuer, reason: messageOf(error) });
      lastFault = messageOf(error);
      return false;
    }
  };
  const run = async () => {
    while (!ended.signal.aborted) {
      const fetched = await fetchOnce();
      const woken = new AbortController();
      wake = () => woken.abort();
      const delayMs = fetched ? TOKEN_LIMITS.issuerRefreshMs : TOKEN_LIMITS.issuerRetryMs;
      await clock.sleep(delayMs, AbortSignal.any([ended.signal, woken.signal])).catch(() => {});
    }
  };
  return {
    current() {
      const isOld = keys !== undefined && clock.monotonicMs() - keys.atMs >= TOKEN_LIMITS.issuerKeysMaxMs;
      return isOld ? undefined : keys?.find;
    },
    lookAgain() {
      if (clock.monotonicMs() - triedMs >= TOKEN_LIMITS.issuerRetryMs) wake();
    },
    async start() {
      loop = run();
    },
    async stop() {
      ended.abort();
      await loop;
    },
  };
}

/** Rejects with `peer/protocol` for metadata of another issuer, or keys elsewhere than behind TLS. */
async function fetchKeys({ issuer, caPem }: IssuerKeysInit, signal: AbortSignal): Promise<JWK[]> {
  const base = issuer.replace(/\/$/, '');
  const metadata = await fetchJson(new URL(`${base}/.well-known/openid-configuration`), { caPem }, signal);
  if (metadata['issuer'] !== issuer)
    throw new ParleyError('peer/protocol', `expected the metadata of ${issuer}, got that of another issuer`);
  const { jwks_uri: uri } = metadata;
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'https:')
    throw new ParleyError('peer/protocol', `expected an https address of the keys of ${issuer}, got another`);
  return usable(await fetchJson(url, { caPem }, signal), issuer);
}

/** Public keys for signatures alone: a symmetric one in a public document would be everyone's. */
function usable({ keys }: JsonObject, issuer: string): JWK[] {
  const all: readonly JsonValue[] = Array.isArray(keys) ? keys : [];
  const found = all.flatMap((key) => (isJsonObject(key) && isSigning(key) ? [key as JWK] : []));
  if (found.length > 0 && found.length <= TOKEN_LIMITS.issuerKeys) return found;
  const expected = `1 to ${TOKEN_LIMITS.issuerKeys} signing keys`;
  throw new ParleyError('peer/protocol', `expected ${expected} of ${issuer}, got ${found.length}`);
}

function isSigning({ kty, use, d }: JsonObject): boolean {
  return ['EC', 'OKP', 'RSA'].includes(String(kty)) && (use === undefined || use === 'sig') && d === undefined;
}
