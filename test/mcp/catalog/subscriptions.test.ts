// The bounds of what goes on beside a session's requests: subscriptions in number and by its end, streamed prompts likewise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createSubscriptions } from '#mcp/catalog/subscriptions.ts';
import { startPromptStream } from '#mcp/dialects/prompt-stream.ts';
import type { HandledCall } from '#model/ports.ts';
import { resourceDefinition, toolDefinition } from '../harness.ts';

function bench() {
  const counts = { started: 0, stopped: 0 };
  const waiting: (() => void)[] = [];
  const watch = () => {
    counts.started++;
    return () => void counts.stopped++;
  };
  const subscriptions = createSubscriptions({
    catalog: createCatalog({ tools: [], resources: [resourceDefinition({ uriTemplate: 'network:///a', watch })] }),
    read: () =>
      new Promise<HandledCall>((resolve) => waiting.push(() => resolve({ status: 'answered', body: { a: 1 } }))),
    notify: async () => {},
  });
  const letRead = async () => {
    for (let turn = 0; turn < 4; turn++) {
      for (const go of waiting.splice(0)) go();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { counts, subscriptions, letRead };
}

test('a subscription whose session ends during its first read watches nothing [NET-5]', async () => {
  const { counts, subscriptions, letRead } = bench();
  const added = assert.rejects(subscriptions.add('network:///a'), /the session ended/);
  subscriptions.close();
  await letRead();
  await added;
  assert.deepEqual(counts, { started: 0, stopped: 0 });
});

test('subscriptions that are asked for at once are bounded like others [NET-5]', async () => {
  const { counts, subscriptions, letRead } = bench();
  const added = Promise.allSettled(Array.from({ length: 64 }, () => subscriptions.add('network:///a')));
  await letRead();
  const refused = (await added).filter(({ status }) => status === 'rejected');
  assert.deepEqual([counts.started, refused.length], [32, 32]);
  subscriptions.close();
  assert.deepEqual(counts, { started: 32, stopped: 32 });
});

test('one streamed prompt at a time runs in a session, and no step of it after the session [NET-11]', async () => {
  const session = new AbortController();
  const scope = {
    caller: { kind: 'operator', domain: 'lab', name: 'bob' } as const,
    authorised: undefined,
    sessionEnded: session.signal,
  };
  const body: JsonObject = { markdown: '', contextId: 'c1', toolCalls: [{ tool: 'look', arguments: {} }] };
  const first: HandledCall = { status: 'answered', body };
  const dispatched: { readonly signal: AbortSignal; answer(handled: HandledCall): void }[] = [];
  const stream = {
    parts: {
      catalog: createCatalog({ tools: [toolDefinition({ name: 'look' })], resources: [] }),
      dispatch: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise<HandledCall>((answer) => dispatched.push({ signal, answer })),
    },
    scope,
    transport: 'frames' as const,
    request: { content: { method: 'prompts/get', params: { name: 'p' } }, envelope: undefined, sessionId: undefined },
    first,
    push: async () => {},
  };
  assert.ok(startPromptStream(stream, {})['stream']);
  assert.throws(() => startPromptStream(stream, {}), { code: -32000 });
  session.abort();
  assert.equal(dispatched[0]!.signal.aborted, true);
  dispatched[0]!.answer(first);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(dispatched.length, 1);
});
