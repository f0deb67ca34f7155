// MCP 2026-07-28 by hand over HTTP: which requests are of it, what is refused by which code, and calls that wait for an answer of their user.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { CallHandler, HandledCall } from '#model/ports.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { NODE, OPERATOR, toolDefinition } from '../harness.ts';
import { httpBench } from '../http/http-bench.ts';
import { envelope, postModern, request } from './modern-bench.ts';

const ELICITS = { elicitation: {} };
const ASKED = { message: 'sure?', requestedSchema: { type: 'object', properties: {} } };

/** As the agent's own handler refuses it. */
const lacking = (detail: unknown): HandledCall => {
  const data = { detail: String(detail), errorCode: 'caller/client-cannot' };
  return { status: 'refused', code: -32602, message: 'Invalid params', data };
};

const asking: CallHandler = async ({ content, client }) => {
  const { name } = content.params;
  if (name !== 'ask') return { status: 'answered', body: { name: String(name) } };
  if (!client!.offers('elicitation')) return lacking(await client!.request('elicitation/create', ASKED).catch(String));
  const first = await client!.request('elicitation/create', ASKED, undefined, 'first');
  const second = await client!.request('elicitation/create', ASKED, undefined, 'second');
  return { status: 'answered', body: { said: [first['action']!, second['action']!] } };
};

async function bench(t: TestContext, init: Parameters<typeof httpBench>[1] = {}) {
  const tools = [toolDefinition({ name: 'ask' }), toolDefinition({ name: 'other' })];
  const catalog = createCatalog({ tools, resources: [] });
  const opened = await httpBench(t, { catalog, handler: asking, ...init });
  return {
    ...opened,
    to: `${await opened.url(OPERATOR)}/mcp`,
    of: async (name: string) => `${await opened.url({ ...OPERATOR, name })}/mcp`,
  };
}

const errorOf = ({ status, body }: { status: number; body: JsonObject }) => [
  status,
  (body['error'] as JsonObject)?.['code'],
  body['id'],
];
const resultOf = ({ body }: { body: JsonObject }) => body['result'] as JsonObject;

const call = (name: string, more: JsonObject = {}, args: JsonObject = {}) =>
  request(1, 'tools/call', { name, arguments: args, ...more }, envelope(ELICITS));
const answers = (key: string, action = 'accept') => ({ inputResponses: { [key]: { action, content: {} } } });

test('each request stands for itself: no session is opened, named or needed [NET-19]', async (t) => {
  const { to } = await bench(t);
  const discovered = await postModern(to, request('d', 'server/discover'));
  assert.equal(discovered.headers.get('mcp-session-id'), null);
  const result = resultOf(discovered);
  assert.deepEqual([result['supportedVersions'], result['resultType']], [['2026-07-28'], 'complete']);
  const listed = resultOf(await postModern(to, request(2, 'tools/list')));
  assert.deepEqual(
    [listed['ttlMs'], listed['cacheScope'], (listed['tools'] as unknown[]).length],
    [60_000, 'private', 2],
  );
  assert.deepEqual(resultOf(await postModern(to, call('other')))['structuredContent'], { name: 'other' });
});

test('the envelope decides the era, whatever session is named beside it [NET-19]', async (t) => {
  const { to } = await bench(t);
  const beside = await postModern(to, request(1, 'tools/list'), { 'mcp-session-id': 'made-up' });
  assert.equal(beside.status, 200);
});

test('headers that differ from the body, unknown revisions and methods have codes of their own [NET-13] [NET-19]', async (t) => {
  const { to } = await bench(t);
  assert.deepEqual(
    errorOf(await postModern(to, request(1, 'tools/list'), { 'mcp-method': 'tools/call' })),
    [400, -32020, 1],
  );
  assert.deepEqual(errorOf(await postModern(to, call('other'), { 'mcp-name': 'ask' })), [400, -32020, 1]);
  const later = request(3, 'tools/list', {}, envelope({}, '2030-01-01'));
  const refused = await postModern(to, later, { 'mcp-protocol-version': '2030-01-01' });
  assert.deepEqual(errorOf(refused), [400, -32022, 3]);
  assert.deepEqual(((refused.body['error'] as JsonObject)['data'] as JsonObject)['supported'], ['2026-07-28']);
  assert.deepEqual(errorOf(await postModern(to, request(4, 'made/up'))), [404, -32601, 4]);
  assert.deepEqual(
    errorOf(await postModern(to, request(5, 'resources/subscribe', { uri: 'urn:a' }))),
    [404, -32601, 5],
  );
  assert.deepEqual(
    errorOf(await postModern(to, { jsonrpc: '2.0', id: 6, method: 'tools/list', params: {} })),
    [400, -32602, 6],
  );
});

test('codes of the drafts stay out of the range of the specification: they travel in the data [NET-13]', async (t) => {
  const { to } = await bench(t);
  const { error } = (await postModern(to, request(1, 'resources/read', { uri: 'urn:none' }))).body as {
    error: JsonObject;
  };
  assert.equal(error['code'], -32602);
  assert.match(String(error['message']), /Resource not found: unknown resource/);
  assert.deepEqual([(error['data'] as JsonObject)['code'], (error['data'] as JsonObject)['uri']], [-32002, 'urn:none']);
  const unknown = resultOf(await postModern(to, call('none')));
  assert.equal(unknown['isError'], true);
  assert.equal((unknown['structuredContent'] as JsonObject)['code'], -32602);
});

test('a node that negotiated nothing may use nothing [TS-14]', async (t) => {
  const { url } = await bench(t);
  const to = `${await url(NODE)}/mcp`;
  assert.deepEqual(resultOf(await postModern(to, request(1, 'tools/list')))['tools'], []);
  const refused = resultOf(await postModern(to, call('other')));
  assert.equal((refused['structuredContent'] as JsonObject)['code'], -32083);
});

test('a call asks its user in rounds, and its handler runs once [TS-28]', async (t) => {
  const { to, calls } = await bench(t);
  const first = resultOf(await postModern(to, call('ask')));
  assert.equal(first['resultType'], 'input_required');
  assert.deepEqual(first['inputRequests'], { first: { method: 'elicitation/create', params: ASKED } });
  const second = resultOf(
    await postModern(to, call('ask', { ...answers('first'), requestState: first['requestState']! })),
  );
  assert.deepEqual(Object.keys(second['inputRequests'] as JsonObject), ['second']);
  const wrong = { ...answers('third'), requestState: second['requestState']! };
  const again = resultOf(await postModern(to, call('ask', wrong)));
  assert.deepEqual(
    Object.keys(again['inputRequests'] as JsonObject),
    ['second'],
    'what was not answered is asked again',
  );
  const last = { ...answers('second', 'decline'), requestState: again['requestState']! };
  assert.deepEqual(resultOf(await postModern(to, call('ask', last)))['structuredContent'], {
    said: ['accept', 'decline'],
  });
  assert.equal(calls.length, 1);
});

test('a requestState opens its own call, for its own party, once [TS-28]', async (t) => {
  const { to, of } = await bench(t);
  const state = String(resultOf(await postModern(to, call('ask')))['requestState']);
  const use = (name: string, requestState: string, url = to, args: JsonObject = {}) =>
    postModern(url, call(name, { ...answers('first'), requestState }, args));
  assert.deepEqual(errorOf(await use('ask', `${state.slice(0, -2)}xx`)), [200, -32602, 1]);
  assert.deepEqual(errorOf(await use('ask', 'v1.e30.e30')), [200, -32602, 1]);
  assert.deepEqual(errorOf(await use('other', state)), [200, -32602, 1]);
  assert.deepEqual(errorOf(await use('ask', state, to, { more: 1 })), [200, -32602, 1]);
  assert.deepEqual(errorOf(await use('ask', state, await of('bob'))), [200, -32602, 1]);
  assert.equal(resultOf(await use('ask', state))['resultType'], 'input_required');
  assert.deepEqual(errorOf(await use('ask', state)), [200, -32602, 1], 'used');
});

test('a client without the capability is told which one is missing [TS-5]', async (t) => {
  const { to } = await bench(t);
  const refused = await postModern(to, request(1, 'tools/call', { name: 'ask', arguments: {} }));
  assert.deepEqual(errorOf(refused), [400, -32021, 1]);
  const { data } = refused.body['error'] as JsonObject;
  assert.deepEqual((data as JsonObject)['requiredCapabilities'], ELICITS);
});

test('a call that waits is given up in time, and when its party has too many [TS-28]', async (t) => {
  const clock = createFakeClock();
  const { to, calls } = await bench(t, { clock });
  const begun = async () => String(resultOf(await postModern(to, call('ask')))['requestState']);
  const oldest = await begun();
  for (let more = 0; more < 8; more++) await begun();
  const resume = (requestState: string) => postModern(to, call('ask', { ...answers('first'), requestState }));
  assert.deepEqual(errorOf(await resume(oldest)), [200, -32602, 1]);
  assert.equal(calls[0]!.signal.aborted, true);
  assert.equal(calls[1]!.signal.aborted, false);
  await clock.advance(900_000);
  assert.equal(calls.at(-1)!.signal.aborted, true);
});
