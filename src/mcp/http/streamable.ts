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
import { createMcpSession, type McpDialectParts } from '../dialects/mcp.ts';
import { MCP_LIMITS } from '../limits.ts';
import { findAnnouncement } from '../protocol/negotiation.ts';
import { parseRpcMessage, type RpcMessage } from '../protocol/rpc.ts';
import { scopeOf } from '../serve-frames.ts';
import { createSessionCount, type OnSession, type SessionCount } from '../session-count.ts';
import { createEventStore } from './event-store.ts';
import { type HttpExchange, type HttpRefusal, header, readJsonBody } from './exchange.ts';
import { type OpenStreams, watchStreams } from './open-streams.ts';
import { createSessionTable } from './session-table.ts';

export type StreamableParts = McpDialectParts & {
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly onSession: OnSession;
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
  const sessions = createSessionTable<Session>(parts.random, ({ server, count }) => {
    count.end();
    void server.close();
  });

  const open = async (
    exchange: HttpExchange,
    message: RpcMessage,
    scope: CallerScope,
  ): Promise<HttpRefusal | undefined> => {
    const opened = sessions.add(exchange.party, (id) => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        onsessionclosed: () => sessions.remove(id),
        maxRequestBodySize: LIMITS.bodyBytes,
        eventStore: createEventStore(),
        retryInterval: MCP_LIMITS.streamRetryMs,
      });
      const count = createSessionCount(parts, exchange.party, 'http');
      return { server: createMcpSession(parts, scope, 'http'), transport, streams: watchStreams(transport), count };
    });
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

  const find = (exchange: HttpExchange): Session | HttpRefusal => {
    const id = header(exchange.request, 'mcp-session-id');
    if (id === undefined)
      return { status: 400, code: WIRE_CODES.invalidRequest, reason: 'expected a session id, got none' };
    const session = sessions.find(id, exchange.party);
    if (typeof session === 'object') return session;
    const reason =
      session === 'foreign'
        ? 'expected an own session id, got that of another certificate'
        : 'expected a known session id, got another';
    return { status: 404, code: SESSION_NOT_FOUND, reason };
  };

  const post = async (exchange: HttpExchange): Promise<HttpRefusal | undefined> => {
    const body = await readJsonBody(exchange, parts.clock);
    if (!body.ok) return body.refusal;
    const message = parseRpcMessage(body.value);
    if (!message.ok) return { status: 400, code: WIRE_CODES.invalidRequest, reason: message.reason };
    if (
      message.value.kind === 'request' &&
      message.value.method === 'initialize' &&
      header(exchange.request, 'mcp-session-id') === undefined
    ) {
      const announced = findAnnouncement(message.value.params['capabilities']);
      if (announced?.ok === false) return { status: 400, code: WIRE_CODES.invalidParams, reason: announced.reason };
      return open(exchange, message.value, scopeOf(parts, exchange.party, announced?.value.capabilities ?? []));
    }
    const session = find(exchange);
    if ('status' in session) return session;
    await pass(exchange, session, message.value);
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
      const session = find(exchange);
      if ('status' in session) return session;
      await pass(exchange, session);
      return undefined;
    },
    close: () => sessions.clear(),
  };
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
