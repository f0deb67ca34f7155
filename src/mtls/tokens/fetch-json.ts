// One JSON document over HTTPS, bounded in time and size. Follows no redirect: an identity provider that moves is configured anew.
import { get } from 'node:https';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { TOKEN_LIMITS } from './limits.ts';

/** `caPem`: the only CA that counts; the system's CAs when absent. Rejects with `peer/unreachable` or `peer/protocol`, or with the signal's reason. */
export function fetchJson(url: URL, caPem: string | undefined, signal: AbortSignal): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const odd = (what: string) =>
      reject(new ParleyError('peer/protocol', `expected a JSON document at ${url}, ${what}`));
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(TOKEN_LIMITS.issuerFetchMs)]);
    const options = { signal: bounded, headers: { accept: 'application/json' }, agent: false as const };
    const request = get(url, { ...options, ...(caPem === undefined ? {} : { ca: caPem }) }, (response) => {
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
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
