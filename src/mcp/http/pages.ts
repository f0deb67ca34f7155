// Hands requests for paths outside MCP to the pages that the agent supplies (TS-12), and sends their replies. Knows nothing of their
// content; the caller is the party of the listener's socket.
import type { ServerResponse } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { whenClosed } from '#base/when-closed.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { WebPages, WebReply, WebRequest } from '#model/web.ts';
import { type HttpExchange, type HttpRefusal, header, readBody, readJsonBody } from './exchange.ts';

export async function servePages(
  exchange: HttpExchange,
  path: string,
  parts: { readonly pages: WebPages; readonly clock: Clock },
): Promise<HttpRefusal | undefined> {
  const gone = new AbortController();
  whenClosed(exchange.response, () => gone.abort(new Error('the caller went away')));
  try {
    const reply = await parts.pages.handle(requestOf(exchange, path, parts.clock, gone.signal));
    await send(exchange, reply, gone.signal);
    if (reply.refused === undefined) return undefined;
    return { status: reply.status, code: WIRE_CODES.accessDenied, reason: reply.refused };
  } catch (error) {
    if (gone.signal.aborted) return undefined;
    throw error;
  }
}

function requestOf(exchange: HttpExchange, path: string, clock: Clock, signal: AbortSignal): WebRequest {
  const { request, party } = exchange;
  return {
    party,
    method: request.method ?? '',
    path,
    host: header(request, ':authority') ?? header(request, 'host'),
    header: (name) => header(request, name),
    async readJson() {
      const body = await readJsonBody(exchange, clock);
      return body.ok ? body : { ok: false, status: body.refusal.status, reason: body.refusal.reason };
    },
    async readForm() {
      const body = await readBody(exchange, clock, 'application/x-www-form-urlencoded');
      if (body instanceof Uint8Array) return { ok: true, value: new URLSearchParams(Buffer.from(body).toString()) };
      return { ok: false, status: body.refusal.status, reason: body.refusal.reason };
    },
    signal,
  };
}

async function send({ request, response }: HttpExchange, reply: WebReply, gone: AbortSignal): Promise<void> {
  if (response.destroyed || gone.aborted) return;
  const to = response as ServerResponse;
  // What is left of a refused body is not read: the connection ends instead (HTTP/2 resets the stream by itself).
  const ending: Record<string, string> =
    reply.status >= 400 && request.httpVersionMajor === 1 && !request.complete ? { connection: 'close' } : {};
  to.writeHead(reply.status, { ...reply.headers, ...ending });
  if (typeof reply.body === 'string') {
    to.end(reply.body);
    return;
  }
  await reply.body((piece) => write(to, piece, gone));
  to.end();
}

function write(response: ServerResponse, piece: string | Uint8Array, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (gone.aborted) return reject(gone.reason);
    if (response.write(piece)) return resolve();
    const onGone = () => reject(gone.reason);
    gone.addEventListener('abort', onGone, { once: true });
    response.once('drain', () => {
      gone.removeEventListener('abort', onGone);
      resolve();
    });
  });
}
