// Whether a caller still answers over its own session: a ping that its end of the session answers, in each dialect and transport.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { openOperatorClient } from '#mcp/client/operator-client.ts';
import type { CallHandler } from '#model/ports.ts';
import { HANG_MS } from '../../until-written.ts';
import { OPERATOR, openBench, PARLEY_INITIALIZE, type RawPeer, rawPeer, toolDefinition } from '../harness.ts';
import { httpBench, post } from '../http/http-bench.ts';

let patience = new AbortController();

/** Says whether the caller answered before its patience ended. */
const handler: CallHandler = async ({ probeCaller }) => {
  patience = new AbortController();
  const outcome = await probeCaller!(AbortSignal.any([patience.signal, AbortSignal.timeout(HANG_MS)])).then(
    () => 'answered',
    () => 'silent',
  );
  return { status: 'answered', body: { outcome } };
};
const catalog = createCatalog({ tools: [toolDefinition({ name: 'probe', mutability: 'read' })], resources: [] });

const INITIALIZE: Readonly<Record<string, JsonObject>> = {
  MCP: PARLEY_INITIALIZE,
  'MCP-NET': { ...PARLEY_INITIALIZE, params: { ...(PARLEY_INITIALIZE['params'] as JsonObject), capabilities: {} } },
  troubleshooting: {
    jsonrpc: '2.0',
    id: 0,
    method: 'mcp/initialize',
    params: { protocolVersion: '2025-12', capabilities: ['ietf-srv6-ping'] },
  },
};

/** Calls the tool; `onPing` is what the peer does about a ping of the server. */
async function outcomeOf(peer: RawPeer, onPing: (id: string) => JsonObject | undefined): Promise<unknown> {
  peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'probe', arguments: {} } });
  for (;;) {
    const message = (await peer.next())!;
    if (message['id'] === 1 && message['method'] === undefined)
      return JSON.stringify(message['result']).match(/answered|silent/)?.[0];
    const answer = message['method'] === 'ping' ? onPing(message['id'] as string) : undefined;
    if (answer !== undefined) peer.send({ jsonrpc: '2.0', id: message['id']!, ...answer });
  }
}

for (const [dialect, initialize] of Object.entries(INITIALIZE)) {
  test(`${dialect}: a caller answers when its end does, also with an error, and not when it says nothing [NET-15]`, async (t) => {
    const bench = await openBench({ catalog, handler });
    t.after(() => bench.close());
    const peer = rawPeer(await bench.frames(OPERATOR));
    peer.send(initialize);
    await peer.next();
    if (dialect === 'MCP') peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(await outcomeOf(peer, () => ({ result: {} })), 'answered');
    assert.equal(await outcomeOf(peer, () => ({ error: { code: -32601, message: 'Method not found' } })), 'answered');
    const saysNothing = () => {
      patience.abort();
      return undefined;
    };
    assert.equal(await outcomeOf(peer, saysNothing), 'silent');
  });
}

test('our own client answers by itself', async (t) => {
  const bench = await openBench({ catalog, handler });
  t.after(() => bench.close());
  const client = await openOperatorClient(await bench.frames(OPERATOR));
  assert.deepEqual(await client.callTool('probe', {}, { timeoutMs: HANG_MS }), { outcome: 'answered' });
  await client.close();
});

test('an MCP client over HTTP answers on the stream of its own request [NET-15]', async (t) => {
  const { url } = await httpBench(t, { catalog, handler });
  const client = new Client({ name: 'host', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${await url(OPERATOR)}/mcp`));
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const { structuredContent } = await client.callTool({ name: 'probe', arguments: {} });
  assert.deepEqual(structuredContent, { outcome: 'answered' });
  await client.close();
});

test('over a POST of the draft nothing can be asked, and nobody is taken to answer', async (t) => {
  const { url } = await httpBench(t, { catalog, handler });
  const base = await url(OPERATOR);
  const opened = await post(`${base}/mcp/initialize`, INITIALIZE['troubleshooting']!);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  const called = await post(`${base}/mcp/tool/call`, { tool: 'probe', arguments: {} }, session);
  assert.deepEqual(called.body['result'], { outcome: 'silent' });
});
