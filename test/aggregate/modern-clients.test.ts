// The published client of both eras against one aggregator on one port, over HTTP and frames, with a server below that speaks the older revisions.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createFrameLink } from '#aggregate/wire/frame-link.ts';
import { createHttpFront } from '#aggregate/wire/http-front.ts';
import { errorAnswer, resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import { createFakeClock } from '../fakes/clock.ts';
import {
  envelope,
  type Mode,
  overFrames,
  overHttp,
  postModern,
  REVISION,
  request,
} from '../mcp/modern/modern-bench.ts';
import { ALICE, CUT_TOOL, createFakeServer, type FakeServer, leafOf, READ_TOOL, startedWith } from './harness.ts';

const MODES: readonly Mode[] = ['legacy', 'auto', { pin: REVISION }];
const tool = (name: string): JsonObject => ({ ...READ_TOOL, name });

/** A server of the older revisions that asks, tells and waits in its calls. */
function createOlderServer(clock: ReturnType<typeof createFakeClock>): FakeServer {
  const server = createFakeServer(clock, ['look', 'ask', 'wait', 'fail'].map(tool).concat(CUT_TOOL));
  server.more = {
    initialize: () =>
      resultAnswer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
        serverInfo: { name: 'older', version: '1' },
      }),
    'resources/list': () => resultAnswer({ resources: [{ uri: 'urn:watched', name: 'watched' }] }),
    'resources/read': () => resultAnswer({ contents: [{ uri: 'urn:watched', text: 'seen' }] }),
    'resources/subscribe': ({ params }) =>
      params['uri'] === 'urn:watched' ? resultAnswer({}) : errorAnswer(-32_602, 'no such resource'),
  };
  server.onCall = async ({ name, _meta }, { id }, peer) => {
    if (name === 'fail') return errorAnswer(-32_050, 'broken', { why: 'it is' });
    if (name === 'ask') {
      const params = { message: 'sure?', requestedSchema: { type: 'object', properties: {} } };
      const said = await peer.call({
        method: 'elicitation/create',
        paramsText: JSON.stringify(params),
        timeoutMs: undefined,
      }).answer;
      return resultAnswer({ content: [{ type: 'text', text: said.text }] });
    }
    if (name === 'wait') {
      const { progressToken } = (_meta ?? {}) as JsonObject;
      peer.notify('notifications/progress', JSON.stringify({ progressToken, progress: 1, total: 2, message: 'half' }));
      return new Promise((resolve) => {
        server.onCancelled = ({ requestId }) => requestId === id && resolve(resultAnswer({ content: [] }));
      });
    }
    return resultAnswer({ content: [{ type: 'text', text: 'seen' }], structuredContent: { big: 1 } });
  };
  return server;
}

async function listenHttp(t: TestContext, aggregator: Aggregator): Promise<string> {
  const front = createHttpFront({
    random: systemRandom,
    admit: () => ({ ok: true, party: ALICE }),
    open: (link) => aggregator.serve(link, ALICE),
    modern: (message, out) => aggregator.modern.request(aggregator.modernClient(ALICE, {}), message, out),
    abandon: aggregator.modern.abandon,
    schemaOf: (tool) => aggregator.schemaOf(tool, {}),
  });
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    front.serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function start(t: TestContext) {
  const clock = createFakeClock();
  const server = createOlderServer(clock);
  const { aggregator } = await startedWith([leafOf('s', server)], clock);
  t.after(() => aggregator.stop());
  return { aggregator, server, url: await listenHttp(t, aggregator) };
}

async function connected(t: TestContext, over: string, mode: Mode) {
  const { aggregator, server, url } = await start(t);
  if (over === 'HTTP') return { client: await overHttp(t, url, mode), server };
  const [near, far] = duplexPair();
  aggregator.serve(createFrameLink(far), ALICE);
  return { client: await overFrames(t, near, mode), server };
}

async function updated(client: Client, server: FakeServer): Promise<unknown> {
  const heard = new Promise((resolve) =>
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri)),
  );
  if (client.getNegotiatedProtocolVersion() === REVISION) {
    const { honoredFilter } = await client.listen({ resourceSubscriptions: ['urn:watched', 'urn:none'] });
    assert.deepEqual(honoredFilter, { resourceSubscriptions: ['urn:watched'] });
  } else await client.subscribeResource({ uri: 'urn:watched' });
  for (const peer of server.peers) peer.notify('notifications/resources/updated', '{"uri":"urn:watched"}');
  return heard;
}

for (const over of ['HTTP', 'frames']) {
  for (const mode of MODES) {
    const label = typeof mode === 'string' ? mode : `pinned to ${mode.pin}`;
    test(`@modelcontextprotocol/client, ${label}, over ${over}: lists, calls, reads, is asked, hears of updates [AX-1]`, async (t) => {
      const { client, server } = await connected(t, over, mode);
      const isModern = mode !== 'legacy';
      assert.equal(client.getNegotiatedProtocolVersion(), isModern ? REVISION : '2025-11-25');
      const names = (await client.listTools()).tools.map(({ name }) => name);
      assert.deepEqual(names.slice(-5), ['s.ask', 's.cut', 's.fail', 's.look', 's.wait']);
      const called = await client.callTool({ name: 's.look', arguments: { a: 1 } });
      assert.deepEqual(called.structuredContent, { big: 1 });
      const failed = await client.callTool({ name: 's.fail' }).catch((error) => error);
      assert.deepEqual([failed.code, failed.data.why], [isModern ? -32_603 : -32_050, 'it is']);
      assert.equal((await client.readResource({ uri: 'urn:watched' })).contents.length, 1);
      client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }));
      const asked = await client.callTool({ name: 's.ask', arguments: {} });
      assert.deepEqual(asked.content, [{ type: 'text', text: '{"action":"decline"}' }]);
      const gated = await client.callTool({ name: 's.cut', arguments: {} });
      assert.equal(gated.isError, true);
      assert.equal(await updated(client, server), 'urn:watched');
      assert.deepEqual(
        server.calls.map(({ name }) => name),
        ['look', 'fail', 'ask'],
      );
    });

    test(`@modelcontextprotocol/client, ${label}, over ${over}: progress reaches it, and its cancellation the server [AX-1]`, async (t) => {
      const { client, server } = await connected(t, over, mode);
      const gone = new AbortController();
      const heard: unknown[] = [];
      const call = client.callTool(
        { name: 's.wait', arguments: {} },
        {
          signal: gone.signal,
          onprogress({ message }) {
            heard.push(message);
            gone.abort(new Error('enough'));
          },
        },
      );
      const ended = new Promise((resolve) => {
        const { onCall } = server;
        server.onCall = async (...given) => {
          const answer = await onCall(...given);
          resolve(undefined);
          return answer;
        };
      });
      await assert.rejects(call);
      assert.deepEqual(heard, ['half']);
      await ended;
    });
  }
}

test('a request whose headers and body differ, or of a revision that there is not, is refused with the code of MCP 2026-07-28 [AX-1]', async (t) => {
  const { url } = await start(t);
  const codeOf = async (message: JsonObject, headers: Record<string, string> = {}) => {
    const { status, body } = await postModern(url, message, headers);
    return [status, (body['error'] as JsonObject | undefined)?.['code']];
  };
  const call = request(1, 'tools/call', { name: 's.look', arguments: {} });
  assert.deepEqual(await codeOf(call), [200, undefined]);
  assert.deepEqual(await codeOf(call, { 'mcp-name': 's.cut' }), [400, -32_020]);
  assert.deepEqual(await codeOf(call, { 'mcp-method': 'tools/list' }), [400, -32_020]);
  const future = request(1, 'tools/list', {}, envelope({}, '2031-01-01'));
  assert.deepEqual(await codeOf(future, { 'mcp-protocol-version': '2031-01-01' }), [400, -32_022]);
  assert.deepEqual(await codeOf(request(1, 'ping')), [404, -32_601]);
  assert.deepEqual(await codeOf(request(1, 'tools/call', { name: 's.none' })), [200, -32_601]);
});

test('a call that waits for its user goes on for the same arguments alone, once, and runs once [AX-1]', async (t) => {
  const { url, server } = await start(t);
  const asking = envelope({ elicitation: {} });
  const say = async (params: JsonObject) => {
    const { body } = await postModern(url, request(1, 'tools/call', params, asking));
    return (body['result'] ?? body['error']) as JsonObject;
  };
  const first = await say({ name: 's.ask', arguments: { a: 1 } });
  const [key] = Object.keys(first['inputRequests'] as JsonObject);
  assert.equal(first['resultType'], 'input_required');
  const retry = {
    name: 's.ask',
    requestState: first['requestState']!,
    inputResponses: { [key!]: { action: 'decline' } },
  };
  assert.equal((await say({ ...retry, arguments: { a: 2 } }))['code'], -32_602);
  assert.equal((await say({ ...retry, arguments: { a: 1 } }))['resultType'], 'complete');
  assert.equal((await say({ ...retry, arguments: { a: 1 } }))['code'], -32_602);
  assert.equal(server.calls.length, 1);
});
