// The troubleshooting draft's POST paths (§5 Step-2 and Step-3) [TS-14, TS-15]: `/mcp/initialize` issues a session id, and
// `/mcp/tool/call` and `/mcp/resource/read` use it, or the connection that `/mcp/initialize` came over: the draft names no id. The authorised
// set belongs to the certificate; without a session every call is refused with −32083, and the refusal says what is missing. Once a call is
// dispatched the status is 200 and the body decides.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { whenClosed } from '#base/when-closed.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CallerScope } from '../catalog/permission.ts';
import type { DraftParts } from '../dialects/draft-parts.ts';
import { runDraftCall } from '../dialects/draft-parts.ts';
import { draftMembers, negotiateDraft, parseDraftCall } from '../dialects/troubleshooting-draft.ts';
import { createFlight, type Flight } from '../protocol/flight.ts';
import { errorResponse, parseRpcMessage, RpcError, type RpcId } from '../protocol/rpc.ts';
import { createSessionCount, type OnSession, type SessionCount } from '../session-count.ts';
import { errorOf } from '../transports/rpc-session.ts';
import { type HttpExchange, type HttpRefusal, header, readJsonBody, reply } from './exchange.ts';
import { createSessionTable } from './session-table.ts';

export type DraftPostParts = DraftParts & {
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly onSession: OnSession;
};

export type DraftPost = {
  /** True when this path is one of the draft's. */
  serves(path: string): boolean;
  handle(exchange: HttpExchange, path: string): Promise<HttpRefusal | undefined>;
  close(): void;
};

type Session = {
  readonly scope: CallerScope;
  readonly flight: Flight;
  readonly ended: AbortController;
  readonly count: SessionCount;
};

/** Path → method of the draft's dialect. */
const PATHS: ReadonlyMap<string, 'mcp/initialize' | 'mcp/tool/call' | 'mcp/resource/read'> = new Map([
  ['/mcp/initialize', 'mcp/initialize'],
  ['/mcp/tool/call', 'mcp/tool/call'],
  ['/mcp/resource/read', 'mcp/resource/read'],
]);

export function createDraftPost(parts: DraftPostParts): DraftPost {
  const sessions = createSessionTable<Session>(parts.random, ({ ended, count }) => {
    count.end();
    ended.abort(new Error('the session ended'));
  });

  /** Session ids by the connection that they were given over. */
  const ofConnection = new WeakMap<object, string>();

  const initialize = (exchange: HttpExchange, body: JsonObject): HttpRefusal | undefined => {
    const message = parseRpcMessage(body);
    if (!message.ok) {
      const { reason, id = null } = message;
      return { status: 400, code: WIRE_CODES.invalidRequest, reason, id };
    }
    if (message.value.kind !== 'request' || message.value.method !== 'mcp/initialize') {
      return {
        status: 400,
        code: WIRE_CODES.invalidRequest,
        reason: 'expected an mcp/initialize request, got something else',
      };
    }
    const { id, params } = message.value;
    const { authorised, result } = negotiateDraft(parts, exchange.party, params);
    const opened = sessions.add(exchange.party, () => {
      const ended = new AbortController();
      const scope = { caller: exchange.party, authorised, sessionEnded: ended.signal };
      const count = createSessionCount(parts, exchange.party, 'http');
      count.heard(message.value);
      return { scope, flight: createFlight(), ended, count };
    });
    if (opened === undefined)
      return {
        status: 503,
        code: WIRE_CODES.busy,
        reason: `expected at most ${LIMITS.sessions} sessions, got one more`,
      };
    ofConnection.set(connectionOf(exchange), opened.id);
    reply(exchange, 200, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': opened.id });
    return undefined;
  };

  const call = async (exchange: HttpExchange, method: string, body: JsonObject): Promise<HttpRefusal | undefined> => {
    const given = header(exchange.request, 'mcp-session-id');
    const session = sessions.find(given ?? ofConnection.get(connectionOf(exchange)) ?? '', exchange.party);
    if (typeof session === 'string') {
      const got = session === 'foreign' ? 'that of another certificate' : given === undefined ? 'none' : 'another';
      const missing = 'expected mcp/initialize on this connection, or the mcp-session-id that it gave';
      // Whether an id is another party's is for the audit trail alone.
      return { status: 403, code: WIRE_CODES.accessDenied, reason: `${missing}, got ${got}`, told: missing };
    }
    const parsed = parseDraftCall(method, withContentId(exchange, method, body));
    if (!parsed.ok) return { status: 400, code: WIRE_CODES.invalidRequest, reason: parsed.reason };
    const id = idOf(body);
    const gone = new AbortController();
    whenClosed(exchange.response, () => gone.abort(new Error('the caller went away')));
    const scope = { ...session.scope, transport: 'http' as const };
    const { method: called, params } = parsed.value;
    session.count.heard({ kind: 'request', id: id ?? '', method, params, raw: body });
    const run = () => runDraftCall(parts, scope, called, params, gone.signal, { probeCaller: noWayBack });
    try {
      const members = draftMembers(await session.flight.run(run));
      const tag = members['content-id'];
      reply(exchange, 200, { jsonrpc: '2.0', id, ...members }, typeof tag === 'string' ? { 'content-id': tag } : {});
    } catch (error) {
      reply(exchange, 200, errorResponse(id, errorOf(error, parts.log)));
    }
    return undefined;
  };

  return {
    serves: (path) => PATHS.has(path),
    async handle(exchange, path) {
      if (exchange.request.method !== 'POST')
        return { status: 405, code: WIRE_CODES.invalidRequest, reason: 'expected POST, got another method' };
      const body = await readJsonBody(exchange, parts.clock);
      if (!body.ok) return body.refusal;
      const method = PATHS.get(path)!;
      if (method !== 'mcp/initialize') return call(exchange, method, body.value);
      try {
        return initialize(exchange, body.value);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return {
          status: error.code === WIRE_CODES.accessDenied ? 403 : 400,
          code: error.code,
          reason: String(error.data['detail'] ?? error.message),
          told: String(error.data['detail'] ?? error.message),
        };
      }
    },
    close: () => sessions.clear(),
  };
}

/** The TCP connection below the request, or its HTTP/2 session. */
function connectionOf({ request }: HttpExchange): object {
  return 'stream' in request ? (request.stream.session ?? request.stream) : request.socket;
}

/** TS-2: the tag of the content that the caller has, as the draft's header; a member of the body wins. */
function withContentId({ request }: HttpExchange, method: string, body: JsonObject): JsonObject {
  const tag = header(request, 'content-id');
  return method === 'mcp/resource/read' && tag !== undefined ? { 'content-id': tag, ...body } : body;
}

/** Nothing can be sent to the caller before its response, so its path cannot be probed. */
async function noWayBack(): Promise<never> {
  throw new Error('a POST of this draft has no return channel before its response');
}

/** The draft's bodies have no id; if a caller sends one, the response carries it. */
function idOf(body: JsonObject): RpcId | null {
  const { id } = body;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RpcId) : null;
}
