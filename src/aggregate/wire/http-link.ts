// The client's end of Streamable HTTP: one POST a message, its answer as JSON or as events, and one GET stream for what the server sends by
// itself. Nothing is sent twice: an answer whose stream ends early is fetched where the server has said that it can be, and else its request fails.
import { Pool } from 'undici';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createExchange, GIVEN_UP, type Headers } from './http-exchange.ts';
import { createStreams } from './http-stream.ts';
import { type Link, UNSET } from './link.ts';
import { decodeMessage } from './message.ts';

export type HttpLinkInit = {
  readonly url: string;
  /** Such as the token for this server, and for no other. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections?: number;
  readonly maxBytes?: number;
};

export type HttpLink = Link & {
  /** The revision that was agreed, for the header that goes with every later message. */
  agreed(version: string): void;
  /** Ends the exchange of this request, whose answer is not wanted any more. */
  abandon(id: number): void;
};

const SESSION = 'mcp-session-id';

export function createHttpLink(init: HttpLinkInit): HttpLink {
  const url = new URL(init.url);
  const path = url.pathname + url.search;
  const maxBytes = init.maxBytes ?? AGGREGATE_LIMITS.leafMessageBytes;
  const pool = new Pool(url.origin, {
    connections: init.connections ?? 64,
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
  });
  let headers: Record<string, string> = { ...init.headers, accept: 'application/json, text/event-stream' };
  const posting: Record<string, string> = { 'content-type': 'application/json' };
  const exchanges = new Map<number, { abort(reason: Error): void }>();
  let closed = false;
  /** In a session of the older revisions; there is none before it has begun. */
  let hasStreams = false;

  const finish = (reason?: string) => {
    if (closed) return;
    closed = true;
    link.ended(reason);
    void endSession().finally(() => pool.destroy().catch(() => {}));
  };
  const endSession = async () => {
    if (headers[SESSION] === undefined) return;
    await pool.request({ path, method: 'DELETE', headers, signal: AbortSignal.timeout(500) }).catch(() => {});
  };
  const keepSession = (answered: Headers) => {
    const given = answered[SESSION];
    if (typeof given === 'string' && headers[SESSION] === undefined) headers = { ...headers, [SESSION]: given };
  };
  const receive = (bytes: Uint8Array, id: number | undefined): boolean => {
    const message = decodeMessage(bytes);
    if (!message.ok) return false;
    link.receive(message.value, id);
    return message.value.kind === 'response';
  };
  const streams = createStreams({
    ...{ pool, path, maxBytes, receive, finish },
    headers: () => headers,
    isClosed: () => closed,
    failed: (id, reason) => link.failed(id, reason),
  });
  const link: HttpLink = {
    ...UNSET,
    send(text, about) {
      if (closed) return;
      const id = about.kind === 'request' ? about.id : undefined;
      const handler = createExchange({
        id,
        maxBytes,
        receive,
        keepSession,
        hasSession: () => headers[SESSION] !== undefined,
        began: (controller) => id !== undefined && exchanges.set(id, controller),
        done: () => id !== undefined && exchanges.delete(id),
        resume(place) {
          if (id === undefined || closed || !hasStreams) return false;
          exchanges.delete(id);
          streams.resume(id, place);
          return true;
        },
        fail: (reason, isGone) => {
          if (id !== undefined) link.failed(id, reason);
          if (isGone) finish(reason);
        },
      });
      const own = about.kind === 'request' ? about.headers : undefined;
      pool.dispatch({ path, method: 'POST', headers: { ...headers, ...posting, ...own }, body: text }, handler);
    },
    agreed(version) {
      hasStreams = true;
      headers = { ...headers, 'mcp-protocol-version': version };
      queueMicrotask(streams.listen);
    },
    abandon(id) {
      exchanges.get(id)?.abort(new Error(GIVEN_UP));
    },
    start() {},
    close: finish,
    get closed() {
      return closed;
    },
  };
  return link;
}

/** Plain HTTP has no place between machines (MCP-AX §10.4). */
export function isAllowedUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}
