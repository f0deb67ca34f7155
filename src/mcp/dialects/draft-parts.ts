// What the drafts' dialects have in common: a call goes to the dispatcher, everything else is refused by its code.
import type { JsonObject } from '#base/json.ts';
import { type OfferContext, WIRE_CODES } from '#model/offer.ts';
import type { HandledCall } from '#model/ports.ts';
import { type CallMethod, type CallRequest, parseCallRequest } from '../call-content.ts';
import type { Catalog } from '../catalog.ts';
import type { Dispatch, Refused } from '../dispatch.ts';
import type { CallerScope } from '../permission.ts';
import { nameOfCode, RpcError } from '../rpc.ts';
import { createSubscriptions, type Subscriptions, type Update } from '../subscriptions.ts';

export type DraftParts = {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: readonly string[];
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
  /** `capabilities.network` of NET-1. */
  readonly network?: () => JsonObject | undefined;
};

/** Sends a notification to the peer; lost when the session has ended. */
export type Push = (method: string, params: JsonObject) => void;

export type DraftCall = { readonly request: CallRequest; readonly handled: HandledCall };

/** Runs one call; throws RpcError when the params are not theirs. */
export async function runDraftCall(
  parts: DraftParts,
  scope: CallerScope & { readonly transport: Refused['transport'] },
  method: CallMethod,
  params: JsonObject,
  signal: AbortSignal,
  probeCaller?: OfferContext['probeCaller'],
): Promise<DraftCall> {
  const request = parseCallRequest(method, params);
  if (!request.ok)
    throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail: request.reason });
  const probe = probeCaller === undefined ? {} : { probeCaller };
  const handled = await parts.dispatch(request.value, { ...scope, signal, progress: () => {}, ...probe });
  return { request: request.value, handled };
}

/** Subscriptions of a draft session; `notify` gives them the dialect's own form. */
export function draftSubscriptions(
  parts: DraftParts,
  scope: CallerScope,
  notify: (update: Update) => void,
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

/** Context of a listing, which has no progress of its own. */
export function listingContext(scope: CallerScope, signal: AbortSignal): OfferContext {
  return { caller: scope.caller, signal, progress: () => {} };
}

export function unknownMethod(method: string): RpcError {
  return new RpcError(WIRE_CODES.methodNotFound, nameOfCode(WIRE_CODES.methodNotFound), {
    detail: method.slice(0, 120),
  });
}
