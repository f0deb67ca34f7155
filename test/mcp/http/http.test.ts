// Streamable HTTP, the well-known document and what HTTP refuses, over real sockets.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { COUNTERS_URN, fakeEnvelope, NODE, OPERATOR, OTHER_NODE } from '../harness.ts';
import { httpBench, post } from './http-bench.ts';

async function stockClientWorks(
  t: TestContext,
  transport: InstanceType<typeof StreamableHTTPClientTransport>,
): Promise<void> {
  const client = new Client({ name: 'stock', version: '1' });
  t.after(() => client.close());
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['ietf-srv6-ping', 'parley-node-state', 'parley-ask'],
  );
  const result = await client.callTool({ name: 'ietf-srv6-ping', arguments: { Count: 5 } });
  assert.deepEqual(result.structuredContent, { echo: { name: 'ietf-srv6-ping', arguments: { Count: 5 } } });
  const read = await client.readResource({ uri: COUNTERS_URN });
  assert.deepEqual(read.contents, [
    { uri: COUNTERS_URN, mimeType: 'application/yang-data+json', text: `{"echo":{"uri":"${COUNTERS_URN}"}}` },
  ]);
}

test('an MCP client that knows nothing of us works over HTTP/1.1 [CARD-1]', async (t) => {
  const { url, calls } = await httpBench(t);
  await stockClientWorks(t, new StreamableHTTPClientTransport(new URL(`${await url(OPERATOR)}/mcp`)));
  assert.deepEqual(
    calls.map((call) => [call.caller.kind, call.authorised]),
    [
      ['operator', undefined],
      ['operator', undefined],
    ],
  );
});

test('an MCP client that knows nothing of us works over HTTP/2 [CARD-1]', async (t) => {
  const { h2Url, calls } = await httpBench(t);
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.message);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const dispatcher = new Agent({ useH2c: true } as object);
  t.after(() => dispatcher.destroy());
  const overHttp2 = ((input: string | URL, options: object) =>
    undiciFetch(input, { ...options, dispatcher })) as unknown as typeof fetch;
  await stockClientWorks(
    t,
    new StreamableHTTPClientTransport(new URL(`${await h2Url(OPERATOR)}/mcp`), { fetch: overHttp2 }),
  );
  assert.equal(calls.length, 2);
  assert.deepEqual(warnings, []);
});

test('a failed tool is a result with isError that carries code, name and data', async (t) => {
  const { url } = await httpBench(t, {
    handler: async () => ({
      status: 'refused',
      code: -32081,
      message: 'Network.Timeout',
      data: { detail: 'late' },
      envelope: fakeEnvelope('x'),
    }),
  });
  const client = new Client({ name: 'stock', version: '1' });
  t.after(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${await url(OPERATOR)}/mcp`)) as Parameters<Client['connect']>[0],
  );
  const result = await client.callTool({ name: 'ietf-srv6-ping', arguments: { Count: 5 } });
  assert.equal(result.isError, true);
  assert.deepEqual(result.structuredContent, { code: -32081, name: 'Network.Timeout', data: { detail: 'late' } });
  assert.deepEqual(result._meta, {
    'io.parley/envelope': { payloadType: 'parley/result/v1', payload: 'eA==', signature: 'c2lnbmVkIHg=' },
  });
});

test('progress reaches a stock client with our message [TS-27]', async (t) => {
  const { url } = await httpBench(t, {
    handler: async (call) => {
      call.progress(1, 2, 'first');
      call.progress(1, 2, 'still first', { step: 'peers' });
      return { status: 'answered', body: {} };
    },
  });
  const client = new Client({ name: 'stock', version: '1' });
  t.after(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${await url(OPERATOR)}/mcp`)) as Parameters<Client['connect']>[0],
  );
  const heard: unknown[] = [];
  await client.callTool({ name: 'parley-ask', arguments: {} }, undefined, {
    onprogress: ({ progress, total, message }) => heard.push([progress, total, message]),
  });
  assert.deepEqual(heard, [
    [1, 2, 'first'],
    [1.001, 2, 'still first'],
  ]);
});

test('a node without our announcement may use nothing over /mcp [TS-14]', async (t) => {
  const { url, calls, refused } = await httpBench(t);
  const client = new Client({ name: 'stock', version: '1' });
  t.after(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${await url(NODE)}/mcp`)) as Parameters<Client['connect']>[0],
  );
  assert.deepEqual((await client.listTools()).tools, []);
  const result = await client.callTool({ name: 'ietf-srv6-ping', arguments: { Count: 5 } });
  assert.equal((result.structuredContent as JsonObject)['code'], -32083);
  assert.equal(calls.length, 0);
  assert.equal(refused[0]?.code, -32083);
});

const invalidBodies: readonly (readonly [string, JsonValue, string | number | null])[] = [
  ['null params', { jsonrpc: '2.0', id: 4, method: 'tools/list', params: null }, 4],
  ['a null id', { jsonrpc: '2.0', id: null, method: 'tools/list' }, null],
  ['no method', { jsonrpc: '2.0', id: 4 }, null],
  ['a batch', [{ jsonrpc: '2.0', id: 4, method: 'ping' }], null],
];
for (const [what, body, id] of invalidBodies) {
  test(`${what} over /mcp is answered with -32600, by its id, with the reason [NET-14]`, async (t) => {
    const { url } = await httpBench(t);
    const answer = await post(`${await url(OPERATOR)}/mcp`, JSON.stringify(body));
    const { error, id: answered } = answer.body as { error: JsonObject; id: unknown };
    assert.deepEqual([answer.status, answered, error['code']], [400, id, -32600]);
    assert.match(String(error['message']), /^Invalid Request: expected /);
  });
}

test('ping over /mcp is answered without a session, and another request says that it needs one [NET-14]', async (t) => {
  const { url } = await httpBench(t);
  const to = `${await url(OPERATOR)}/mcp`;
  assert.deepEqual((await post(to, { jsonrpc: '2.0', id: 1, method: 'ping' })).body, {
    jsonrpc: '2.0',
    id: 1,
    result: {},
  });
  const early = await post(to, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  assert.deepEqual(
    [early.status, early.body],
    [
      400,
      { jsonrpc: '2.0', id: 2, error: { code: -32600, message: 'Invalid Request: expected a session id, got none' } },
    ],
  );
});

test('a session id is worth nothing with another certificate over /mcp', async (t) => {
  const { url, refused } = await httpBench(t);
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  };
  const opened = await fetch(`${await url(NODE)}/mcp`, {
    method: 'POST',
    body: JSON.stringify(initialize),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  await opened.text();
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  assert.match(session['mcp-session-id'], /^[0-9a-f]{32}$/);
  const stolen = await post(`${await url(OTHER_NODE)}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session);
  const guessed = await post(
    `${await url(OTHER_NODE)}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { 'mcp-session-id': '00' },
  );
  assert.deepEqual(
    [stolen.status, stolen.body],
    [404, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Server error' } }],
  );
  assert.deepEqual([guessed.status, guessed.body], [stolen.status, stolen.body]);
  assert.match(refused[0]!.reason, /another certificate/);
});

test('the well-known document names version, node, port and capabilities [TS-13]', async (t) => {
  const { url } = await httpBench(t);
  const response = await fetch(`${await url()}/.well-known/mcp`);
  assert.deepEqual(await response.json(), {
    version: '0.1.0',
    node: 'p2',
    port: 9514,
    capabilities: ['ietf-interface-counters', 'ietf-srv6-ping'],
  });
});

const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
const badBodies: readonly (readonly [string, string, number, number])[] = [
  ['text that is not JSON', '{"jsonrpc":', 400, -32700],
  ['nesting of 5,000', `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":${deep}}}`, 400, -32700],
  ['a duplicate member', '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}', 400, -32700],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
  ['a body over one mebibyte', JSON.stringify({ pad: 'x'.repeat(1_048_576) }), 413, -32600],
];
for (const [what, body, status, code] of badBodies) {
  for (const path of ['/mcp', '/mcp/tool/call', '/mcp/initialize']) {
    test(`${path} refuses ${what} with ${status}`, async (t) => {
      const { url, refused } = await httpBench(t);
      const answer = await post(`${await url()}${path}`, body);
      assert.equal(answer.status, status);
      assert.equal((answer.body['error'] as JsonObject)['code'], code);
      assert.equal(refused.length, 1);
    });
  }
}

test('a chunked body over one mebibyte is refused with 413 before it has all arrived', async (t) => {
  const { url } = await httpBench(t);
  const { port } = new URL(await url());
  const socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.write('POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
  for (let count = 0; count < 17; count++) socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  await until(() => heard.includes('413'), 'the refusal');
});

test('a body that does not arrive within ten seconds is refused with 408, and one that is cut off is logged', async (t) => {
  const clock = createFakeClock();
  const { url, refused } = await httpBench(t, { clock });
  const { port } = new URL(await url());
  const head = 'POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{';
  const slow = connect(Number(port), '127.0.0.1');
  t.after(() => slow.destroy());
  let heard = '';
  slow.on('data', (chunk) => {
    heard += chunk;
  });
  slow.write(head);
  await until(() => clock.sleepers === 1, 'the deadline');
  await clock.advance(9_999);
  assert.equal(heard, '');
  await clock.advance(1);
  await until(() => heard.startsWith('HTTP/1.1 408'), 'the refusal');
  const cut = connect(Number(port), '127.0.0.1');
  cut.on('error', () => {});
  cut.write(head);
  await until(() => clock.sleepers === 1, 'the next deadline');
  cut.destroy();
  await until(() => refused.some((entry) => /expected the whole body/.test(entry.reason)), 'the second refusal');
});

test('a request whose client has gone before its body is read is not waited for', async (t) => {
  const clock = createFakeClock();
  const { server, refused } = await httpBench(t, { clock });
  const [near, far] = duplexPair();
  server.serveHttp1(far as never, NODE);
  far.on('data', () => far.destroy());
  near.write('POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  await until(() => refused.some((entry) => /expected the whole body/.test(entry.reason)), 'the refusal');
  assert.equal(clock.sleepers, 0);
});

test('refuses a browser, an unknown path, another media type and another method', async (t) => {
  const { url, refused } = await httpBench(t);
  const base = await url(OPERATOR);
  assert.equal((await post(`${base}/mcp`, '{}', { origin: 'http://evil.example' })).status, 403);
  assert.equal((await post(`${base}/nowhere`, '{}')).status, 404);
  assert.equal((await post(`${base}/mcp`, '{}', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await fetch(`${base}/mcp`, { method: 'PUT' })).status, 405);
  assert.equal((await fetch(`${base}/mcp/tool/call`)).status, 405);
  assert.equal(refused.length, 5);
});

test('bytes that are not HTTP are refused with the reason, and the server lives on', async (t) => {
  const { url, refused } = await httpBench(t);
  const base = await url();
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('\x16\x03\x01 hello\r\n\r\n');
  await until(() => refused.length === 1, 'the refusal');
  assert.match(refused[0]!.reason, /expected HTTP\/1\.1/);
  assert.equal((await fetch(`${base}/.well-known/mcp`)).status, 200);
});
