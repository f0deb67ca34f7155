// The shapes of the troubleshooting draft (§5, TS-14, TS-15, TS-16): `mcp/initialize` with capabilities as an array of names,
// bare results, and the callee's signature as a sibling member `signature` of `result` or `error`.
// An empty intersection is refused with −32083: a node that shares no capability with us has no session.
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { PRIVACY_LEVEL } from '#model/consent.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { PageHead } from '#model/ports.ts';
import type { CallerScope } from '../catalog/permission.ts';
import type { Update } from '../catalog/subscriptions.ts';
import { type CallMethod, envelopeJson } from '../protocol/call-content.ts';
import { intersect, parseCapabilityNames } from '../protocol/negotiation.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import type { RpcMethods } from '../transports/rpc-session.ts';
import {
  type DraftCall,
  type DraftParts,
  draftList,
  draftPrompt,
  draftSubscriptions,
  type Push,
  runDraftCall,
  unknownMethod,
  wayBackTo,
} from './draft-parts.ts';
import { refusalError } from './mcp-results.ts';

/** The draft's own value, which is no revision of MCP. */
export const DRAFT_PROTOCOL_VERSION = '2025-12';

export type DraftSession = {
  /** undefined for operators and controllers: the intersection does not apply to them. */
  readonly authorised: readonly string[] | undefined;
  readonly result: JsonObject;
  /** All names that the client announced, `sampling` included (TS-7). */
  readonly named: readonly string[];
};

/** Answers `mcp/initialize`. Throws RpcError: invalid params, or access denied when nothing is shared. */
export function negotiateDraft(parts: DraftParts, caller: Party, params: JsonObject): DraftSession {
  const theirs = parseCapabilityNames(params['capabilities']);
  if (!theirs.ok)
    throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), { detail: theirs.reason });
  const shared = intersect(parts.capabilities, theirs.value);
  if (caller.kind === 'node' && shared.length === 0) {
    const detail = 'no capability is shared';
    throw new RpcError(WIRE_CODES.accessDenied, nameOfCode(WIRE_CODES.accessDenied), { detail, retryPossible: false });
  }
  const result = {
    protocolVersion: DRAFT_PROTOCOL_VERSION,
    capabilities: parts.capabilities,
    // TS-32: a separate member, since a level is not a capability name.
    'privacy-level': PRIVACY_LEVEL,
    serverInfo: parts.serverInfo,
  };
  return { authorised: caller.kind === 'node' ? shared : undefined, result, named: theirs.value };
}

/** The draft over frames, after `mcp/initialize` gave `session`. */
export function createDraftMethods(
  parts: DraftParts,
  caller: Party,
  session: DraftSession,
  push: Push,
): { readonly answer: RpcMethods; close(): void } {
  const ended = new AbortController();
  const scope: CallerScope = { caller, authorised: session.authorised, sessionEnded: ended.signal };
  const subscriptions = draftSubscriptions(parts, scope, ({ id, uri, content, missed }) =>
    push.offer('resources/updated', {
      'subscription-id': id,
      uri,
      ...updateOf(content),
      ...(missed ? { missed } : {}),
    }),
  );
  let initialized = false;
  const answer: RpcMethods = async ({ method, params }, signal, peer) => {
    if (method === 'mcp/initialize') {
      // Asking again must not widen what the session may do.
      if (initialized)
        throw new RpcError(WIRE_CODES.invalidRequest, nameOfCode(WIRE_CODES.invalidRequest), {
          detail: 'already initialized',
        });
      initialized = true;
      return { members: { result: session.result } };
    }
    if (method === 'ping') return { members: { result: {} } };
    if (method === 'close') return { members: { result: {} }, close: true };
    if (method === 'resources/subscribe') {
      const { id, initial } = await subscriptions.add(textOf(params, 'uri'), optionalText(params, 'content-id'));
      if (initial.status === 'refused') throw refusalError(initial);
      // TS-34: what the caller has already is not sent again.
      const content = initial.page?.unchanged ? {} : { initial: initial.body };
      return { members: { result: { 'subscription-id': id, ...contentIdOf(initial.page), ...content } } };
    }
    if (method === 'resources/unsubscribe') {
      subscriptions.remove(textOf(params, 'subscription-id'));
      return { members: { result: {} } };
    }
    const list = await draftList(parts, scope, { method, params }, signal);
    if (list !== undefined) return { members: { result: list } };
    const call = parseDraftCall(method, params);
    if (!call.ok) throw unknownMethod(method);
    const frames = { ...scope, transport: 'frames' as const };
    const back = wayBackTo(peer, (capability) => session.named.includes(capability));
    const done = await runDraftCall(parts, frames, call.value.method, call.value.params, signal, back);
    return { members: draftMembers(done) };
  };
  const close = () => {
    subscriptions.close();
    ended.abort(new Error('the session ended'));
  };
  return { answer, close };
}

function updateOf({ body, page }: Update['content']): JsonObject {
  return { ...contentIdOf(page), content: body };
}

function contentIdOf(page: PageHead | undefined): JsonObject {
  return page?.contentId === undefined ? {} : { 'content-id': page.contentId };
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value.length <= 1_024) return value;
  throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), {
    detail: `expected params.${name} to be a string, got something else`,
  });
}

function optionalText(params: JsonObject, name: string): string | undefined {
  return params[name] === undefined ? undefined : textOf(params, name);
}

export type DraftCallParams = { readonly method: Exclude<CallMethod, 'resources/write'>; readonly params: JsonObject };

/** Both spellings of a call: MCP's methods (appendix A.1), and the POST paths' names with their bodies (§5 Step-3). */
export function parseDraftCall(method: string, params: JsonObject): Result<DraftCallParams> {
  switch (method) {
    case 'tools/call':
    case 'resources/read':
    case 'prompts/get':
      return ok({ method, params });
    case 'mcp/tool/call': {
      const { tool, arguments: args, _meta: meta } = params;
      return ok({ method: 'tools/call', params: present({ name: tool, arguments: args, _meta: meta }) });
    }
    case 'mcp/resource/read': {
      const { uri, cursor, limit, accept, 'content-id': contentId, _meta: meta } = params;
      return ok({
        method: 'resources/read',
        params: present({ uri, cursor, limit, accept, 'content-id': contentId, _meta: meta }),
      });
    }
    default:
      return bad('expected a call, got another method');
  }
}

/** `result` and `signature`, or `error` and `signature`; tag and cursor of a resource beside them, as what is signed is the content. */
export function draftMembers({ request, handled }: DraftCall): JsonObject {
  const signature = handled.envelope === undefined ? {} : { signature: envelopeJson(handled.envelope) };
  if (handled.status === 'answered') {
    if (request.content.method === 'prompts/get') return { result: draftPrompt(handled), ...signature };
    const { page } = handled;
    const next = page?.nextCursor === undefined ? {} : { nextCursor: page.nextCursor };
    return { result: handled.body, ...contentIdOf(page), ...next, ...signature };
  }
  const { code, message, data } = handled;
  return { error: { code, message, data }, ...signature };
}

function present(members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
