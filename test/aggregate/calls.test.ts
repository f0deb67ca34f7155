// Calls through an aggregator: what passes unchanged, what grows, what is cut off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import {
  ALICE,
  connectClient,
  createFakeServer,
  createTestAggregator,
  leafOf,
  NODE,
  OPEN,
  READ_TOOL,
  startedWith,
} from './harness.ts';

const raw = (text: string) => ({ kind: 'result' as const, text });

test('arguments and result pass byte for byte, and only _meta grows [AX-9]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  let argumentsText = '';
  server.onCall = (_, request) => {
    argumentsText = request.text;
    return raw('{"content":[], "structuredContent":{"big":18446744073709551615,"one":1.0},"_meta":{"own":1}}');
  };
  const { client } = await startedWith([leafOf('s', server)], clock);
  const params = '{"name":"s.look","arguments":{"n": 9007199254740993},"_meta":{"traceparent":"00-1"}}';
  const { text } = await client.peer.call({ method: 'tools/call', paramsText: params, timeoutMs: undefined }).answer;
  assert.ok(argumentsText.includes('"arguments":{"n": 9007199254740993}'), argumentsText);
  assert.ok(argumentsText.includes('"traceparent":"00-1"'), argumentsText);
  assert.equal(
    text,
    '{"content":[], "structuredContent":{"big":18446744073709551615,"one":1.0},"_meta":{"x-mcpax-latency-ms":0,"own":1}}',
  );
});

test('an unknown name is answered with -32601 and reaches no server [AX-7]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const { client } = await startedWith([leafOf('s', server)], clock);
  for (const name of ['s.other', 'look', 's', 's.look.', 'S.look', '__proto__'])
    assert.equal(await client.codeOf('tools/call', { name }), -32601, name);
  assert.equal(server.calls.length, 0);
});

test('error codes and data of a server pass as they are [AX-9]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  server.onCall = () => errorAnswer(-31234, 'own error', { why: 'x' });
  const { client } = await startedWith([leafOf('s', server)], clock);
  assert.equal(
    await client.text('tools/call', { name: 's.look' }),
    '{"code":-31234,"message":"own error","data":{"why":"x"}}',
  );
});

test('no credential, approval or route of the caller reaches a foreign server [AX-15]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const { client } = await startedWith([leafOf('s', server)], clock);
  const _meta = { 'io.parley/asker': { secret: 1 }, 'x-mcpax-proof': {}, 'x-mcpax-confirmation': 'x', plain: 1 };
  await client.ask('tools/call', { name: 's.look', _meta });
  assert.deepEqual(server.calls[0], { name: 'look', _meta: { plain: 1 } });
});

test('a route that leads elsewhere than the name is refused [AX-9]', async () => {
  const clock = createFakeClock();
  const { client } = await startedWith([leafOf('s', createFakeServer(clock))], clock);
  const call = (route: readonly string[], cursor: number) =>
    client.codeOf('tools/call', { name: 's.look', _meta: { 'x-mcpax-route': route, 'x-mcpax-cursor': cursor } });
  assert.equal(await call(['s', 'look'], 0), undefined);
  assert.equal(await call(['up', 's', 'look'], 1), undefined);
  assert.equal(await call(['s', 'cut'], 0), -32602);
  assert.equal(await call(['s', 'look'], 1), -32602);
});

test('progress keeps the token of the client, and a cancellation reaches the server [AX-1]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const cancelled: JsonObject[] = [];
  let id: unknown;
  server.onCall = (params, request, peer) => {
    id = request.id;
    const progressToken = (params['_meta'] as JsonObject)['progressToken'];
    peer.notify('notifications/progress', JSON.stringify({ progressToken, progress: 1 }));
    return new Promise(() => {});
  };
  server.onCancelled = (params) => cancelled.push(params);
  const { client } = await startedWith([leafOf('s', server)], clock);
  const paramsText = JSON.stringify({ name: 's.look', _meta: { progressToken: 'mine' } });
  const call = client.peer.call({ method: 'tools/call', paramsText, timeoutMs: undefined });
  await settle();
  const progress = client.heard.filter(({ method }) => method === 'notifications/progress');
  assert.deepEqual(
    progress.map(({ params }) => params),
    [
      {
        progressToken: 'mine',
        progress: 1,
        _meta: { 'x-mcpax-sequence': { route: ['s'], number: 1, call: 1 } },
      },
    ],
  );
  call.cancel('enough');
  await settle();
  assert.deepEqual(
    cancelled.map(({ requestId }) => requestId),
    [id],
  );
});

test('a call that is not answered in the time of its latency class ends with a timeout [AX-10]', async () => {
  const clock = createFakeClock();
  const tool = { ...READ_TOOL, _meta: { 'x-mcpax-capability': { latency_class: 'fast', mutable: false } } };
  const server = createFakeServer(clock, [tool]);
  server.onCall = () => new Promise(() => {});
  const { client } = await startedWith([leafOf('s', server)], clock);
  const code = client.codeOf('tools/call', { name: 's.look' });
  await clock.advance(4_900);
  await clock.advance(200);
  assert.equal(await code, -32081);
});

test('an answer that comes late or twice is taken for no other call', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const { client } = await startedWith([leafOf('s', server)], clock);
  const [peer] = [...server.peers];
  server.onCall = (params, request, own) => {
    // The same id again, with another content, and an id that was never asked.
    queueMicrotask(() => own.notify('x'));
    return raw(
      `{"content":[{"type":"text","text":"${String((params['arguments'] as JsonObject)['n'])} ${request.id}"}]}`,
    );
  };
  const texts = await Promise.all(
    [1, 2, 3].map((n) => client.text('tools/call', { name: 's.look', arguments: { n } })),
  );
  assert.deepEqual(
    texts.map((text) => /"text":"(\d)/.exec(text)?.[1]),
    ['1', '2', '3'],
  );
  assert.equal(peer?.closed, false);
});

test('a question of a server goes to the client whose call it belongs to, and to no other', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  server.onCall = async (params, request, peer) => {
    const meta = { _meta: { 'x-mcpax-related': request.id } };
    const { text } = await peer.call({
      method: 'sampling/createMessage',
      paramsText: JSON.stringify({ ...meta, for: (params['arguments'] as JsonObject)['n'] ?? 0 }),
      timeoutMs: undefined,
    }).answer;
    return raw(`{"content":[],"structuredContent":${text}}`);
  };
  const { aggregator, client } = await startedWith([leafOf('s', server)], clock);
  const clients = [client, connectClient(aggregator, clock)];
  for (const [index, each] of clients.entries()) {
    each.peer.onRequest = async () => raw(`{"from":${index}}`);
    await each.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { sampling: {} },
      clientInfo: { name: 'x', version: '1' },
    });
  }
  const answers = await Promise.all(clients.map((each) => each.ask('tools/call', { name: 's.look', arguments: {} })));
  assert.deepEqual(
    answers.map((each) => each['structuredContent']),
    [{ from: 0 }, { from: 1 }],
  );
});

test('a server that is open for reading only gets no call that may change something [AX-15]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock, [
    READ_TOOL,
    { name: 'set', inputSchema: {}, annotations: { readOnlyHint: false, destructiveHint: false } },
  ]);
  const { client } = await startedWith([leafOf('s', server, { ...OPEN, scope: 'read' })], clock);
  assert.equal(await client.codeOf('tools/call', { name: 's.look' }), undefined);
  assert.equal(await client.codeOf('tools/call', { name: 's.set' }), -32083);
  assert.equal(server.calls.length, 1);
});

test('observers read, and nodes only register [AX-15]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock, [
    READ_TOOL,
    { name: 'set', inputSchema: {}, annotations: { destructiveHint: false } },
  ]);
  const { aggregator } = await startedWith([leafOf('s', server)], clock);
  const observer = connectClient(aggregator, clock, { ...ALICE, role: 'observer' });
  assert.equal(await observer.codeOf('tools/call', { name: 's.look' }), undefined);
  assert.equal(await observer.codeOf('tools/call', { name: 's.set' }), -32083);
  const node = connectClient(aggregator, clock, NODE);
  assert.equal(await node.codeOf('tools/list'), -32601);
});

test('a budget is counted across connections, and ends with -32003 [AX-17]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const budget = { callsPerMinute: 3, mutableCallsPerSession: 1, costUnitsPerSession: 100, sessionMinutes: 60 };
  const { aggregator, client } = await startedWith([leafOf('s', server)], clock, { budget });
  for (let call = 0; call < 3; call++) assert.equal(await client.codeOf('tools/call', { name: 's.look' }), undefined);
  client.peer.close();
  const again = connectClient(aggregator, clock);
  assert.equal(await again.codeOf('tools/call', { name: 's.look' }), -32003);
  const other = connectClient(aggregator, clock, { ...ALICE, name: 'bob' });
  assert.equal(await other.codeOf('tools/call', { name: 's.look' }), undefined);
  await clock.advance(60_000);
  assert.equal(await again.codeOf('tools/call', { name: 's.look' }), undefined);
});

test('lists come in pages that together are whole, also when the list changes between them [AX-7]', async () => {
  const clock = createFakeClock();
  const tools = Array.from({ length: 2_500 }, (_, index) => ({
    ...READ_TOOL,
    name: `t${String(index).padStart(4, '0')}`,
  }));
  const server = createFakeServer(clock, tools);
  const { aggregator, client } = await startedWith([leafOf('s', server)], clock);
  assert.equal((await client.toolNames()).length, 2_500);
  const first = await client.ask('tools/list');
  server.tools = tools.filter(({ name }) => name !== 't0999');
  for (const peer of server.peers) peer.notify('notifications/tools/list_changed');
  await settle();
  await settle();
  const second = await client.ask('tools/list', { cursor: first['nextCursor']! });
  assert.equal((second['tools'] as readonly JsonObject[])[0]!['name'], 's.t1000');
  assert.equal(await client.codeOf('tools/list', { cursor: '%%' }), -32602);
  assert.equal(
    client.heard.some(({ method }) => method === 'notifications/tools/list_changed'),
    true,
  );
  await aggregator.stop();
});

test('a mounted subtree shows its own tools under shorter names, and reaches no others [AX-1]', async () => {
  const clock = createFakeClock();
  const { aggregator } = await startedWith(
    [leafOf('a', createFakeServer(clock)), leafOf('b', createFakeServer(clock))],
    clock,
  );
  const client = connectClient(aggregator, clock);
  const capabilities = { experimental: { 'io.parley/aggregate': { mount: 'a' } } };
  await client.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'x', version: '1' },
  });
  const { tools } = await client.ask('tools/list');
  assert.deepEqual(
    (tools as readonly JsonObject[]).map((tool) => tool['name']),
    ['look'],
  );
  assert.equal(await client.codeOf('tools/call', { name: 'look' }), undefined);
  assert.equal(await client.codeOf('tools/call', { name: 'b.look' }), -32601);
});

test('in compact mode three tools find, describe and call every other [AX-7]', async () => {
  const clock = createFakeClock();
  const tool = { ...READ_TOOL, name: 'bgp_summary', description: 'Shows BGP neighbours and their state' };
  const server = createFakeServer(clock, [READ_TOOL, tool]);
  const aggregator = createTestAggregator(clock, {
    leaves: [leafOf('pe1', server)],
    view: { names: 'host', compact: true },
  });
  await settle();
  await settle();
  const client = connectClient(aggregator, clock);
  const { tools } = await client.ask('tools/list');
  assert.deepEqual(
    (tools as readonly JsonObject[]).map((each) => each['name']),
    ['search_tools', 'describe_tool', 'call_tool'],
  );
  const call = async (name: string, args: JsonObject) =>
    (await client.ask('tools/call', { name, arguments: args }))['structuredContent'] as JsonObject;
  const found = (await call('search_tools', { query: 'neighbour bgp' }))['tools'] as readonly JsonObject[];
  assert.equal(found[0]!['name'], 'pe1__bgp_summary');
  assert.equal(
    ((await call('describe_tool', { name: 'pe1__bgp_summary' }))['tool'] as JsonObject)['description'],
    tool.description,
  );
  await client.ask('tools/call', { name: 'call_tool', arguments: { name: 'pe1__bgp_summary', arguments: { n: 1 } } });
  assert.deepEqual(server.calls, [{ name: 'bgp_summary', arguments: { n: 1 } }]);
  assert.equal(await client.codeOf('tools/call', { name: 'call_tool', arguments: { name: 'pe1__other' } }), -32601);
});
