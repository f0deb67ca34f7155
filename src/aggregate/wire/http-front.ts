// The server's end of Streamable HTTP: one link a session. An answer is one JSON body in one write; events are sent only where something
// precedes the answer. Refuses large and slow bodies, foreign sessions, and browsers of other sites.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import { whenClosed } from '#base/when-closed.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { refuse, respond, respondKept } from './http-answers.ts';
import { type About, type Link, mayDrop, UNSET } from './link.ts';
import { decodeMessage } from './message.ts';
import { answerModern, isOfModernEra, type ModernServing } from './modern-exchange.ts';

export type HttpFrontInit = ModernServing & {
  readonly random: Random;
  /** Who sends a request, or why it is refused. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => Admission | Promise<Admission>;
  /** The document at a well-known path; undefined where there is none. */
  readonly metadata?: (request: IncomingMessage, response: ServerResponse) => JsonObject | undefined;
  /** Serves a new session; `query` is that of its first request. */
  readonly open: (link: Link, party: Party, query: URLSearchParams) => void;
};

export type Admission =
  | { readonly ok: true; readonly party: Party }
  | {
      readonly ok: false;
      readonly status: number;
      readonly reason: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

export type HttpFront = {
  readonly server: Server;
  serve(socket: Duplex): void;
  close(): void;
};

type Session = { readonly party: Party; readonly link: HttpServerLink };

const SESSION = 'mcp-session-id';
const PATH = '/mcp';

export function createHttpFront(init: HttpFrontInit): HttpFront {
  const sessions = new Map<string, Session>();
  const end = (id: string) => {
    const found = sessions.get(id);
    sessions.delete(id);
    found?.link.close();
  };
  const begin = (party: Party, query: URLSearchParams): [string, Session] => {
    if (sessions.size >= AGGREGATE_LIMITS.httpSessions) end(whoGivesWay(sessions));
    const id = randomHex(init.random, 16);
    const session = { party, link: createServerLink(id) };
    sessions.set(id, session);
    init.open(session.link, party, query);
    return [id, session];
  };
  const find = (request: IncomingMessage, party: Party): Session | undefined => {
    const id = String(request.headers[SESSION]);
    const found = sessions.get(id);
    if (found === undefined || !isSame(found.party, party)) return undefined;
    // The one that was used least recently stands first.
    sessions.delete(id);
    sessions.set(id, found);
    return found;
  };
  const post = async (request: IncomingMessage, response: ServerResponse, party: Party, query: URLSearchParams) => {
    const body = await readBody(request);
    if (typeof body === 'number') return refuse(response, body, 'expected a JSON body that is not too large');
    const message = decodeMessage(body);
    if (!message.ok) return refuse(response, 400, message.reason, WIRE_CODES.parse);
    if (isOfModernEra(request, message.value))
      return answerModern(init, request, response, { message: message.value, party, query });
    const isFirst =
      message.value.kind === 'request' &&
      message.value.method === 'initialize' &&
      request.headers[SESSION] === undefined;
    if (!isFirst && request.headers[SESSION] === undefined) return refuse(response, 400, 'expected a session id');
    const session = isFirst ? begin(party, query)[1] : find(request, party);
    if (session === undefined) return refuse(response, 404, 'expected a known session id', SESSION_NOT_FOUND);
    if (message.value.kind === 'request') session.link.exchange(message.value.id, response);
    else response.writeHead(202).end();
    if (message.value.kind === 'notification' && message.value.method === 'notifications/cancelled')
      session.link.abandon(message.value.params['requestId'] as RpcId);
    session.link.receive(message.value);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const at = request.url?.indexOf('?') ?? -1;
    const path = at === -1 ? request.url : request.url?.slice(0, at);
    const document = path?.startsWith(WELL_KNOWN) === true ? init.metadata?.(request, response) : undefined;
    if (document !== undefined) return respond(response, 200, JSON.stringify(document), {});
    const admission = init.admit(request, response);
    // Most requests are decided at once.
    const admitted = admission instanceof Promise ? await admission : admission;
    if (!admitted.ok)
      return refuse(response, admitted.status, admitted.reason, WIRE_CODES.accessDenied, admitted.headers);
    const { party } = admitted;
    if (path !== PATH) return refuse(response, 404, `expected ${PATH}`);
    if (request.method === 'POST')
      return post(request, response, party, new URLSearchParams(at === -1 ? '' : request.url?.slice(at)));
    const session = find(request, party);
    if (session === undefined) return refuse(response, 404, 'expected a known session id', SESSION_NOT_FOUND);
    if (request.method === 'GET') return session.link.listen(response);
    if (request.method !== 'DELETE') return refuse(response, 405, 'expected POST, GET or DELETE');
    end(String(request.headers[SESSION]));
    response.writeHead(204).end();
  };
  const server = serverOf(handle);
  return {
    server,
    serve: (socket) => void server.emit('connection', socket),
    close() {
      for (const id of [...sessions.keys()]) end(id);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The one that was used least recently: of those in which no client listens or waits, where there is one. */
function whoGivesWay(sessions: ReadonlyMap<string, Session>): string {
  const all = [...sessions];
  const [id] = all.find(([, { link }]) => link.isIdle) ?? all[0]!;
  return id;
}

/** A session answers only to the party that opened it, with the same rights. */
function isSame(one: Party, other: Party): boolean {
  return one.name === other.name && one.thumbprint === other.thumbprint && one.token?.key === other.token?.key;
}

const WELL_KNOWN = '/.well-known/';

function serverOf(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Server {
  const bounds = {
    maxHeaderSize: MCP_LIMITS.headerBytes,
    headersTimeout: LIMITS.httpRequestMs,
    requestTimeout: LIMITS.httpRequestMs,
    keepAliveTimeout: MCP_LIMITS.httpIdleMs,
  };
  return createServer(bounds, (request, response) => {
    handle(request, response).catch((error) =>
      response.headersSent ? response.destroy() : refuse(response, 500, messageOf(error)),
    );
  });
}

/** MCP: clients start a new session when theirs is answered with 404. */
const SESSION_NOT_FOUND = -32001;

/** The bytes, or the status of a refusal. */
function readBody(request: IncomingMessage): Promise<Buffer | number> {
  if (!String(request.headers['content-type']).startsWith('application/json')) return Promise.resolve(415);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    request.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > LIMITS.bodyBytes) {
        request.pause();
        resolve(413);
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    whenClosed(request, () => resolve(400));
    request.once('error', () => resolve(400));
  });
}

type HttpServerLink = Link & {
  /** The response to the request with this id goes here, and what precedes it. */
  exchange(id: RpcId, response: ServerResponse): void;
  /** The client has cancelled this request: no answer follows. */
  abandon(id: RpcId): void;
  /** A stream for what belongs to no request. */
  listen(response: ServerResponse): void;
  /** No response is open. */
  readonly isIdle: boolean;
};

const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };

function createServerLink(sessionId: string): HttpServerLink {
  const exchanges = new Map<RpcId, ServerResponse>();
  const waiting: string[] = [];
  let stream: ServerResponse | undefined;
  let closed = false;
  let announced = false;
  /** The id goes with the answer to initialize. */
  const sessionHeader = (): Record<string, string> => {
    if (announced) return {};
    announced = true;
    return { [SESSION]: sessionId };
  };
  const event = (response: ServerResponse, text: string) => {
    if (!response.headersSent) response.writeHead(200, { ...EVENTS, ...sessionHeader() });
    // A line break between tokens of JSON would end the event.
    const line = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
    response.write(`event: message\ndata: ${line}\n\n`);
  };
  const answer = (text: string, { id, kept }: Extract<About, { kind: 'response' }>) => {
    const response = exchanges.get(id);
    exchanges.delete(id);
    if (response === undefined || response.destroyed) return;
    if (kept !== undefined && !response.headersSent) return respondKept(response, id, kept, sessionHeader());
    if (!response.headersSent) return respond(response, 200, text, sessionHeader());
    event(response, text);
    response.end();
  };
  /** To the stream of the request that it belongs to, else to the one that the client keeps open, else kept for it. */
  const tell = (text: string, about: Exclude<About, { kind: 'response' }>) => {
    const own = about.related === undefined ? undefined : exchanges.get(about.related);
    if (own !== undefined && !own.destroyed) {
      if (!mayDrop(own, about)) event(own, text);
    } else if (stream !== undefined && !stream.destroyed && !stream.writableNeedDrain) event(stream, text);
    else if (waiting.push(text) > AGGREGATE_LIMITS.httpWaiting) waiting.shift();
  };
  const link: HttpServerLink = {
    ...UNSET,
    send(text, about) {
      if (closed) return;
      if (about.kind === 'response') answer(text, about);
      else tell(text, about);
    },
    start() {},
    close(reason) {
      if (closed) return;
      closed = true;
      for (const response of exchanges.values()) {
        if (response.headersSent) response.end();
        else refuse(response, 404, reason ?? 'the session has ended', SESSION_NOT_FOUND);
      }
      stream?.end();
      link.ended(reason);
    },
    get closed() {
      return closed;
    },
    get isIdle() {
      return exchanges.size === 0 && (stream === undefined || stream.destroyed);
    },
    exchange(id, response) {
      if (exchanges.has(id)) return refuse(response, 400, 'expected an id that no open request has');
      exchanges.set(id, response);
      whenClosed(response, () => exchanges.get(id) === response && exchanges.delete(id));
    },
    abandon(id) {
      const response = exchanges.get(id);
      exchanges.delete(id);
      if (response === undefined || response.headersSent) response?.end();
      else response.writeHead(202).end();
    },
    listen(response) {
      stream?.end();
      stream = response;
      response.writeHead(200, EVENTS);
      response.flushHeaders();
      for (const text of waiting.splice(0)) event(response, text);
      response.on('drain', () => {
        for (const text of waiting.splice(0)) event(response, text);
      });
    },
  };
  return link;
}
