// What a session asked beside its calls: one summary when it ends, over frames and over HTTP [TS-31].
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { SessionSummary } from '#mcp/session-count.ts';
import { until } from '../fakes/clock.ts';
import { NODE, OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer } from './harness.ts';

async function counting(t: TestContext) {
  const ended: SessionSummary[] = [];
  const bench = await openBench({ onSession: (summary) => ended.push(summary) });
  t.after(() => bench.close());
  return { bench, ended };
}

const asking = (id: number, method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

test('a session over frames is told once, with counts and without the names that a peer made up [TS-31]', async (t) => {
  const { bench, ended } = await counting(t);
  const peer = rawPeer(await bench.frames());
  peer.send(PARLEY_INITIALIZE);
  await peer.next();
  const methods = ['tools/list', 'tools/list', 'ping', 'prompts/list', 'made/up', '__proto__'];
  for (const [index, method] of methods.entries()) {
    peer.send(asking(index + 1, method));
    await peer.next();
  }
  peer.send(asking(20, 'tools/call', { name: 'ietf-srv6-ping', arguments: { Count: 1 } }));
  await peer.next();
  assert.equal(ended.length, 0);
  peer.end();
  await until(() => ended.length > 0, 'a summary');
  const { party, transport, requests, sinceMs, endedMs } = ended[0]!;
  assert.deepEqual([party.name, transport, ended.length], [NODE.name, 'frames', 1]);
  assert.deepEqual(requests, { calls: 1, initialize: 1, other: 2, ping: 1, 'prompts/list': 1, 'tools/list': 2 });
  assert.ok(endedMs >= sinceMs);
});

test('a server that closes tells of the sessions that are open, and of none that asked nothing [TS-31]', async (t) => {
  const { bench, ended } = await counting(t);
  const peer = rawPeer(await bench.frames(OPERATOR));
  await bench.frames(OPERATOR);
  peer.send(asking(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }));
  await peer.next();
  bench.server.close();
  assert.deepEqual(
    ended.map(({ party, requests }) => [party.name, requests]),
    [[OPERATOR.name, { initialize: 1 }]],
  );
});

test('a session over HTTP is told when its client ends it [TS-31]', async (t) => {
  const { bench, ended } = await counting(t);
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, OPERATOR));
  const send = (method: 'POST' | 'DELETE', body: JsonObject | undefined, session?: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          path: '/mcp',
          method,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session === undefined ? {} : { 'mcp-session-id': session }),
          },
        },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.headers['mcp-session-id'] as string | undefined));
        },
      );
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const { params } = PARLEY_INITIALIZE as { params: JsonObject };
  const session = await send('POST', asking(1, 'initialize', { ...params, capabilities: {} }));
  assert.ok(session);
  await send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  await send('POST', asking(2, 'tools/list'), session);
  await send('POST', asking(3, 'tools/list'), session);
  await send('DELETE', undefined, session);
  await until(() => ended.length > 0, 'a summary');
  assert.deepEqual(
    ended.map(({ transport, requests }) => [transport, requests]),
    [['http', { initialize: 1, 'tools/list': 2 }]],
  );
});
