// An HTTP exchange of Node as the web's Request and Response, which the SDK's handler of MCP 2026-07-28 speaks. The body is parsed already.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { whenClosed } from '#base/when-closed.ts';
import type { HttpExchange } from './exchange.ts';

/** `signal` aborts when the client goes away before the response is whole. */
export function webRequest({ request, response }: HttpExchange): Request {
  const gone = new AbortController();
  whenClosed(response, () => {
    if (!response.writableFinished) gone.abort(new Error('the caller went away'));
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // Pseudo-headers of HTTP/2 are no names of the web's.
    if (value !== undefined && !name.startsWith(':'))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request('http://node/mcp', { method: 'POST', headers, signal: gone.signal });
}

export async function sendWebResponse({ request, response }: HttpExchange, web: Response): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const to = response as ServerResponse;
  const names = [...web.headers].filter(([name]) => request.httpVersionMajor === 1 || name !== 'connection');
  to.writeHead(web.status, { 'cache-control': 'no-store', ...Object.fromEntries(names) });
  to.flushHeaders();
  if (web.body === null) {
    to.end();
    return;
  }
  // A client that goes away ends its own exchange.
  await pipeline(Readable.fromWeb(web.body as never), to).catch(() => {});
}
