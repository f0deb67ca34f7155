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
import { PRIVACY_LEVEL } from '#model/consent.ts';
import { type CallContext, WIRE_CODES } from '#model/definition.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { completeArgument } from '../catalog/completion.ts';
import type { Dispatch } from '../catalog/dispatch.ts';
import type { Transport } from '../catalog/gate.ts';
import { listPrompts, listResources, listResourceTemplates, listTools } from '../catalog/listing.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { createSubscriptions, type Subscriptions } from '../catalog/subscriptions.ts';
import { parseCallRequest } from '../protocol/call-content.ts';
import { createFlight, type Flight } from '../protocol/flight.ts';
import { PARLEY_EXPERIMENT } from '../protocol/negotiation.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import { sharedValidator } from '../protocol/validator.ts';
import {
  clientSideOf,
  createCallerProbe,
  createLogLevel,
  createProgress,
  type Extra,
  type LogLevel,
} from './mcp-client-side.ts';
import { promptResult, RESOURCE_META, refusalError, resourceResult, toolResult } from './mcp-results.ts';
import { startPromptStream } from './prompt-stream.ts';

export type ServerInfo = { readonly name: string; readonly version: string };

export type McpDialectParts = {
  readonly serverInfo: ServerInfo;
  readonly node: string;
  readonly capabilities: readonly string[];
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
  /** `capabilities.network` of NET-1; absent without such a device. */
  readonly network?: () => JsonObject | undefined;
};

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
  const network = parts.network?.();
  const role = parts.catalog.roleOf(scope);
  const announced = {
    [PARLEY_EXPERIMENT]: {
      node: parts.node,
      capabilities: parts.capabilities,
      ...(role === undefined ? {} : { role }),
    },
  };
  const capabilities = {
    tools: { listChanged: false },
    resources: { subscribe: true, listChanged: false },
    prompts: { listChanged: false },
    completions: {},
    logging: {},
    // NET-1, and once more where clients that drop unknown members still see it.
    ...(network === undefined ? {} : { network }),
    // TS-32, in both places for the same reason.
    'privacy-level': PRIVACY_LEVEL,
    experimental: {
      ...announced,
      'privacy-level': { level: PRIVACY_LEVEL },
      ...(network === undefined ? {} : { network }),
    },
  };
  const server = new Server(parts.serverInfo, {
    capabilities: capabilities as ServerCapabilities,
    jsonSchemaValidator: sharedValidator,
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
    (await flight.run(() => answer(session, request, extra as Extra))) as McpResult;
  return server;
}

async function answer(session: Session, request: JSONRPCRequest, extra: Extra): Promise<JsonObject> {
  const { parts, scope } = session;
  const params = (request.params ?? {}) as JsonObject;
  const progress = createProgress(params, extra);
  const context: CallContext = { caller: scope.caller, signal: extra.signal, progress };
  switch (request.method) {
    case 'tools/list':
      return listTools(parts.catalog, scope, params);
    case 'resources/list':
      return listResources(parts.catalog, scope, context);
    case 'resources/templates/list':
      return listResourceTemplates(parts.catalog, scope);
    case 'prompts/list':
      return listPrompts(parts.catalog, scope);
    case 'completion/complete':
      return completeArgument(parts.catalog, scope, params, context);
    case 'resources/subscribe':
      return subscribe(session, uriOf(params));
    case 'resources/unsubscribe':
      session.subscriptions.remove(uriOf(params));
      return {};
    case 'tools/call':
    case 'resources/read':
    case 'resources/write':
    case 'prompts/get':
      return call(session, request.method, params, extra, progress);
    default:
      throw new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), {
        detail: request.method.slice(0, 120),
      });
  }
}

async function call(
  session: Session,
  method: 'tools/call' | 'resources/read' | 'resources/write' | 'prompts/get',
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
  switch (method) {
    case 'tools/call':
      return toolResult(request.value, handled, parts.catalog);
    case 'resources/read':
      return resourceResult(request.value, handled, parts.catalog);
    case 'prompts/get':
      if (params['stream'] === true && handled.status === 'answered') {
        const push = (message: JsonObject) =>
          session.server.notification({ method: 'notifications/prompts/stream', params: message } as never);
        return startPromptStream({ ...session, request: request.value, first: handled, push }, promptResult(handled));
      }
      return promptResult(handled);
    default:
      if (handled.status === 'refused') throw refusalError(handled);
      return handled.body as JsonObject;
  }
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
