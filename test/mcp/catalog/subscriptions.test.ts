// The bounds of what goes on beside a session's requests: subscriptions in number and by its end, streamed prompts likewise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createSubscriptions, type Update } from '#mcp/catalog/subscriptions.ts';
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

const LOG = 'network:///log';
const ANSWER: HandledCall = { status: 'answered', body: { log: 'old' } };
const REFUSAL: HandledCall = { status: 'refused', code: -32083, message: 'Network.AccessDenied', data: {} };
const turn = () => new Promise((resolve) => setImmediate(resolve));

type News = { readonly data: string; readonly mimeType?: string; readonly binary?: boolean };

/** A log that changes when the test says so, and a constant; reads are answered by `answers` in order, then by its last. */
function logScene(...answers: readonly (HandledCall | Error)[]) {
  let report: (news?: News) => void = () => {};
  const stops: string[] = [];
  const reads: (readonly [string, string | undefined])[] = [];
  const told: Update[] = [];
  const definition = resourceDefinition({
    uriTemplate: LOG,
    watch: (uri, onChange) => {
      report = onChange as typeof report;
      return () => void stops.push(uri);
    },
  });
  const left = [...answers];
  const subscriptions = createSubscriptions({
    catalog: createCatalog({ tools: [], resources: [definition, resourceDefinition({ uriTemplate: 'urn:constant' })] }),
    read: async (uri, contentId) => {
      reads.push([uri, contentId]);
      const answer = left.length > 1 ? left.shift()! : (left[0] ?? ANSWER);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    notify: async (update) => void told.push(update),
  });
  const change = async (news?: News) => {
    report(news);
    await turn();
  };
  return { subscriptions, change, stops, reads, told };
}

const page = (contentId: string, more: object = {}): HandledCall => ({
  status: 'answered',
  body: { log: contentId },
  page: { mimeType: 'text/plain', contentId, ...more },
});

test('a read that is refused makes no subscription, at first or once changes are watched [NET-5]', async () => {
  const first = logScene(REFUSAL);
  assert.deepEqual(await first.subscriptions.add(LOG), { id: '', initial: REFUSAL });
  assert.deepEqual([first.reads.length, first.stops], [1, []]);
  const second = logScene(ANSWER, REFUSAL, ANSWER);
  assert.deepEqual(await second.subscriptions.add(LOG), { id: 'resource-1', initial: REFUSAL });
  assert.deepEqual(second.stops, [LOG]);
  await second.change();
  await second.change({ data: 'news' });
  assert.deepEqual([second.reads.length, second.told], [2, []]);
  assert.throws(() => second.subscriptions.remove('resource-1'), { code: -32602 });
});

test('a constant resource, a 33rd subscription, and the end of an unknown one are refused with their codes [NET-5] [NET-13]', async () => {
  const { subscriptions } = logScene();
  await assert.rejects(subscriptions.add('urn:constant'), {
    code: -32602,
    data: { detail: 'this resource sends no updates', path: 'urn:constant', retryPossible: false },
  });
  const long = `urn:constant/${'x'.repeat(300)}`;
  await assert.rejects(subscriptions.add(long), (error: { data: { path: string } }) => {
    assert.equal(error.data.path, long.slice(0, 200));
    return true;
  });
  assert.throws(() => subscriptions.remove(LOG), {
    code: -32602,
    data: { detail: 'expected a subscription of this session, got another' },
  });
  for (let count = 0; count < 32; count++) await subscriptions.add(LOG);
  await assert.rejects(subscriptions.add(LOG), {
    code: -32000,
    data: { detail: 'at most 32 subscriptions in one session', retryPossible: true },
  });
  subscriptions.remove('resource-32');
  assert.equal((await subscriptions.add(LOG)).id, 'resource-33');
});

test('a subscription whose read fails takes no place [NET-5]', async () => {
  const { subscriptions, stops } = logScene(...Array<Error>(40).fill(new Error('the device is away')), ANSWER);
  for (let count = 0; count < 40; count++) await assert.rejects(subscriptions.add(LOG), /the device is away/);
  assert.deepEqual([(await subscriptions.add(LOG)).id, stops], ['resource-1', []]);
});

test('a subscription ends by its id, or by its URI, once [NET-5]', async () => {
  const { subscriptions, change, stops, told } = logScene();
  const { id } = await subscriptions.add(LOG);
  await subscriptions.add(LOG);
  subscriptions.remove(id);
  assert.deepEqual(stops, [LOG]);
  assert.throws(() => subscriptions.remove(id), { code: -32602 });
  subscriptions.remove(LOG);
  assert.deepEqual(stops, [LOG, LOG]);
  assert.throws(() => subscriptions.remove(LOG), { code: -32602 });
  await change({ data: 'news' });
  assert.deepEqual(told, []);
});

test('content that the subscriber has is not sent again; a refused read ends it [NET-5] [NET-20]', async () => {
  const { subscriptions, change, reads, told, stops } = logScene(
    page('a'),
    page('b'),
    page('b', { unchanged: true }),
    page('c'),
    REFUSAL,
  );
  await subscriptions.add(LOG, 'mine');
  await change();
  assert.deepEqual(told, [], 'unchanged');
  await change();
  assert.deepEqual(told, [{ id: 'resource-1', uri: LOG, content: page('c') }]);
  await change();
  assert.deepEqual([told.length, stops], [1, [LOG]]);
  assert.deepEqual(reads, [
    [LOG, 'mine'],
    [LOG, 'mine'],
    [LOG, 'b'],
    [LOG, 'b'],
    [LOG, 'c'],
  ]);
});

test('a read that fails after a change ends the subscription, and nothing else [NET-20]', async () => {
  const { subscriptions, change, told, stops } = logScene(ANSWER, ANSWER, new Error('the device is away'), ANSWER);
  await subscriptions.add(LOG);
  await change();
  assert.deepEqual([told, stops], [[], [LOG]]);
  assert.throws(() => subscriptions.remove(LOG), { code: -32602 });
});

test('news that bring their content are sent as they are, with their media type or that of the resource [NET-20]', async () => {
  const { subscriptions, change, told, reads } = logScene();
  await subscriptions.add(LOG);
  await change({ data: 'one line' });
  await change({ data: 'AAEC', mimeType: 'application/octet-stream', binary: true });
  assert.deepEqual(
    told.map(({ content }) => content),
    [
      { body: 'one line', page: { mimeType: 'application/yang-data+json' } },
      { body: 'AAEC', page: { mimeType: 'application/octet-stream', binary: true } },
    ],
  );
  assert.equal(reads.length, 2, 'the two reads that it began with');
});

test('a change while the resource is read is not lost: it is read once more [NET-5]', async () => {
  let changed: () => void = () => {};
  const definition = resourceDefinition({
    uriTemplate: LOG,
    watch: (_uri, report) => {
      changed = () => report();
      return () => {};
    },
  });
  const reading: ((handled: HandledCall) => void)[] = [];
  let waits = false;
  const told: unknown[] = [];
  const subscriptions = createSubscriptions({
    catalog: createCatalog({ tools: [], resources: [definition] }),
    read: async () => (waits ? new Promise<HandledCall>((resolve) => reading.push(resolve)) : ANSWER),
    notify: async ({ content }) => void told.push(content.body),
  });
  await subscriptions.add(LOG);
  waits = true;
  changed();
  changed();
  changed();
  assert.equal(reading.length, 1, 'one read at a time');
  reading[0]!({ status: 'answered', body: 'older than the second change' });
  await turn();
  assert.equal(reading.length, 2, 'one more for both changes');
  reading[1]!({ status: 'answered', body: 'the newest' });
  await turn();
  assert.equal(reading.length, 2);
  assert.deepEqual(told, ['older than the second change', 'the newest']);
});

test('a change that is read after the session has ended is sent nowhere [NET-5]', async () => {
  const { subscriptions, change, told, reads } = logScene();
  await subscriptions.add(LOG);
  const reported = change();
  subscriptions.close();
  await reported;
  await change();
  assert.deepEqual([told, reads.length], [[], 3]);
});
