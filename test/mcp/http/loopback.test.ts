// The loopback endpoint: token, Host and Origin are looked at before a body is read, and only 127.0.0.1 listens.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonObject } from '#base/json.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import { OPERATOR, openBench } from '../harness.ts';

const TOKEN = 'a'.repeat(64);

async function listen(t: TestContext) {
  const bench = await openBench();
  const loopback = await bench.server.listenLoopback({ port: 0, party: OPERATOR, token: TOKEN });
  t.after(async () => {
    await loopback.close();
    await bench.close();
  });
  return { ...bench, port: loopback.port };
}

function post(port: number, headers: Record<string, string>, path = '/mcp'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path, method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
      },
    );
    sent.on('error', reject);
    sent.end('{}');
  });
}

const REFUSED: readonly (readonly [string, Record<string, string>, number])[] = [
  ['no token', {}, 401],
  ['another token', { authorization: `Bearer ${'b'.repeat(64)}` }, 401],
  ['the beginning of the token', { authorization: `Bearer ${TOKEN.slice(1)}` }, 401],
  ['a Host of elsewhere', { authorization: `Bearer ${TOKEN}`, host: 'evil.example.com' }, 403],
  ['an Origin of elsewhere', { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example.com' }, 403],
  [
    'an Origin that only begins like ours',
    { authorization: `Bearer ${TOKEN}`, origin: 'http://localhost.evil.example.com' },
    403,
  ],
];

for (const [what, headers, status] of REFUSED) {
  test(`${what} is refused with ${status} and told to the audit trail`, async (t) => {
    const { port, refused, calls } = await listen(t);
    assert.equal(await post(port, headers), status);
    assert.deepEqual([refused.length, calls.length], [1, 0]);
  });
}

test('with the token a stock client lists tools and calls one; other paths do not exist [NET-19]', async (t) => {
  const { port, calls } = await listen(t);
  const { client } = await stockClient(t, port);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['ietf-srv6-ping', 'parley-node-state', 'parley-ask'],
  );
  await client.callTool({ name: 'parley-node-state', arguments: {} });
  assert.deepEqual(
    calls.map(({ caller }) => caller),
    [OPERATOR],
  );
  assert.equal(await post(port, { authorization: `Bearer ${TOKEN}` }, '/mcp/initialize'), 404);
});

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'idle', version: '1' },
};

async function stockClient(t: TestContext, port: number) {
  const client = new Client({ name: 'stock', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  t.after(() => client.close());
  return { client, id: transport.sessionId! };
}

test('a client that listens keeps its session, however many idle ones of this machine come after it [NET-20]', async (t) => {
  const { port } = await listen(t);
  const listener = await stockClient(t, port);
  const send = async (id: string | undefined, method: string, params: JsonObject) => {
    const answered = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(id === undefined ? {} : { 'mcp-session-id': id }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    await answered.text();
    return answered;
  };
  const idle: string[] = [];
  for (let count = 0; count < MCP_LIMITS.httpSessionsPerParty; count++) {
    const begun = await send(undefined, 'initialize', INITIALIZE);
    idle.push(begun.headers.get('mcp-session-id')!);
  }
  const statuses = [];
  for (const id of [idle[0]!, idle.at(-1)!, listener.id]) statuses.push((await send(id, 'ping', {})).status);
  assert.deepEqual(statuses, [404, 200, 200]);
  assert.deepEqual((await listener.client.listTools()).tools.length, 3);
});
