// One JSON document over HTTPS, bounded in time and size. Follows no redirect: an identity provider that moves is configured anew.
import { request as openRequest } from 'node:https';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { TOKEN_LIMITS } from './limits.ts';

export type FetchJsonInit = {
  /** The only CA that counts; the system's CAs when absent. */
  readonly caPem?: string | undefined;
  /** Shown as a client, where there is one. */
  readonly identity?: { readonly certPem: string; readonly keyPem: string } | undefined;
  /** A form to post; a GET when absent. */
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Rejects with `peer/unreachable` or `peer/protocol`, or with the signal's reason. */
export function fetchJson(url: URL, init: FetchJsonInit, signal: AbortSignal): Promise<JsonObject> {
  const { caPem, identity, form } = init;
  const body = form?.toString();
  return new Promise((resolve, reject) => {
    const odd = (what: string) =>
      reject(new ParleyError('peer/protocol', `expected a JSON document at ${url}, ${what}`));
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(TOKEN_LIMITS.issuerFetchMs)]);
    const options = {
      signal: bounded,
      agent: false as const,
      headers: { accept: 'application/json', ...(body === undefined ? {} : FORM), ...init.headers },
      ...(body === undefined ? {} : { method: 'POST' }),
      ...(caPem === undefined ? {} : { ca: caPem }),
      ...(identity === undefined ? {} : { cert: identity.certPem, key: identity.keyPem }),
    };
    const request = openRequest(url, options, (response) => {
      if (response.statusCode !== 200) {
        response.destroy();
        return odd(`got status ${response.statusCode}`);
      }
      const pieces: Uint8Array[] = [];
      let byteCount = 0;
      response.on('data', (piece: Uint8Array) => {
        pieces.push(piece);
        byteCount += piece.length;
        if (byteCount <= TOKEN_LIMITS.issuerBytes) return;
        response.destroy();
        odd(`got more than ${TOKEN_LIMITS.issuerBytes} bytes`);
      });
      response.on('error', unreachable);
      response.on('end', () => {
        const value = parsed(Buffer.concat(pieces).toString());
        return isJsonObject(value) ? resolve(value) : odd('got something else');
      });
    });
    const unreachable = (cause: Error) =>
      signal.aborted
        ? reject(signal.reason)
        : reject(new ParleyError('peer/unreachable', `no answer of ${url}: ${messageOf(cause)}`, { cause }));
    request.on('error', unreachable);
    request.end(body);
  });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
