// Both ends of Streamable HTTP in one process: an aggregator over a server behind HTTP, with clients over HTTP.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { createEventReader } from '#aggregate/wire/event-stream.ts';
import { createHttpLink, isAllowedUrl } from '#aggregate/wire/http-link.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { until } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';

type Handler = (message: JsonObject, response: ServerResponse, request: IncomingMessage) => void;

/** An MCP server over HTTP that a test scripts; `state.session` is the one that it knows. */
async function startServer(t: TestContext, onCall: Handler, port = 0) {
  const state = { session: 1, opened: 0 };
  const server: Server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    const { id, method } = message;
    if (method !== 'initialize' && request.headers['mcp-session-id'] !== `s${state.session}`)
      return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    const send = (result: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${state.session}` });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (method === 'initialize') {
      state.opened += 1;
      return send({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      });
    }
    if (method === 'tools/list')
      return send({ tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] });
    if (method === 'tools/call') return onCall(message, response, request);
    return send({});
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, port: (server.address() as AddressInfo).port, server };
}

const answer: Handler = ({ id }, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'seen' }] } }));
};

async function startAggregator(t: TestContext, port: number, more: object = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-aggregate-'));
  const tokenFile = join(dir, 'token');
  await writeFile(tokenFile, 'secret\n');
  const config = aggregateSchema.parse({
    node: 'root',
    state: dir,
    identity: { dir: join(dir, 'none') },
    loopback: { port: 0, tokenFile },
    leaves: [{ segment: 's', url: `http://127.0.0.1:${port}/mcp` }],
    ...more,
  });
  const running = await createAggregatorProcess(config, silentLog);
  t.after(async () => {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  });
  await until(() => running.aggregator.core.slots.get('s')?.state === 'up', 'the server');
  return running;
}

const TOKEN = { authorization: 'Bearer secret' };

function post(port: number | undefined, message: object, headers: Record<string, string> = TOKEN): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const CALL = { id: 2, method: 'tools/call', params: { name: 's.look', arguments: {} } };

async function openSession(port: number | undefined): Promise<Record<string, string>> {
  const session = (await post(port, INITIALIZE)).headers.get('mcp-session-id');
  return { ...TOKEN, 'mcp-session-id': session! };
}

test('a call over HTTP at both ends is one JSON body, and events only where something precedes it [AX-1]', async (t) => {
  const { port } = await startServer(t, ({ id, params }, response) => {
    const token = ((params as JsonObject)['_meta'] as JsonObject | undefined)?.['progressToken'];
    if (token === undefined) return answer({ id: id! }, response, null as never);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (value: object) =>
      response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
    event({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    event({ id, result: { content: [] } });
    response.end();
  });
  const { loopbackPort } = await startAggregator(t, port);
  const headers = await openSession(loopbackPort);
  const plain = await post(loopbackPort, CALL, headers);
  assert.equal(plain.headers.get('content-type'), 'application/json');
  assert.equal(((await plain.json()) as { result: { content: [{ text: string }] } }).result.content[0].text, 'seen');
  const streamed = await post(
    loopbackPort,
    { ...CALL, params: { ...CALL.params, _meta: { progressToken: 'mine' } } },
    headers,
  );
  assert.equal(streamed.headers.get('content-type'), 'text/event-stream');
  const events = (await streamed.text()).split('\n').filter((line) => line.startsWith('data: '));
  assert.ok(events[0]!.includes('"progressToken":"mine"'), events[0]);
  assert.ok(events[1]!.includes('"id":2'), events[1]);
});

test('a wrong token, a web page, another host name and a foreign session are refused [AX-15]', async (t) => {
  const { port } = await startServer(t, answer);
  const { loopbackPort } = await startAggregator(t, port);
  const headers = await openSession(loopbackPort);
  assert.equal((await post(loopbackPort, INITIALIZE, {})).status, 403);
  assert.equal((await post(loopbackPort, INITIALIZE, { authorization: 'Bearer secre' })).status, 403);
  assert.equal((await post(loopbackPort, CALL, { ...headers, origin: 'https://evil.example' })).status, 403);
  assert.equal((await post(loopbackPort, CALL, { ...headers, 'mcp-session-id': 'other' })).status, 404);
  assert.equal((await post(loopbackPort, CALL)).status, 400);
  const wrongType = await fetch(`http://127.0.0.1:${loopbackPort}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: '{}',
  });
  assert.equal(wrongType.status, 415);
  const large = await fetch(`http://127.0.0.1:${loopbackPort}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: ' '.repeat(1_100_000),
  });
  assert.equal(large.status, 413);
  assert.equal((await post(loopbackPort, CALL, headers)).status, 200);
  const ended = await fetch(`http://127.0.0.1:${loopbackPort}/mcp`, { method: 'DELETE', headers });
  assert.equal(ended.status, 204);
  assert.equal((await post(loopbackPort, CALL, headers)).status, 404);
});

test('a server that has forgotten the session gets another one, and no call is made twice', async (t) => {
  let calls = 0;
  const { port, state } = await startServer(t, (message, response, request) => {
    calls += 1;
    answer(message, response, request);
  });
  const { loopbackPort, aggregator } = await startAggregator(t, port);
  const headers = await openSession(loopbackPort);
  state.session = 2;
  const failed = (await (await post(loopbackPort, CALL, headers)).json()) as { error: { code: number } };
  assert.equal(failed.error.code, -32082);
  await until(() => state.opened === 2 && aggregator.core.slots.get('s')?.state === 'up', 'a second session');
  assert.equal((await post(loopbackPort, { ...CALL, id: 3 }, headers)).status, 200);
  assert.equal(calls, 1);
});

test('a client that cancels gets its exchange ended, and the server hears of it', async (t) => {
  const { port } = await startServer(t, () => {});
  const { loopbackPort, aggregator } = await startAggregator(t, port);
  const headers = await openSession(loopbackPort);
  const call = post(loopbackPort, CALL, headers);
  await until(() => aggregator.core.slots.get('s')?.subserver?.openCalls === 1, 'the call');
  const cancelled = await post(loopbackPort, { method: 'notifications/cancelled', params: { requestId: 2 } }, headers);
  assert.equal(cancelled.status, 202);
  assert.equal((await call).status, 202);
  assert.equal(aggregator.core.slots.get('s')?.subserver?.openCalls, 0);
});

test('an answer of more than its bound ends the session with that server', async (t) => {
  const { port } = await startServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
    };
    response.on('drain', write);
    write();
  });
  const link = createHttpLink({ url: `http://127.0.0.1:${port}/mcp`, maxBytes: 200_000 });
  const peer = createPeer(link, createSystemClock());
  const initialize = peer.call({ method: 'initialize', paramsText: '{}', timeoutMs: HANG_MS });
  assert.equal((await initialize.answer).kind, 'result');
  const ended = new Promise<string | undefined>((resolve) => {
    peer.onEnd = resolve;
  });
  const call = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: HANG_MS });
  assert.equal((await call.answer).kind, 'error');
  assert.equal(await ended, 'expected an answer of at most 200000 bytes, got more');
});

test('plain HTTP is taken for the loopback address alone [AX-15]', () => {
  assert.deepEqual(
    [
      'https://mcp.example/x',
      'http://127.0.0.1:1/mcp',
      'http://localhost/mcp',
      'http://[::1]/mcp',
      'http://192.0.2.1/mcp',
      'http://localhost.example/',
      'ftp://127.0.0.1/',
      'x',
    ].map(isAllowedUrl),
    [true, true, true, true, false, false, false, false],
  );
});

test('events are read however they are cut, with every form of line end', () => {
  const text = 'event: message\r\nid: 1\r\ndata: {"a":1}\r\n\r\n: comment\n\ndata:\n\ndata: {"b":\ndata: 2}\n\n';
  for (const size of [1, 2, 3, 7, 1_000]) {
    const got: string[] = [];
    const read = createEventReader(1_000, {
      data: (bytes) => got.push(bytes.toString()),
      tooLong: () => got.push('too long'),
    });
    for (let at = 0; at < text.length; at += size) read(Buffer.from(text.slice(at, at + size)));
    assert.deepEqual(got, ['{"a":1}', '{"b":\n2}'], String(size));
  }
});

test('a client that listens keeps its session, however many idle ones come after it [AX-1]', async (t) => {
  const { port } = await startServer(t, answer);
  const { loopbackPort } = await startAggregator(t, port);
  const listener = await openSession(loopbackPort);
  const stream = await fetch(`http://127.0.0.1:${loopbackPort}/mcp`, { headers: listener });
  t.after(() => stream.body?.cancel());
  const idle = [];
  for (let count = 0; count < AGGREGATE_LIMITS.httpSessions; count++) idle.push(await openSession(loopbackPort));
  const statusOf = async (headers: Record<string, string>) =>
    (await post(loopbackPort, { id: 3, method: 'ping' }, headers)).status;
  assert.deepEqual([await statusOf(idle[0]!), await statusOf(idle[1]!), await statusOf(listener)], [404, 200, 200]);
});
