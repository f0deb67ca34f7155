// What a session on ALPN `mcp` answers before its dialect is decided, and to messages that are no requests: nothing of it ends the session.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { HandledCall } from '#model/ports.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { type Bench, openBench, PARLEY_INITIALIZE, rawPeer } from './harness.ts';

async function bench(t: TestContext, init?: Parameters<typeof openBench>[0]): Promise<Bench> {
  const opened = await openBench(init);
  t.after(() => opened.close());
  return opened;
}

function call(id: number | string, name: string, args: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

function errorCode(message: JsonObject | undefined): unknown {
  return (message?.['error'] as JsonObject | undefined)?.['code'];
}

const initialize = (params: JsonObject) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
const invalidMessages: readonly (readonly [string, JsonValue, string | number | null, number, RegExp])[] = [
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], null, -32600, /got a batch/],
  ['a number', 7, null, -32600, /expected a JSON-RPC object/],
  ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }, null, -32600, /expected an id/],
  ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1, -32600, /expected jsonrpc "2.0"/],
  ['no method', { jsonrpc: '2.0', id: 'a' }, null, -32600, /expected a method, a result or an error/],
  ['a method that is no name', { jsonrpc: '2.0', id: 1, method: 5 }, 1, -32600, /expected a method name/],
  ['null params', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }, 1, -32600, /expected params/],
  ['params in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 1, -32600, /expected params/],
  [
    'null _meta',
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: null } },
    1,
    -32600,
    /expected params._meta/,
  ],
  [
    'a progress token that is none',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: { progressToken: null } } },
    1,
    -32600,
    /expected a progressToken/,
  ],
];
const earlyMessages: typeof invalidMessages = [
  ['a request before initialize', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 1, -32601, /initialize first/],
  ['a probe for another revision', { jsonrpc: '2.0', id: 1, method: 'server/discover' }, 1, -32601, /initialize first/],
  [
    'capabilities that are not names',
    initialize({ capabilities: { experimental: { parley: { capabilities: [1] } } } }),
    1,
    -32602,
    /expected capability names/,
  ],
];

for (const [what, message, id, code, reason] of [...invalidMessages, ...earlyMessages]) {
  test(`${what} is answered before initialize and ends nothing: the initialize that follows works [NET-14]`, async (t) => {
    const raw = rawPeer(await (await bench(t)).frames());
    raw.send(message);
    const answer = await raw.next();
    assert.deepEqual([answer?.['id'], errorCode(answer)], [id, code]);
    assert.match(String((answer!['error'] as JsonObject)['message']), reason);
    raw.send(PARLEY_INITIALIZE);
    assert.ok((await raw.next())?.['result']);
  });
}

for (const [what, message, id, code] of invalidMessages) {
  test(`${what} costs no call in flight, and the log hears of it once [NET-14]`, async (t) => {
    const held = Promise.withResolvers<HandledCall>();
    const { frames, refused } = await bench(t, { handler: () => held.promise });
    const raw = rawPeer(await frames());
    raw.send(PARLEY_INITIALIZE);
    await raw.next();
    raw.send(call(2, 'ietf-srv6-ping', { Count: 1 }));
    raw.send(message);
    raw.send(message);
    for (const answer of [await raw.next(), await raw.next()])
      assert.deepEqual([answer?.['id'], errorCode(answer)], [id, code]);
    held.resolve({ status: 'answered', body: { sent: 1 } });
    assert.deepEqual(((await raw.next())!['result'] as JsonObject)['structuredContent'], { sent: 1 });
    assert.deepEqual(
      refused.map((entry) => entry.code),
      [-32600],
    );
  });
}

test('ping is answered before initialize; notifications and answers are not, and end nothing [NET-14]', async (t) => {
  const raw = rawPeer(await (await bench(t)).frames());
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized', params: null });
  raw.send({ jsonrpc: '2.0', id: 9, result: {} });
  raw.send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what' } });
  raw.send({ jsonrpc: '2.0', id: 9, result: 1, error: {} });
  raw.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.deepEqual(await raw.next(), { jsonrpc: '2.0', id: 1, result: {} });
  raw.send(PARLEY_INITIALIZE);
  assert.ok((await raw.next())?.['result']);
});

test('what follows a request with _meta waits until that is answered, also while its code is loaded [NET-14]', async (t) => {
  const raw = rawPeer(await (await bench(t)).frames());
  const { params } = PARLEY_INITIALIZE as { readonly params: JsonObject };
  raw.send({ ...PARLEY_INITIALIZE, id: 1, params: { ...params, _meta: {} } });
  raw.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const [first, second] = [await raw.next(), await raw.next()];
  assert.deepEqual([first?.['id'], second?.['id']], [1, 2]);
  assert.ok(first!['result'] && second!['result']);
});

test('members that JSON-RPC does not have are passed over [NET-14]', async (t) => {
  const raw = rawPeer(await (await bench(t)).frames());
  raw.send({ ...PARLEY_INITIALIZE, sent: 'today' });
  assert.ok((await raw.next())?.['result']);
  raw.send({ jsonrpc: '2.0', id: 2, method: 'ping', trace: 1 });
  assert.deepEqual((await raw.next())?.['result'], {});
});

test('a session that sends requests but never initialize is over after ten seconds [NET-14]', async (t) => {
  const clock = createFakeClock();
  const { frames, refused } = await bench(t, { clock });
  const raw = rawPeer(await frames());
  raw.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.ok((await raw.next())?.['result']);
  await clock.advance(10_000);
  assert.equal(errorCode(await raw.next()), -32081);
  assert.equal(await raw.next(), undefined);
  assert.match(refused[0]!.reason, /expected initialize within 10000 ms/);
});
