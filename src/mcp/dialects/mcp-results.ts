// Results for MCP clients: typed JSON in `structuredContent` and as text, resource contents, prompt messages. `_meta` carries our
// envelope and everything that the specification has no member for.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import type { PromptStep } from '#model/definition.ts';
import { ENVELOPE_META, type SignedEnvelope } from '#model/envelope.ts';
import type { HandledCall, PageHead } from '#model/ports.ts';
import { type Catalog, CURSOR_QUERY } from '../catalog/catalog.ts';
import { hostNameOf } from '../catalog/host-names.ts';
import { type CallMethod, type CallRequest, envelopeJson } from '../protocol/call-content.ts';
import { RpcError, withReason } from '../protocol/rpc.ts';

/** `_meta` members of a resource's content. */
export const RESOURCE_META = {
  contentId: 'io.parley/content-id',
  unchanged: 'io.parley/unchanged',
  next: 'io.parley/next',
} as const;
/** `_meta` member that names the context of a prompt's step; the draft has no name for it. */
export const CONTEXT_META = 'contextId';

/** The result of a call; throws RpcError where the method has no form of its own for a refusal. */
export function callResult(method: CallMethod, call: CallRequest, handled: HandledCall, catalog: Catalog): JsonObject {
  if (method === 'tools/call') return toolResult(call, handled, catalog);
  if (method === 'resources/read') return resourceResult(call, handled, catalog);
  if (method === 'prompts/get') return promptResult(handled);
  if (handled.status === 'refused') throw refusalError(handled);
  return handled.body as JsonObject;
}

export function toolResult(call: CallRequest, handled: HandledCall, catalog: Catalog): JsonObject {
  if (handled.status === 'answered') {
    const body = handled.body as JsonObject;
    const name = String(call.content.params['name']);
    const tool = catalog.findTool(name);
    const present = tool?.content;
    const blocks = present ?? tool?.summary ?? asText;
    const content = [...blocks(body)];
    const structured = present === undefined ? { structuredContent: body } : {};
    return { content, ...structured, ...metaOf(handled.envelope) };
  }
  const { code, message, data } = handled;
  return {
    content: [{ type: 'text', text: withReason(message, data) }],
    isError: true,
    structuredContent: { code, name: message, data },
    ...metaOf(handled.envelope),
  };
}

function asText(body: JsonObject): readonly JsonObject[] {
  return [{ type: 'text', text: canonicalJsonText(body) }];
}

export function resourceResult(call: CallRequest, handled: HandledCall, catalog: Catalog): JsonObject {
  if (handled.status === 'refused') throw refusalError(handled);
  const uri = call.content.params['uri'] as string;
  const { page, envelope } = handled;
  const mimeType = page?.mimeType ?? catalog.findResource(uri)?.mimeType ?? 'application/json';
  const meta = metaOf(envelope);
  if (page?.unchanged) {
    return {
      contents: [],
      ...withMeta(meta, { [RESOURCE_META.contentId]: page.contentId!, [RESOURCE_META.unchanged]: true }),
    };
  }
  const content = { uri, mimeType, ...contentMember(handled), ...contentMeta(page) };
  if (page?.nextCursor === undefined) return { contents: [content], ...meta };
  // A generic client knows no cursor: it gets a link to the rest, as one more content (NET-6).
  const next = `${uri.split(CURSOR_QUERY)[0]}${CURSOR_QUERY}${page.nextCursor}`;
  const link = { uri: next, mimeType: 'text/plain', text: `More follows: read ${next}` };
  return { contents: [content, link], nextCursor: page.nextCursor, ...withMeta(meta, { [RESOURCE_META.next]: next }) };
}

export function promptResult(handled: HandledCall): JsonObject {
  if (handled.status === 'refused') throw refusalError(handled);
  const step = handled.body as unknown as PromptStep;
  const messages = step.messages ?? [{ role: 'assistant', content: { type: 'text', text: step.markdown } }];
  return {
    description: step.description,
    messages: [...messages],
    ...withMeta(metaOf(handled.envelope), stepMeta(step, hostNameOf)),
  };
}

/** `_meta.toolCalls` of NET-9, and the context for the next step. */
export function stepMeta(step: PromptStep, nameOf = (tool: string): string => tool): JsonObject {
  const toolCalls = step.toolCalls.map(({ tool, arguments: args }) => ({ tool: nameOf(tool), arguments: args }));
  return {
    ...(step.messages === undefined ? { toolCalls } : {}),
    ...(step.contextId === undefined ? {} : { [CONTEXT_META]: step.contextId }),
  };
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

/** The same with the reason in the message: hosts show that and drop the data. */
export function told(error: unknown): unknown {
  return error instanceof RpcError
    ? new RpcError(error.code, withReason(error.message, error.data), error.data)
    : error;
}

export function metaOf(envelope: SignedEnvelope | undefined): JsonObject {
  return envelope === undefined ? {} : { _meta: { [ENVELOPE_META]: envelopeJson(envelope) } };
}

export function withMeta(holder: JsonObject, members: JsonObject): JsonObject {
  const meta = holder['_meta'];
  const all = { ...(isJsonObject(meta) ? meta : {}), ...members };
  return Object.keys(all).length === 0 ? {} : { _meta: all };
}

/** The body is not read if its text is known. */
function contentMember(answered: Extract<HandledCall, { status: 'answered' }>): JsonObject {
  const { page } = answered;
  if (page?.text !== undefined) return { text: page.text };
  const { body } = answered;
  if (page?.binary) return { blob: String(body) };
  return { text: typeof body === 'string' ? body : canonicalJsonText(body) };
}

function contentMeta(page: PageHead | undefined): JsonObject {
  if (page === undefined) return {};
  return withMeta(
    {},
    {
      ...(page.contentId === undefined ? {} : { [RESOURCE_META.contentId]: page.contentId }),
      ...(page.meta ?? {}),
    },
  );
}
