// The shapes of the MCP-NET draft's worked example, on ALPN `mcp` when `initialize` does not carry our experiment [NET-14]:
// bare result objects, resource contents with `data`, JSON-RPC errors of NET-13, a `close` request that ends the session.
// A node that speaks this dialect has negotiated nothing and may use nothing; operators and controllers get what their role allows.
import type { JsonObject } from '#base/json.ts';
import type { CallerScope } from '../catalog.ts';
import { listResources, listResourceTemplates, listTools } from '../listing.ts';
import type { RpcAnswer, RpcMethods } from '../transports/rpc-session.ts';
import { type DraftCall, type DraftParts, listingContext, runDraftCall, unknownMethod } from './draft-parts.ts';
import { metaOf, refusalError } from './mcp.ts';

/** Revision that the draft's example speaks. */
const PROTOCOL_VERSION = '2025-06-18';

export function createMcpNetMethods(parts: DraftParts, scope: CallerScope): RpcMethods {
  return async (request, signal) => {
    const { method, params } = request;
    const frames = { ...scope, transport: 'frames' as const };
    switch (method) {
      case 'initialize':
        return result(initializeResult(parts, params));
      case 'ping':
        return result({});
      case 'close':
        return { ...result({}), close: true };
      case 'tools/list':
        return result(listTools(parts.catalog, scope));
      case 'resources/list':
        return result(await listResources(parts.catalog, scope, listingContext(scope, signal)));
      case 'resources/templates/list':
        return result(listResourceTemplates(parts.catalog, scope));
      case 'tools/call':
        return result(bareResult(await runDraftCall(parts, frames, method, params, signal)));
      case 'resources/read':
        return result(contentsResult(parts, await runDraftCall(parts, frames, method, params, signal)));
      default:
        throw unknownMethod(method);
    }
  };
}

function result(value: JsonObject): RpcAnswer {
  return { members: { result: value } };
}

function initializeResult(parts: DraftParts, params: JsonObject): JsonObject {
  const asked = params['protocolVersion'];
  return {
    protocolVersion: typeof asked === 'string' && asked.length <= 32 ? asked : PROTOCOL_VERSION,
    capabilities: { resources: { subscribe: false }, tools: { listChanged: false } },
    serverInfo: parts.serverInfo,
  };
}

function bareResult({ handled }: DraftCall): JsonObject {
  if (handled.status === 'refused') throw refusalError(handled);
  return { ...handled.body, ...metaOf(handled.envelope) };
}

function contentsResult(parts: DraftParts, { request, handled }: DraftCall): JsonObject {
  if (handled.status === 'refused') throw refusalError(handled);
  const uri = request.content.params['uri'] as string;
  const mimeType = parts.catalog.findResource(uri)?.mimeType ?? 'application/json';
  return { contents: [{ uri, mimeType, data: handled.body }], ...metaOf(handled.envelope) };
}
