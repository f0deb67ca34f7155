// What the drafts' dialects have in common: a call goes to the dispatcher, everything else is refused by its code.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type CallContext, type ClientCapability, type PromptStep, WIRE_CODES } from '#model/definition.ts';
import type { HandledCall } from '#model/ports.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Dispatch } from '../catalog/dispatch.ts';
import type { Transport } from '../catalog/gate.ts';
import { listDraftTools, listPrompts, listResources, listResourceTemplates } from '../catalog/listing.ts';
import type { CallerScope } from '../catalog/permission.ts';
import { createSubscriptions, type Subscriptions, type Update } from '../catalog/subscriptions.ts';
import { type CallMethod, type CallRequest, parseCallRequest } from '../protocol/call-content.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import type { PeerSide } from '../transports/rpc-session.ts';
import { clientCannot, neededFor } from './client-requests.ts';
import { metaOf, stepMeta, withMeta } from './mcp-results.ts';

export type DraftParts = {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: readonly string[];
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
  /** `capabilities.network` of NET-1. */
  readonly network?: () => JsonObject | undefined;
};

/** Sends notifications to the peer; they reject when the session has ended. */
export type Push = {
  /** What may be lost: rejects with Backlog while the peer does not read. */
  offer(method: string, params: JsonObject): Promise<void>;
  /** What may not: resolves when the socket took it. */
  send(method: string, params: JsonObject): Promise<void>;
};

export type DraftCall = { readonly request: CallRequest; readonly handled: HandledCall };

/** Requests to the caller while its call runs. */
export type WayBack = Pick<CallContext, 'probeCaller' | 'client'>;

/** `offers`: whether the client has named this capability when it introduced itself (TS-5, TS-7). */
export function wayBackTo(peer: PeerSide, offers: (capability: ClientCapability) => boolean): WayBack {
  return {
    probeCaller: peer.probe,
    client: {
      // The drafts have no log messages, and their answers come on the same connection.
      log: () => {},
      detach: () => {},
      offers,
      async request(method, params, signal) {
        const needed = neededFor(method);
        if (needed === undefined || !offers(needed)) throw clientCannot(needed ?? method);
        return peer.request(method, params, signal ?? AbortSignal.timeout(LIMITS.samplingMs));
      },
    },
  };
}

/** Runs one call; throws RpcError when the params are not theirs. */
export async function runDraftCall(
  parts: DraftParts,
  scope: CallerScope & { readonly transport: Transport },
  method: CallMethod,
  params: JsonObject,
  signal: AbortSignal,
  back: WayBack = {},
): Promise<DraftCall> {
  const request = parseCallRequest(method, params);
  if (!request.ok)
    throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail: request.reason });
  const handled = await parts.dispatch(request.value, { ...scope, signal, progress: () => {}, ...back });
  return { request: request.value, handled };
}

/** The lists that both drafts take from MCP; undefined for any other method. */
export async function draftList(
  parts: DraftParts,
  scope: CallerScope,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  switch (method) {
    case 'tools/list':
      return listDraftTools(parts.catalog, scope, params);
    case 'resources/list':
      return listResources(parts.catalog, scope, { caller: scope.caller, signal, progress: () => {} });
    case 'resources/templates/list':
      return listResourceTemplates(parts.catalog, scope);
    case 'prompts/list':
      return listPrompts(parts.catalog, scope);
    default:
      return undefined;
  }
}

/** NET-9: the content is a markdown string, not an object. */
export function draftPrompt({ body, envelope }: Extract<HandledCall, { status: 'answered' }>): JsonObject {
  const step = body as unknown as PromptStep;
  return {
    description: step.description,
    messages: [{ role: 'assistant', content: step.markdown }],
    ...withMeta(metaOf(envelope), stepMeta(step)),
  };
}

/** Subscriptions of a draft session; `notify` gives them the dialect's own form. */
export function draftSubscriptions(
  parts: DraftParts,
  scope: CallerScope,
  notify: (update: Update) => Promise<void>,
): Subscriptions {
  return createSubscriptions({
    catalog: parts.catalog,
    read: async (uri, contentId) => {
      const params = { uri, ...(contentId === undefined ? {} : { 'content-id': contentId }) };
      const signal = new AbortController().signal;
      return (await runDraftCall(parts, { ...scope, transport: 'frames' }, 'resources/read', params, signal)).handled;
    },
    notify,
  });
}

export function unknownMethod(method: string): RpcError {
  return new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), {
    detail: method.slice(0, 120),
  });
}
