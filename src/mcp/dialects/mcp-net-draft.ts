// The shapes of the MCP-NET draft's worked example, on ALPN `mcp` when `initialize` does not carry our experiment [NET-14]:
// bare result objects, resource contents with `data`, prompts whose content is a string, updates with their contents, JSON-RPC
// errors of NET-13, a `close` request that ends the session. A node that speaks this dialect has negotiated nothing and may
// use nothing; operators and controllers get what their role allows.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { PRIVACY_LEVEL } from '#model/consent.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { HandledCall } from '#model/ports.ts';
import type { CallerScope } from '../catalog/permission.ts';
import type { Subscriptions, Update } from '../catalog/subscriptions.ts';
import type { CallMethod } from '../protocol/call-content.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import type { PeerSide, RpcAnswer, RpcMethods } from '../transports/rpc-session.ts';
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
import { metaOf, refusalError, withMeta } from './mcp-results.ts';
import { startPromptStream } from './prompt-stream.ts';

/** Revisions of MCP with an `initialize`; the first is that of the draft's example, and answers any other. */
const PROTOCOL_VERSIONS: readonly string[] = ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05'];

type Session = {
  readonly parts: DraftParts;
  readonly scope: CallerScope;
  readonly subscriptions: Subscriptions;
  readonly push: Push;
  /** Capabilities that the client has named. */
  readonly named: Set<string>;
};

export function createMcpNetMethods(
  parts: DraftParts,
  caller: CallerScope,
  push: Push,
): { readonly answer: RpcMethods; close(): void } {
  const ended = new AbortController();
  const scope = { ...caller, sessionEnded: ended.signal };
  const subscriptions = draftSubscriptions(parts, scope, (update) =>
    push.offer('resources/updated', updateOf(parts, update)),
  );
  const session: Session = { parts, scope, subscriptions, push, named: new Set() };
  return {
    answer: async ({ method, params }, signal, peer) => answer(session, { method, params, signal, peer }),
    close: () => {
      subscriptions.close();
      ended.abort(new Error('the session ended'));
    },
  };
}

type Asked<M extends string = string> = {
  readonly method: M;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly peer: PeerSide;
};

async function answer(session: Session, asked: Asked): Promise<RpcAnswer> {
  const { parts, scope, subscriptions } = session;
  const { method, params, signal } = asked;
  switch (method) {
    case 'initialize':
      for (const name of namesIn(params['capabilities'])) session.named.add(name);
      return result(initializeResult(parts, params));
    case 'ping':
      return result({});
    case 'close':
      return { ...result({}), close: true };
    case 'resources/subscribe':
      return result(await subscribe(subscriptions, params));
    case 'resources/unsubscribe':
      subscriptions.remove(textOf(params, params['subscriptionId'] === undefined ? 'uri' : 'subscriptionId'));
      return result({});
    case 'tools/call':
    case 'resources/read':
    case 'resources/write':
    case 'prompts/get':
      return result(await call(session, { ...asked, method }));
    default: {
      const list = await draftList(parts, scope, asked, signal);
      if (list === undefined) throw unknownMethod(method);
      return result(list);
    }
  }
}

async function call(session: Session, { method, params, signal, peer }: Asked<CallMethod>): Promise<JsonObject> {
  const { parts, scope, push, named } = session;
  const back = wayBackTo(peer, (capability) => named.has(capability));
  const done = await runDraftCall(parts, { ...scope, transport: 'frames' }, method, params, signal, back);
  if (done.handled.status === 'refused') throw refusalError(done.handled);
  if (method === 'resources/read') return contentsResult(parts, done, done.handled);
  if (method !== 'prompts/get') return { ...(done.handled.body as JsonObject), ...metaOf(done.handled.envelope) };
  const prompt = draftPrompt(done.handled);
  if (params['stream'] !== true) return prompt;
  const pushStep = (message: JsonObject) => push.send('prompts/stream', message);
  return startPromptStream(
    { ...session, transport: 'frames', request: done.request, first: done.handled, push: pushStep },
    prompt,
  );
}

function result(value: JsonObject): RpcAnswer {
  return { members: { result: value } };
}

/** Keeps only capabilities that we may request of the client. */
function namesIn(capabilities: JsonValue | undefined): readonly string[] {
  const all = capabilities !== undefined && isJsonObject(capabilities) ? capabilities : {};
  return ['sampling', 'elicitation'].filter((name) => all[name] !== undefined);
}

function initializeResult(parts: DraftParts, params: JsonObject): JsonObject {
  const asked = params['protocolVersion'];
  const network = parts.network?.();
  return {
    protocolVersion: PROTOCOL_VERSIONS.find((version) => version === asked) ?? PROTOCOL_VERSIONS[0]!,
    capabilities: {
      prompts: { listChanged: false },
      resources: { subscribe: true },
      tools: { listChanged: false },
      'privacy-level': PRIVACY_LEVEL,
      ...(network === undefined ? {} : { network }),
    },
    serverInfo: parts.serverInfo,
  };
}

async function subscribe(subscriptions: Subscriptions, params: JsonObject): Promise<JsonObject> {
  const { id, initial } = await subscriptions.add(textOf(params, 'uri'));
  if (initial.status === 'refused') throw refusalError(initial);
  return { subscriptionId: id };
}

type Answered = Extract<HandledCall, { status: 'answered' }>;

function contentsResult(parts: DraftParts, { request }: DraftCall, { body, page, envelope }: Answered): JsonObject {
  const uri = request.content.params['uri'] as string;
  const tag = page?.contentId === undefined ? {} : { 'content-id': page.contentId };
  // TS-2: the caller has this content already.
  if (page?.unchanged) return { contents: [], ...tag, unchanged: true, ...metaOf(envelope) };
  const mimeType = page?.mimeType ?? parts.catalog.findResource(uri)?.mimeType ?? 'application/json';
  const content = { uri, mimeType, data: body, ...tag, ...withMeta({}, page?.meta ?? {}) };
  const next = page?.nextCursor === undefined ? {} : { nextCursor: page.nextCursor };
  return { contents: [content], ...next, ...metaOf(envelope) };
}

/** `resources/updated` of the worked example: the notification carries the contents (NET-20). */
function updateOf(parts: DraftParts, { id, uri, content, missed }: Update): JsonObject {
  const mimeType = content.page?.mimeType ?? parts.catalog.findResource(uri)?.mimeType ?? 'application/json';
  return { subscriptionId: id, uri, contents: [{ mimeType, data: content.body }], ...(missed ? { missed } : {}) };
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (isJsonObject(params) && typeof value === 'string' && value.length <= 1_024) return value;
  throw new RpcError(WIRE_CODES.invalidParams, nameOfCode(WIRE_CODES.invalidParams), {
    detail: `expected params.${name} to be a string, got something else`,
  });
}
