// The MCP specification's dialect: an SDK Server for each session, whose calls go to the dispatcher. Results carry typed
// JSON in `structuredContent` and our envelope in `_meta`; a failed tool is a result with `isError` that holds code, name
// and data of NET-13. Requests reach us unparsed, so that the signature over them can be checked as they were sent.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type JSONRPCRequest,
  type Result as McpResult,
  type ServerCapabilities,
  type ServerNotification,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { type CallContext, WIRE_CODES } from '#model/definition.ts';
import type { Transport } from '../catalog/gate.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { createSubscriptions, type Subscriptions } from '../catalog/subscriptions.ts';
import { type CallMethod, isCallMethod, parseCallRequest } from '../protocol/call-content.ts';
import { createFlight, type Flight } from '../protocol/flight.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import { sharedValidator } from '../protocol/validator.ts';
import { instructionsFor } from './instructions.ts';
import {
  clientSideOf,
  createCallerProbe,
  createLogLevel,
  createProgress,
  type Extra,
  type LogLevel,
} from './mcp-client-side.ts';
import { answerList, capabilitiesOf, type McpDialectParts } from './mcp-lists.ts';
import { callResult, promptResult, RESOURCE_META, refusalError, told } from './mcp-results.ts';
import { startPromptStream } from './prompt-stream.ts';

type Session = {
  readonly parts: McpDialectParts;
  readonly scope: CallerScope;
  readonly transport: Transport;
  readonly server: Server;
  readonly subscriptions: Subscriptions;
  readonly level: LogLevel;
};

/** A new SDK server for one session; two sessions never share one, since the SDK tells answers apart by id alone. */
export function createMcpSession(parts: McpDialectParts, caller: CallerScope, transport: Transport): Server {
  const ended = new AbortController();
  const scope = { ...caller, sessionEnded: ended.signal };
  const capabilities = { ...capabilitiesOf(parts, scope), logging: {} };
  const instructions = instructionsFor(parts.node, parts.catalog, scope);
  const server = new Server(parts.serverInfo, {
    capabilities: capabilities as ServerCapabilities,
    jsonSchemaValidator: sharedValidator,
    ...(instructions === undefined ? {} : { instructions }),
  });
  const level = createLogLevel();
  server.setRequestHandler(SetLevelRequestSchema, async ({ params }) => {
    level.set(params.level);
    return {};
  });
  const subscriptions = sessionSubscriptions(parts, scope, transport, server);
  server.onclose = () => {
    subscriptions.close();
    ended.abort(new Error('the session ended'));
  };
  const session: Session = { parts, scope, transport, server, subscriptions, level };
  const flight: Flight = createFlight();
  server.fallbackRequestHandler = async (request, extra) =>
    (await flight
      .run(() => answer(session, request, extra as Extra))
      .catch((error) => {
        throw told(error);
      })) as McpResult;
  return server;
}

async function answer(session: Session, request: JSONRPCRequest, extra: Extra): Promise<JsonObject> {
  const { parts, scope } = session;
  const params = (request.params ?? {}) as JsonObject;
  const progress = createProgress(params, extra);
  const context: CallContext = { caller: scope.caller, signal: extra.signal, progress };
  const { method } = request;
  if (method === 'resources/subscribe') return subscribe(session, uriOf(params));
  if (method === 'resources/unsubscribe') {
    session.subscriptions.remove(uriOf(params));
    return {};
  }
  if (isCallMethod(method)) return call(session, method, params, extra, progress);
  const listed = await answerList(parts.catalog, scope, { method, params }, context);
  if (listed !== undefined) return listed;
  throw new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), {
    detail: method.slice(0, 120),
  });
}

async function call(
  session: Session,
  method: CallMethod,
  params: JsonObject,
  extra: Extra,
  progress: CallContext['progress'],
): Promise<JsonObject> {
  const { parts, scope, transport } = session;
  const request = parseCallRequest(method, params);
  if (!request.ok) throw invalid(request.reason);
  const client = clientSideOf(extra, session.level, session.server.getClientCapabilities());
  const probeCaller = createCallerProbe(extra);
  const reached = { transport, signal: extra.signal, progress, client, probeCaller };
  const handled = await parts.dispatch(request.value, { ...scope, ...reached });
  if (method === 'prompts/get' && params['stream'] === true && handled.status === 'answered') {
    const push = (message: JsonObject) =>
      session.server.notification({ method: 'notifications/prompts/stream', params: message } as never);
    return startPromptStream({ ...session, request: request.value, first: handled, push }, promptResult(handled));
  }
  return callResult(method, request.value, handled, parts.catalog);
}

async function subscribe(session: Session, uri: string): Promise<JsonObject> {
  const { initial } = await session.subscriptions.add(uri);
  if (initial.status === 'refused') throw refusalError(initial);
  return {};
}

/** MCP clients get a notification without contents and read the resource themselves. */
function sessionSubscriptions(
  parts: McpDialectParts,
  scope: CallerScope,
  transport: Transport,
  server: Server,
): Subscriptions {
  const signal = new AbortController().signal;
  return createSubscriptions({
    catalog: parts.catalog,
    read: (uri, contentId) => {
      const params = { uri, ...(contentId === undefined ? {} : { 'content-id': contentId }) };
      const content = { method: 'resources/read', params };
      const request = { content, envelope: undefined, sessionId: undefined };
      return parts.dispatch(request, { ...scope, transport, signal, progress: () => {} });
    },
    notify: ({ uri, content }) => {
      const id = content.page?.contentId;
      const meta = id === undefined ? {} : { _meta: { [RESOURCE_META.contentId]: id } };
      const notification = { method: 'notifications/resources/updated', params: { uri, ...meta } };
      return server.notification(notification as ServerNotification);
    },
  });
}

function uriOf(params: JsonObject): string {
  const uri = params['uri'];
  if (!isJsonObject(params) || typeof uri !== 'string')
    throw invalid('expected params.uri to be a string, got something else');
  return uri;
}

function invalid(detail: string): RpcError {
  return new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail });
}
