// MCP 2026-07-28: an SDK server for one request over HTTP, or for one connection over frames. The SDK checks the envelope of each request and
// writes the parts that every result has; the calls go to the dispatcher as in the older revisions, by the same catalog.
import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  MissingRequiredClientCapabilityError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '#base/json.ts';
import { type CallContext, type ClientCapability, WIRE_CODES } from '#model/definition.ts';
import type { HandledCall } from '#model/ports.ts';
import type { Transport } from '../catalog/gate.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { offersOf } from '../dialects/client-requests.ts';
import { instructionsFor } from '../dialects/instructions.ts';
import { countedProgress, createLogLevel } from '../dialects/mcp-client-side.ts';
import { answerList, capabilitiesOf, type McpDialectParts } from '../dialects/mcp-lists.ts';
import { callResult } from '../dialects/mcp-results.ts';
import { MCP_LIMITS } from '../limits.ts';
import { type CallMethod, type CallRequest, isCallMethod, parseCallRequest } from '../protocol/call-content.ts';
import type { Flight } from '../protocol/flight.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import { sharedValidator } from '../protocol/validator.ts';
import { createMarkedSender } from '../transports/backlog.ts';
import { modernError } from './era-errors.ts';
import { type OpenCall, startOpenCall, type Teller } from './open-call.ts';
import type { OpenCalls } from './open-calls.ts';

export type ModernInit = {
  readonly scope: CallerScope;
  readonly transport: Transport;
  readonly calls: OpenCalls;
  readonly flight: Flight;
  /** Hands what may be lost to its transport; rejects with Backlog while the client does not read. */
  readonly offer: (send: () => Promise<void>) => Promise<void>;
};

type Modern = ModernInit & { readonly parts: McpDialectParts };

/** Lists that stay as they are while the node runs. */
const KEPT_LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/templates/list']);
const LISTS: ReadonlySet<string> = new Set([...KEPT_LISTS, 'resources/list', 'completion/complete']);

/** Whether a method is answered here; what is not has no handler, and so the status that HTTP has for it. */
export function isServed(method: string): boolean {
  return LISTS.has(method) || isCallMethod(method);
}

export function createModernServer(parts: McpDialectParts, init: ModernInit): Server {
  const modern: Modern = { ...init, parts };
  const instructions = instructionsFor(parts.node, parts.catalog, init.scope);
  const server = new Server(parts.serverInfo, {
    capabilities: capabilitiesOf(parts, init.scope) as object,
    jsonSchemaValidator: sharedValidator as never,
    ...(instructions === undefined ? {} : { instructions }),
  });
  server.fallbackRequestHandler = async ({ method, params }, context) =>
    init.flight
      .run(() => answer(modern, method, (params ?? {}) as JsonObject, context))
      .catch((error) => {
        throw modernError(error);
      }) as never;
  return server;
}

async function answer(modern: Modern, method: string, params: JsonObject, context: ServerContext): Promise<JsonObject> {
  const { parts, scope } = modern;
  if (isCallMethod(method)) return call(modern, method, params, context);
  const { signal } = context.mcpReq;
  const own: CallContext = { caller: scope.caller, signal, progress: () => {} };
  const listed = await answerList(parts.catalog, scope, { method, params }, own);
  if (listed === undefined) {
    const detail = method.slice(0, 120);
    throw new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), { detail });
  }
  return KEPT_LISTS.has(method) ? { ...listed, ttlMs: MCP_LIMITS.listTtlMs, cacheScope: 'private' } : listed;
}

async function call(
  modern: Modern,
  method: CallMethod,
  params: JsonObject,
  context: ServerContext,
): Promise<JsonObject> {
  const request = parseCallRequest(method, params);
  if (!request.ok) {
    const detail = request.reason;
    throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail });
  }
  const { mcpReq } = context;
  const binding = { party: modern.scope.caller, method, params: request.value.content.params };
  const state = mcpReq.requestState<unknown>();
  const isNew = state === undefined;
  const open = isNew ? begin(modern, request.value, context) : await modern.calls.take(state, binding);
  open.teller = tellerOf(modern, params, context);
  if (!isNew) open.answer(mcpReq.inputResponses ?? {});
  const onGone = () => open.abort(new Error('the caller went away'));
  mcpReq.signal.addEventListener('abort', onGone, { once: true });
  try {
    const round = await open.next();
    if (round.kind === 'done') return answered(modern, open, method, request.value, round.handled);
    const requestState = await modern.calls.keep(open, binding);
    return { resultType: 'input_required', inputRequests: round.requests as unknown as JsonObject, requestState };
  } finally {
    mcpReq.signal.removeEventListener('abort', onGone);
    open.teller = undefined;
  }
}

function begin({ parts, scope, transport }: Modern, request: CallRequest, { mcpReq }: ServerContext): OpenCall {
  const capabilities = (envelopeOf(mcpReq)[CLIENT_CAPABILITIES_META_KEY] ?? {}) as JsonObject;
  return startOpenCall({
    offers: offersOf(capabilities),
    given: mcpReq.inputResponses ?? {},
    run: (side) => parts.dispatch(request, { ...scope, ...side, transport, probeCaller: noWayBack }),
  });
}

/** What the client said of itself with this request. */
function envelopeOf({ envelope }: ServerContext['mcpReq']): JsonObject {
  return (envelope ?? {}) as unknown as JsonObject;
}

/** This revision has no requests to clients, not even ping. */
async function noWayBack(): Promise<never> {
  throw new Error('this revision of MCP has no requests to clients');
}

function answered(
  { parts }: Modern,
  { lacked }: OpenCall,
  method: CallMethod,
  request: CallRequest,
  handled: HandledCall,
): JsonObject {
  if (handled.status === 'refused' && lacked !== undefined && handled.data['errorCode'] === 'caller/client-cannot')
    throw lacking(lacked);
  try {
    return callResult(method, request, handled, parts.catalog);
  } catch (error) {
    if (!(error instanceof RpcError) || method !== 'resources/read') throw error;
    throw new RpcError(error.code, error.message, { ...error.data, uri: request.content.params['uri']! });
  }
}

function lacking(capability: ClientCapability): Error {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { [capability]: {} } });
}

/** Nothing is logged to a client that has not asked for it with this request. */
function tellerOf(modern: Modern, params: JsonObject, { mcpReq }: ServerContext): Teller {
  const send = (method: string) =>
    createMarkedSender((told) => modern.offer(() => mcpReq.notify({ method, params: told } as never)));
  const level = createLogLevel();
  const wanted = envelopeOf(mcpReq)[LOG_LEVEL_META_KEY];
  if (typeof wanted === 'string') level.set(wanted);
  const message = send('notifications/message');
  return {
    progress: countedProgress(params, send('notifications/progress')),
    log(severity, data) {
      if (wanted !== undefined && level.passes(severity)) message({ level: severity, logger: 'parley', data });
    },
  };
}
