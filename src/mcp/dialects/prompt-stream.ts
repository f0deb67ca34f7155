// A prompt pushed step by step (NET-11): the answer to `prompts/get` with `stream: true` carries a handle, and each further step
// follows as a notification under it. The steps' own reads are made here; a step that changes something waits for the user.
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#base/json.ts';
import { type PromptStep, WIRE_CODES } from '#model/definition.ts';
import type { HandledCall } from '#model/ports.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Dispatch } from '../catalog/dispatch.ts';
import type { Transport } from '../catalog/gate.ts';
import type { CallerScope } from '../catalog/permission.ts';
import type { CallRequest } from '../protocol/call-content.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import { CONTEXT_META } from './mcp-results.ts';

/** Steps that one stream pushes. */
const MOST_STEPS = 32;

export type PromptStreamParts = {
  readonly parts: { readonly catalog: Catalog; readonly dispatch: Dispatch };
  readonly scope: CallerScope;
  readonly transport: Transport;
  readonly request: CallRequest;
  readonly first: HandledCall;
  readonly push: (message: JsonObject) => Promise<void>;
};

/** Scopes of sessions with a running stream. Its steps do not count as requests in flight, so each session may have one. */
const streaming = new WeakSet<CallerScope>();

/** Adds the handle to `result` and goes on behind it; throws RpcError where the session has a stream already. */
export function startPromptStream(stream: PromptStreamParts, result: JsonObject): JsonObject {
  const { scope } = stream;
  if (streaming.has(scope)) {
    const detail = 'at most one streamed prompt at a time in one session';
    throw new RpcError(WIRE_CODES.busy, nameOfCode(WIRE_CODES.busy), { detail, retryPossible: true });
  }
  streaming.add(scope);
  const handle = randomUUID();
  run(stream, handle)
    .catch(() => {})
    .finally(() => streaming.delete(scope));
  return { ...result, stream: { handle } };
}

async function run(stream: PromptStreamParts, handle: string): Promise<void> {
  let handled = stream.first;
  // Nothing goes on after its session.
  const signal = stream.scope.sessionEnded ?? new AbortController().signal;
  for (let index = 1; index <= MOST_STEPS && handled.status === 'answered' && !signal.aborted; index++) {
    const step = handled.body as unknown as PromptStep;
    if (step.contextId === undefined || step.toolCalls.some(({ tool }) => changes(stream.parts.catalog, tool))) return;
    const { name, arguments: args } = stream.request.content.params;
    const params = { name: name!, arguments: args ?? {}, previousContextId: step.contextId };
    const request = {
      content: { method: 'prompts/get', params },
      envelope: undefined,
      sessionId: stream.request.sessionId,
    };
    handled = await stream.parts.dispatch(request, {
      ...stream.scope,
      transport: stream.transport,
      signal,
      progress: () => {},
    });
    await stream.push({ handle, index, ...pushed(handled) });
  }
}

function pushed(handled: HandledCall): JsonObject {
  if (handled.status === 'refused')
    return { done: true, error: { code: handled.code, message: handled.message, data: handled.data } };
  const step = handled.body as unknown as PromptStep;
  const toolCalls = step.toolCalls.map(({ tool, arguments: args }) => ({ tool, arguments: args }));
  const context = step.contextId === undefined ? {} : { [CONTEXT_META]: step.contextId };
  return { markdown: step.markdown, toolCalls, done: step.contextId === undefined, ...context };
}

function changes(catalog: Catalog, tool: string): boolean {
  return catalog.findTool(tool)?.mutability === 'write';
}
