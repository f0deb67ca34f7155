// The MCP specification's dialect: an SDK Server for each session, whose calls go to the dispatcher. Results carry typed
// JSON in `structuredContent` and our envelope in `_meta`; a failed tool is a result with `isError` that holds code, name
// and data of NET-13. Requests reach us unparsed, so that the signature over them can be checked as they were sent.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  JSONRPCRequest,
  Result as McpResult,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { ENVELOPE_META, type SignedEnvelope } from '#model/envelope.ts';
import type { OfferContext } from '#model/offer.ts';
import { WIRE_CODES } from '#model/offer.ts';
import type { HandledCall } from '#model/ports.ts';
import { type CallRequest, envelopeJson, parseCallRequest } from '../call-content.ts';
import type { CallerScope, Catalog } from '../catalog.ts';
import { createFlight, type Dispatch, type Flight, type Refused } from '../dispatch.ts';
import { listResources, listResourceTemplates, listTools } from '../listing.ts';
import { PARLEY_EXPERIMENT } from '../negotiation.ts';
import { nameOfCode, RpcError } from '../rpc.ts';
import { sharedValidator } from '../validator.ts';

export type ServerInfo = { readonly name: string; readonly version: string };

/** Member of a progress notification's `_meta` that holds data for programs that know us [TS-27]. */
export const PROGRESS_META = 'io.parley/progress';

export type McpDialectParts = {
  readonly serverInfo: ServerInfo;
  readonly node: string;
  readonly capabilities: readonly string[];
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A new SDK server for one session; two sessions never share one, since the SDK tells answers apart by id alone. */
export function createMcpSession(parts: McpDialectParts, scope: CallerScope, transport: Refused['transport']): Server {
  const server = new Server(parts.serverInfo, {
    capabilities: {
      tools: {},
      resources: {},
      experimental: { [PARLEY_EXPERIMENT]: { node: parts.node, capabilities: parts.capabilities } },
    },
    jsonSchemaValidator: sharedValidator,
  });
  const flight: Flight = createFlight();
  server.fallbackRequestHandler = async (request, extra) =>
    (await flight.run(() => answer(parts, scope, transport, request, extra as Extra))) as McpResult;
  return server;
}

async function answer(
  parts: McpDialectParts,
  scope: CallerScope,
  transport: Refused['transport'],
  request: JSONRPCRequest,
  extra: Extra,
): Promise<JsonObject> {
  const params = (request.params ?? {}) as JsonObject;
  const progress = createProgress(params, extra);
  const context: OfferContext = { caller: scope.caller, signal: extra.signal, progress };
  switch (request.method) {
    case 'tools/list':
      return listTools(parts.catalog, scope);
    case 'resources/list':
      return listResources(parts.catalog, scope, context);
    case 'resources/templates/list':
      return listResourceTemplates(parts.catalog, scope);
    case 'tools/call':
    case 'resources/read': {
      const call = parseCallRequest(request.method, params);
      if (!call.ok)
        throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail: call.reason });
      const handled = await parts.dispatch(call.value, { ...scope, transport, signal: extra.signal, progress });
      return request.method === 'tools/call' ? toolResult(handled) : resourceResult(call.value, handled, parts.catalog);
    }
    default:
      throw new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), {
        detail: request.method.slice(0, 120),
      });
  }
}

function toolResult(handled: HandledCall): JsonObject {
  if (handled.status === 'answered') {
    const content = [{ type: 'text', text: canonicalJsonText(handled.body) }];
    return { content, structuredContent: handled.body, ...metaOf(handled.envelope) };
  }
  const { code, message, data } = handled;
  const detail = data['detail'];
  const text = typeof detail === 'string' ? `${message}: ${detail}` : message;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    structuredContent: { code, name: message, data },
    ...metaOf(handled.envelope),
  };
}

function resourceResult(call: CallRequest, handled: HandledCall, catalog: Catalog): JsonObject {
  if (handled.status === 'refused') throw refusalError(handled);
  const uri = call.content.params['uri'] as string;
  const mimeType = catalog.findResource(uri)?.mimeType ?? 'application/json';
  return { contents: [{ uri, mimeType, text: canonicalJsonText(handled.body) }], ...metaOf(handled.envelope) };
}

/** A refusal as a JSON-RPC error; its envelope travels in `data`. */
export function refusalError(handled: Extract<HandledCall, { status: 'refused' }>): RpcError {
  const { code, message, data, envelope } = handled;
  return new RpcError(
    code,
    message,
    envelope === undefined ? data : { ...data, [ENVELOPE_META]: envelopeJson(envelope) },
  );
}

export function metaOf(envelope: SignedEnvelope | undefined): JsonObject {
  return envelope === undefined ? {} : { _meta: { [ENVELOPE_META]: envelopeJson(envelope) } };
}

/** Progress must grow with every notification (MCP 2025-11-25, progress); steps that do not advance count a thousandth. */
function createProgress(params: JsonObject, extra: Extra): OfferContext['progress'] {
  const token = (params['_meta'] as { progressToken?: string | number } | undefined)?.progressToken;
  if (token === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  return (done, total, message, data) => {
    last = done > last ? done : last + 0.001;
    const meta = data === undefined ? {} : { _meta: { [PROGRESS_META]: data } };
    const counted = { progressToken: token, progress: last, message, ...(total === undefined ? {} : { total }) };
    extra
      .sendNotification({ method: 'notifications/progress', params: { ...counted, ...meta } } as ServerNotification)
      .catch(() => {});
  };
}
