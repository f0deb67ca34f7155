// Servers of MCP 2026-07-28, built with the official SDK, below an aggregator: over HTTP and over a pipe, for clients of either era.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createMcpHandler, InMemoryServerEventBus, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createLeafLink } from '#aggregate/modern/leaf-link.ts';
import { createHttpLink } from '#aggregate/wire/http-link.ts';
import { createLineLink } from '#aggregate/wire/line-link.ts';
import type { Link } from '#aggregate/wire/link.ts';
import { errorAnswer, resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, settle, until } from '../fakes/clock.ts';
import { ALICE, connectClient, createTestAggregator, OPEN, READ_TOOL, type TestClient } from './harness.ts';

type Leaf = { readonly link: Link; readonly told: (uri: string) => void; readonly calls: JsonObject[] };

const TOOLS = ['look', 'ask', 'wait', 'fail'].map((name) => ({ ...READ_TOOL, name }));
const ELICIT = {
  method: 'elicitation/create',
  params: { message: 'sure?', requestedSchema: { type: 'object', properties: {} } },
};

/** As the SDK has it for one request, or for one connection. */
function createModernLeaf(calls: JsonObject[]): Server {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const server = new Server({ name: 'modern', version: '2' }, { capabilities });
  server.fallbackRequestHandler = (async (
    { method, params = {} }: { method: string; params?: JsonObject },
    context: Context,
  ) => {
    if (method === 'tools/list') return { tools: TOOLS, ttlMs: 0, cacheScope: 'private' };
    if (method === 'resources/list')
      return { resources: [{ uri: 'urn:w', name: 'w' }], ttlMs: 0, cacheScope: 'private' };
    if (method !== 'tools/call') return { contents: [{ uri: 'urn:w', text: 'seen' }], ttlMs: 0, cacheScope: 'private' };
    const { inputResponses } = context.mcpReq;
    calls.push({ ...params, ...(inputResponses === undefined ? {} : { inputResponses }) });
    if (params['name'] === 'fail') throw Object.assign(new Error('broken'), { code: -32_602, data: { why: 'it is' } });
    if (params['name'] === 'ask' && inputResponses === undefined)
      return { resultType: 'input_required', inputRequests: { sure: ELICIT } };
    if (params['name'] === 'wait') {
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: context.mcpReq._meta!.progressToken!, progress: 1, total: 2 },
      });
      await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve, { once: true }));
      calls.push({ name: 'cancelled' });
    }
    return { content: [{ type: 'text', text: JSON.stringify(inputResponses ?? 'seen') }] };
  }) as never;
  return server;
}

type Context = {
  readonly mcpReq: {
    readonly inputResponses?: JsonObject;
    readonly signal: AbortSignal;
    readonly _meta?: { readonly progressToken?: string | number };
    notify(notification: { readonly method: string; readonly params: object }): Promise<void>;
  };
};

async function overHttp(t: TestContext): Promise<Leaf> {
  const calls: JsonObject[] = [];
  const bus = new InMemoryServerEventBus();
  const handler = createMcpHandler(() => createModernLeaf(calls), { legacy: 'reject', bus });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort(new Error('gone')));
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]) as [string, string][];
    const isPost = request.method === 'POST';
    const web = await handler.fetch(
      new Request('http://leaf/mcp', {
        method: request.method!,
        headers,
        signal: gone.signal,
        ...(isPost ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(web.status, Object.fromEntries(web.headers));
    response.flushHeaders();
    if (web.body !== null) for await (const chunk of web.body) response.write(chunk);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    link: createLeafLink({ clock: createFakeClock(), below: createHttpLink({ url }) }),
    told: (uri) => bus.publish({ kind: 'resource_updated', uri }),
    calls,
  };
}

async function overPipe(): Promise<Leaf> {
  const calls: JsonObject[] = [];
  const [down, up] = [new PassThrough(), new PassThrough()];
  const serving: Server[] = [];
  const make = () => {
    const server = createModernLeaf(calls);
    serving.push(server);
    return server;
  };
  serveStdio(make, { legacy: 'reject', transport: new StdioServerTransport(down, up) });
  return {
    link: createLeafLink({ clock: createFakeClock(), below: createLineLink({ input: up, output: down }) }),
    told: (uri) => void serving.at(-1)!.sendResourceUpdated({ uri }),
    calls,
  };
}

async function started(t: TestContext, leaf: Leaf) {
  const clock = createFakeClock();
  const aggregator: Aggregator = createTestAggregator(clock, {
    leaves: [{ segment: 'm', how: 'http', isAggregator: false, rules: OPEN, open: () => ({ link: leaf.link }) }],
  });
  t.after(() => aggregator.stop());
  await until(() => aggregator.core.slots.get('m')?.state === 'up', 'the server');
  const client = connectClient(aggregator, clock, ALICE);
  await client.ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: {} });
  return { client, aggregator };
}

const textOf = (result: JsonObject) => (result['content'] as readonly { text: string }[])[0]!.text;

async function hearsUpdates(client: TestClient, leaf: Leaf): Promise<void> {
  await client.ask('resources/subscribe', { uri: 'urn:w' });
  const heard = () => client.heard.find(({ method }) => method === 'notifications/resources/updated');
  leaf.told('urn:other');
  leaf.told('urn:w');
  await until(() => heard() !== undefined, 'the update');
  const _meta = { 'x-mcpax-sequence': { route: ['m'], number: 1 } };
  assert.deepEqual(heard()!.params, { uri: 'urn:w', _meta });
}

for (const [over, open] of [
  ['HTTP', overHttp],
  ['a pipe', overPipe],
] as const) {
  test(`a server of MCP 2026-07-28 over ${over} serves a client of an older revision: lists, calls, questions, updates [AX-1]`, async (t) => {
    const leaf = await open(t);
    const { client, aggregator } = await started(t, leaf);
    assert.equal(aggregator.core.slots.get('m')!.serverInfo['name'], 'modern');
    assert.deepEqual(await client.toolNames(), ['m.ask', 'm.fail', 'm.look', 'm.wait']);
    const seen = await client.ask('tools/call', { name: 'm.look', arguments: { a: 1 } });
    assert.deepEqual([textOf(seen), seen['resultType']], ['"seen"', undefined]);
    assert.equal(await client.codeOf('tools/call', { name: 'm.fail' }), -32_602);
    client.peer.onRequest = async () => resultAnswer({ action: 'decline' });
    assert.equal(textOf(await client.ask('tools/call', { name: 'm.ask' })), '{"sure":{"action":"decline"}}');
    // A question that the client refuses ends the call; nothing is asked again.
    client.peer.onRequest = async () => errorAnswer(-32_601, 'no');
    assert.equal(await client.codeOf('tools/call', { name: 'm.ask' }), -32_601);
    assert.deepEqual(
      leaf.calls.map(({ name }) => name),
      ['look', 'fail', 'ask', 'ask', 'ask'],
    );
    await hearsUpdates(client, leaf);
  });

  test(`progress of a server of MCP 2026-07-28 over ${over} arrives, and a cancellation reaches it [AX-1]`, async (t) => {
    const leaf = await open(t);
    const { client } = await started(t, leaf);
    const call = client.peer.call({
      method: 'tools/call',
      paramsText: '{"name":"m.wait","_meta":{"progressToken":"p"}}',
      timeoutMs: undefined,
    });
    const progress = () => client.heard.find(({ method }) => method === 'notifications/progress');
    await until(() => progress() !== undefined, 'progress');
    assert.equal(progress()!.params['progressToken'], 'p');
    call.cancel('enough');
    await until(() => leaf.calls.some(({ name }) => name === 'cancelled'), 'the cancellation');
    await settle();
  });
}
