// HTTP/1.1 and HTTP/2 on sockets that a listener accepted: the listener's party is the caller of every request on its socket. Refuses
// slow and idle peers, unknown paths, and browsers except on the agent's own pages: no other page may use the operator's certificate
// [CARD-1].
import { createServer as createHttp1Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { WebPages } from '#model/web.ts';
import type { OnRefused } from '../catalog/gate.ts';
import { MCP_LIMITS } from '../limits.ts';
import { resourceMetadata, type TokenCheck, withToken } from './bearer.ts';
import { createDraftPost, type DraftPostParts } from './draft-post.ts';
import { type HttpExchange, type HttpRefusal, header, reply, replyRefusal } from './exchange.ts';
import { createLateStreamable } from './late-streamable.ts';
import { servePages } from './pages.ts';
import type { StreamableParts } from './streamable.ts';

export type HttpParts = StreamableParts &
  DraftPostParts & {
    readonly onRefused: OnRefused;
    readonly port: number;
    /** For browsers; they decide themselves which requests of a browser they take. */
    readonly pages?: WebPages;
    /** Access tokens; absent: an Authorization header means nothing here. */
    readonly tokens?: TokenCheck;
  };

export type HttpServer = {
  serveHttp1(socket: Duplex, party: Party): void;
  serveHttp2(socket: Duplex, party: Party): void;
  close(): void;
};

const WELL_KNOWN_PATH = '/.well-known/mcp';
const MCP_PATH = '/mcp';

/** What Node's HTTP parser finds before there is a request to answer. */
const CLIENT_ERRORS: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

export function createHttpServer(parts: HttpParts): HttpServer {
  const streamable = createLateStreamable(parts);
  const draft = createDraftPost(parts);
  const route = createRouter(parts, streamable.handle, draft);

  const http1Parties = new WeakMap<Duplex, Party>();
  const http1 = createHttp1Server(
    {
      maxHeaderSize: MCP_LIMITS.headerBytes,
      headersTimeout: LIMITS.httpRequestMs,
      requestTimeout: LIMITS.httpRequestMs,
      keepAliveTimeout: MCP_LIMITS.httpIdleMs,
    },
    (request, response) => route({ request, response, party: http1Parties.get(request.socket)! }),
  );
  http1.on('clientError', (error: Error & { code?: string }, socket) => {
    const party = http1Parties.get(socket);
    if (party !== undefined)
      parts.onRefused({ party, transport: 'http', reason: `expected HTTP/1.1, got: ${error.code ?? error.message}` });
    if (socket.writable)
      socket.end(`HTTP/1.1 ${CLIENT_ERRORS.get(error.code) ?? '400 Bad Request'}\r\nconnection: close\r\n\r\n`);
    else socket.destroy();
  });
  // Node checks header and request time only on servers that listen; ours gets its sockets by hand.
  http1.emit('listening');

  const http2Parties = new WeakMap<Http2Session, Party>();
  const http2Sessions = new Set<Http2Session>();
  let arriving: Party | undefined;
  const http2 = createHttp2Server(
    {
      settings: {
        maxConcurrentStreams: MCP_LIMITS.http2Streams,
        maxHeaderListSize: MCP_LIMITS.headerBytes,
        enablePush: false,
      },
    },
    (request, response) => route({ request, response, party: http2Parties.get(request.stream.session!)! }),
  );
  http2.on('session', (session) => {
    if (arriving === undefined) return session.destroy();
    http2Parties.set(session, arriving);
    http2Sessions.add(session);
    session.once('close', () => http2Sessions.delete(session));
    session.on('error', () => session.destroy());
    session.setTimeout(MCP_LIMITS.httpIdleMs, () => session.close());
  });
  return {
    serveHttp1(socket, party) {
      http1Parties.set(socket, party);
      http1.emit('connection', socket);
    },
    serveHttp2(socket, party) {
      // The session is made within `emit`, so that the party and its session cannot be confused.
      arriving = party;
      http2.emit('connection', socket);
      arriving = undefined;
    },
    close() {
      streamable.close();
      draft.close();
      for (const session of http2Sessions) session.destroy();
      http1.closeAllConnections();
      http1.close();
    },
  };
}

function createRouter(
  parts: HttpParts,
  mcp: (exchange: HttpExchange) => Promise<HttpRefusal | undefined>,
  draft: ReturnType<typeof createDraftPost>,
): (exchange: HttpExchange) => void {
  const { pages, clock, tokens } = parts;
  const answer = async (arrived: HttpExchange): Promise<HttpRefusal | undefined> => {
    const path = arrived.request.url?.split('?')[0] ?? '';
    const metadata = tokens && resourceMetadata(arrived, path, tokens);
    if (metadata !== undefined) {
      reply(arrived, 200, metadata);
      return undefined;
    }
    const admitted = tokens ? await withToken(arrived, path, tokens) : { exchange: arrived };
    if ('refusal' in admitted) return admitted.refusal;
    const { exchange } = admitted;
    if (pages?.serves(path)) return servePages(exchange, path, { pages, clock });
    // Browsers send these with requests that a page makes; no client of ours is a page.
    if (header(exchange.request, 'origin') !== undefined || header(exchange.request, 'sec-fetch-site') !== undefined) {
      return { status: 403, code: WIRE_CODES.accessDenied, reason: 'expected no Origin, got a browser' };
    }
    if (path === MCP_PATH) return mcp(exchange);
    if (draft.serves(path)) return draft.handle(exchange, path);
    if (path !== WELL_KNOWN_PATH)
      return { status: 404, code: WIRE_CODES.methodNotFound, reason: 'expected a known path, got another' };
    if (exchange.request.method !== 'GET')
      return { status: 405, code: WIRE_CODES.invalidRequest, reason: 'expected GET, got another method' };
    reply(exchange, 200, wellKnown(parts));
    return undefined;
  };
  return (exchange) => {
    answer(exchange).then(
      (refusal) => {
        if (refusal === undefined) return;
        parts.onRefused({ party: exchange.party, transport: 'http', reason: refusal.reason, code: refusal.code });
        if (!exchange.response.headersSent && !exchange.response.destroyed) replyRefusal(exchange, refusal);
      },
      (error) => {
        parts.log.warn('an HTTP request failed', { party: exchange.party.name, error: String(error) });
        exchange.response.destroy();
      },
    );
  };
}

/** `/.well-known/mcp` (TS-33): what a client needs to know before it opens a session. */
function wellKnown(parts: HttpParts): JsonObject {
  const { serverInfo, node, port, capabilities } = parts;
  return { version: serverInfo.version, node, port, capabilities: [...capabilities].sort() };
}
