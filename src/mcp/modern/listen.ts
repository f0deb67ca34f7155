// `subscriptions/listen` (MCP 2026-07-28): one request that stays open and names the resources whose updates it wants. What its caller may not
// read, or what never changes, is left out of what is acknowledged; each update is a read of its own, as in the older revisions.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { Transport } from '../catalog/gate.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { createSubscriptions } from '../catalog/subscriptions.ts';
import type { McpDialectParts } from '../dialects/mcp-lists.ts';
import { RESOURCE_META } from '../dialects/mcp-results.ts';
import { MCP_LIMITS } from '../limits.ts';
import { RpcError } from '../protocol/rpc.ts';

export const LISTEN_METHOD = 'subscriptions/listen';

export type ResourceUpdate = { readonly uri: string; readonly meta: JsonObject };

export type Listening = {
  /** The request's params with the resources that are listened to. */
  readonly params: JsonObject;
  readonly resourceCount: number;
  close(): void;
};

/** `notify` rejects with Backlog while the client does not read; `most`: resources that it may listen to. */
export async function openListening(
  parts: McpDialectParts,
  init: {
    readonly scope: CallerScope;
    readonly transport: Transport;
    readonly params: JsonObject;
    readonly most?: number;
  },
  notify: (update: ResourceUpdate) => Promise<void>,
): Promise<Listening> {
  const { scope, transport, params, most = MCP_LIMITS.subscriptions } = init;
  const ended = new AbortController();
  const subscriptions = createSubscriptions({
    catalog: parts.catalog,
    read: (uri, contentId) => {
      const content = {
        method: 'resources/read' as const,
        params: { uri, ...(contentId === undefined ? {} : { 'content-id': contentId }) },
      };
      const request = { content, envelope: undefined, sessionId: undefined };
      return parts.dispatch(request, { ...scope, transport, signal: ended.signal, progress: () => {} });
    },
    notify: ({ uri, content }) => {
      const id = content.page?.contentId;
      return notify({ uri, meta: id === undefined ? {} : { [RESOURCE_META.contentId]: id } });
    },
  });
  const wanted = params['notifications'];
  const asked = wanted !== undefined && isJsonObject(wanted) ? wanted['resourceSubscriptions'] : undefined;
  const uris = Array.isArray(asked) ? [...new Set(asked.filter((uri) => typeof uri === 'string'))] : [];
  const honoured: string[] = [];
  for (const uri of uris.slice(0, Math.max(0, most))) {
    const { initial } = await subscriptions.add(uri).catch((error) => {
      if (!(error instanceof RpcError)) throw error;
      return { initial: { status: 'refused' as const } };
    });
    if (initial.status === 'answered') honoured.push(uri);
  }
  const notifications = Array.isArray(asked) ? { ...(wanted as JsonObject), resourceSubscriptions: honoured } : wanted;
  return {
    params: notifications === undefined ? params : { ...params, notifications },
    resourceCount: honoured.length,
    close() {
      subscriptions.close();
      ended.abort(new Error('the subscription ended'));
    },
  };
}
