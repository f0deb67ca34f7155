// The client's end of Streamable HTTP: one POST a message, its answer as JSON or as events, and one GET stream for what the server sends by
// itself. Nothing is sent twice: an answer whose stream ends early is fetched where the server has said that it can be, and else its request fails.
// What the server has refused with 401 counts as not sent.
import { buildConnector, Pool } from 'undici';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createLinkHeaders, type TokenSource } from './http-headers.ts';
import { createPosts } from './http-posts.ts';
import { createStreams } from './http-stream.ts';
import { type Link, UNSET } from './link.ts';
import { decodeMessage } from './message.ts';

export type HttpLinkInit = {
  readonly url: string;
  readonly token?: TokenSource | undefined;
  /** As it is for a connection that is opened now. */
  readonly tls?: (() => HttpLinkTls) | undefined;
  readonly connections?: number;
  readonly maxBytes?: number;
};

export type HttpLinkTls = {
  /** The only CA that counts; the system's CAs when absent. */
  readonly ca?: string | undefined;
  /** Shown to the server. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
};

export type HttpLink = Link & {
  /** The revision that was agreed, for the header that goes with every later message. */
  agreed(version: string): void;
  /** Ends the exchange of this request, whose answer is not wanted any more. */
  abandon(id: number): void;
};

export function createHttpLink(init: HttpLinkInit): HttpLink {
  const url = new URL(init.url);
  const path = url.pathname + url.search;
  const maxBytes = init.maxBytes ?? AGGREGATE_LIMITS.leafMessageBytes;
  const pool = poolFor(url, init);
  const headers = createLinkHeaders(init.token);
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
    const own = headers.reading();
    if (!headers.hasSession || !own.ok) return;
    const signal = AbortSignal.timeout(500);
    await pool.request({ path, method: 'DELETE', headers: own.value, signal }).catch(() => {});
  };
  const receive = (bytes: Uint8Array, id: number | undefined): boolean => {
    const message = decodeMessage(bytes);
    if (!message.ok) return false;
    link.receive(message.value, id);
    return message.value.kind === 'response';
  };
  const common = {
    ...{ pool, path, maxBytes, receive, finish },
    isClosed: () => closed,
    failed: (id: number, reason: string) => link.failed(id, reason),
  };
  const streams = createStreams({
    ...common,
    takeHeaders: (refused, taken) => headers.take('reading', refused, taken),
    doubted: () => link.doubted(),
  });
  const posts = createPosts({ ...common, headers, streams, isInSession: () => hasStreams });
  const link: HttpLink = {
    ...UNSET,
    send(text, about) {
      if (closed) return;
      posts.send(text, about);
      // Servers of the older revisions do not answer what was cancelled: its stream would hold a connection for ever.
      if (about.kind === 'notification' && about.cancels !== undefined && hasStreams) posts.abandon(about.cancels);
    },
    agreed(version) {
      headers.agreed(version);
      hasStreams = true;
      queueMicrotask(streams.listen);
    },
    abandon: posts.abandon,
    start() {},
    close: finish,
    get closed() {
      return closed;
    },
  };
  return link;
}

function poolFor({ origin }: URL, { connections = 64, tls }: HttpLinkInit): Pool {
  const options = { connections, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 };
  if (tls === undefined) return new Pool(origin, options);
  // A connector keeps its certificate: each connection has its own.
  const connect: buildConnector.connector = (to, done) => buildConnector(connectorOptions(tls()))(to, done);
  return new Pool(origin, { ...options, connect });
}

function connectorOptions({ ca, cert, key }: HttpLinkTls): buildConnector.BuildOptions {
  const own = cert === undefined ? {} : { cert, key, minVersion: 'TLSv1.3' as const };
  return { ...(ca === undefined ? {} : { ca }), ...own };
}

/** Plain HTTP has no place between machines (MCP-AX §10.4). */
export function isAllowedUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}
