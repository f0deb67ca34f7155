// `/mcp`: Streamable HTTP for any MCP client, by the SDK's own transport, one SDK server for each session [CARD-1]. The body is
// bounded and strict before the SDK sees it; a session answers only to the certificate that opened it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { createMcpSession } from '../dialects/mcp.ts';
import type { McpDialectParts } from '../dialects/mcp-lists.ts';
import { MCP_LIMITS } from '../limits.ts';
import type { OpenCalls } from '../modern/open-calls.ts';
import { scopeOf } from '../opening.ts';
import { findAnnouncement } from '../protocol/negotiation.ts';
import { parseRpcMessage, type RpcMessage, type RpcRequest } from '../protocol/rpc.ts';
import { createSessionCount, type OnSession, type SessionCount } from '../session-count.ts';
import { createEventStore } from './event-store.ts';
import { type HttpExchange, type HttpRefusal, header, readJsonBody, reply } from './exchange.ts';
import { createModernHttp } from './modern-http.ts';
import { type OpenStreams, watchStreams } from './open-streams.ts';
import { createSessionTable, type SessionTable } from './session-table.ts';

export type StreamableParts = McpDialectParts & {
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly onSession: OnSession;
  readonly calls: OpenCalls;
};

export type Streamable = {
  /** Answers the exchange, or returns why it is refused. */
  handle(exchange: HttpExchange): Promise<HttpRefusal | undefined>;
  close(): void;
};

type Session = {
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
  readonly streams: OpenStreams;
  readonly count: SessionCount;
};

/** MCP: clients start a new session when theirs is answered with 404. */
const SESSION_NOT_FOUND = -32001;

export function createStreamable(parts: StreamableParts): Streamable {
  const dispose = ({ server, count }: Session) => {
    count.end();
    void server.close();
  };
  const sessions = createSessionTable<Session>(parts.random, dispose, ({ streams }) => streams.isOpen);

  const open = async (
    exchange: HttpExchange,
    message: RpcMessage,
    scope: CallerScope,
  ): Promise<HttpRefusal | undefined> => {
    const opened = sessions.add(exchange.party, (id) =>
      createSession(parts, exchange, { id, scope, closed: () => sessions.remove(id) }),
    );
    if (opened === undefined)
      return {
        status: 503,
        code: WIRE_CODES.busy,
        reason: `expected at most ${LIMITS.sessions} sessions, got one more`,
      };
    const { server, transport } = opened.session;
    server.onerror = (error) =>
      parts.log.debug('an MCP session reported an error', { party: exchange.party.name, error: String(error) });
    // The SDK declares its optional members without `undefined`, which exactOptionalPropertyTypes distinguishes.
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await pass(exchange, opened.session, message);
    if (transport.sessionId === undefined) sessions.remove(opened.id);
    return undefined;
  };

  const modern = createModernHttp(parts);
  const initialize = async (exchange: HttpExchange, message: RpcRequest): Promise<HttpRefusal | undefined> => {
    const announced = findAnnouncement(message.params['capabilities']);
    if (announced?.ok === false)
      return { status: 400, code: WIRE_CODES.invalidParams, reason: announced.reason, id: message.id };
    return open(exchange, message, scopeOf(parts, exchange.party, announced?.value.capabilities ?? []));
  };

  const post = async (exchange: HttpExchange): Promise<HttpRefusal | undefined> => {
    const body = await readJsonBody(exchange, parts.clock);
    if (!body.ok) return body.refusal;
    if (await modern.handle(exchange, body.value)) return undefined;
    const message = parseRpcMessage(body.value);
    if (!message.ok) {
      const { reason, id = null } = message;
      return { status: 400, code: WIRE_CODES.invalidRequest, reason, id };
    }
    const { value } = message;
    if (value.kind === 'request' && header(exchange.request, 'mcp-session-id') === undefined) {
      if (value.method === 'initialize') return initialize(exchange, value);
      if (value.method === 'ping') {
        reply(exchange, 200, { jsonrpc: '2.0', id: value.id, result: {} });
        return undefined;
      }
    }
    const session = findSession(sessions, exchange);
    if ('status' in session) return value.kind === 'request' ? { ...session, id: value.id } : session;
    await pass(exchange, session, value);
    return undefined;
  };

  return {
    async handle(exchange) {
      if (exchange.request.method === 'POST') return post(exchange);
      if (exchange.request.method !== 'GET' && exchange.request.method !== 'DELETE') {
        return {
          status: 405,
          code: WIRE_CODES.invalidRequest,
          reason: 'expected POST, GET or DELETE, got another method',
        };
      }
      const session = findSession(sessions, exchange);
      if ('status' in session) return session;
      await pass(exchange, session);
      return undefined;
    },
    close: () => sessions.clear(),
  };
}

function findSession(sessions: SessionTable<Session>, { request, party }: HttpExchange): Session | HttpRefusal {
  const id = header(request, 'mcp-session-id');
  if (id === undefined)
    return { status: 400, code: WIRE_CODES.invalidRequest, reason: 'expected a session id, got none' };
  const session = sessions.find(id, party);
  if (typeof session === 'object') return session;
  const reason =
    session === 'foreign'
      ? 'expected an own session id, got that of another certificate'
      : 'expected a known session id, got another';
  return { status: 404, code: SESSION_NOT_FOUND, reason };
}

function createSession(
  parts: StreamableParts,
  { party }: HttpExchange,
  init: { readonly id: string; readonly scope: CallerScope; readonly closed: () => void },
): Session {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => init.id,
    onsessionclosed: init.closed,
    maxRequestBodySize: LIMITS.bodyBytes,
    eventStore: createEventStore(),
    retryInterval: MCP_LIMITS.streamRetryMs,
  });
  const count = createSessionCount(parts, party, 'http');
  return { server: createMcpSession(parts, init.scope, 'http'), transport, streams: watchStreams(transport), count };
}

async function pass(
  { request, response }: HttpExchange,
  { transport, streams, count }: Session,
  message?: RpcMessage,
): Promise<void> {
  if (message !== undefined) count.heard(message);
  streams.add(response);
  if (request.httpVersionMajor === 2) dropConnectionHeader(response as ServerResponse);
  await transport.handleRequest(request as IncomingMessage, response as ServerResponse, message?.raw);
}

/** The SDK sets `connection` on event streams, which HTTP/2 forbids (RFC 9113 §8.2.2) and Node warns of. */
function dropConnectionHeader(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    headers?: Record<string, string>,
  ) => ServerResponse;
  const withoutConnection = (status: number, headers: Record<string, string> = {}) =>
    writeHead(
      status,
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'connection')),
    );
  response.writeHead = withoutConnection as typeof response.writeHead;
}
