// MCP 2026-07-28 by hand over frames: the first accepted request decides, a probe that is refused or only discovers does not.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer, resourceDefinition } from '../harness.ts';
import { envelope, request } from './modern-bench.ts';

async function peer(t: TestContext, init: Parameters<typeof openBench>[0] = {}) {
  const bench = await openBench(init);
  t.after(() => bench.close());
  return rawPeer(await bench.frames(OPERATOR));
}

const errorOf = (message: JsonObject | undefined) => (message?.['error'] as JsonObject | undefined)?.['code'];
const NETWORK_INITIALIZE: JsonObject = {
  ...PARLEY_INITIALIZE,
  params: { protocolVersion: '2025-06-18', capabilities: {} },
};

test('server/discover is answered, and any initialize may follow: the draft’s, ours, or none [NET-19] [NET-14]', async (t) => {
  for (const initialize of [PARLEY_INITIALIZE, NETWORK_INITIALIZE]) {
    const raw = await peer(t);
    raw.send(request('d', 'server/discover'));
    const discovered = (await raw.next())!['result'] as JsonObject;
    assert.deepEqual(discovered['supportedVersions'], ['2026-07-28']);
    raw.send(initialize);
    const { result, id } = (await raw.next())!;
    assert.equal(id, 0);
    assert.equal((result as JsonObject)['protocolVersion'], (initialize['params'] as JsonObject)['protocolVersion']);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.deepEqual((await raw.next())!['result'], {});
  }
});

test('a probe for a revision that is not spoken is refused by its code and decides nothing [NET-19]', async (t) => {
  const raw = await peer(t);
  raw.send(request(1, 'server/discover', {}, envelope({}, '2030-01-01')));
  assert.equal(errorOf(await raw.next()), -32022);
  raw.send(request(2, 'tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }));
  assert.equal(errorOf(await raw.next()), -32602);
  raw.send(PARLEY_INITIALIZE);
  assert.ok((await raw.next())!['result']);
});

test('after a request of the revision an initialize of an older one is refused, and the session goes on [NET-19]', async (t) => {
  const raw = await peer(t);
  raw.send(request(1, 'tools/list'));
  assert.equal(((await raw.next())!['result'] as JsonObject)['resultType'], 'complete');
  raw.send(PARLEY_INITIALIZE);
  assert.equal(errorOf(await raw.next()), -32022);
  raw.send(request(3, 'tools/call', { name: 'parley-node-state', arguments: {} }));
  const called = (await raw.next())!['result'] as JsonObject;
  assert.equal((called['structuredContent'] as JsonObject)['echo'] !== undefined, true);
});

test('a client that discovered may take its time [NET-14]', async (t) => {
  const clock = createFakeClock();
  const raw = await peer(t, { clock });
  raw.send(request(1, 'server/discover'));
  await raw.next();
  await clock.advance(60_000);
  raw.send(request(2, 'tools/list'));
  assert.ok((await raw.next())!['result']);
});

test('one session listens with at most 16 requests and to at most 32 resources, and has room again once it ends one [NET-19]', async (t) => {
  let watchers = 0;
  const resource = resourceDefinition({
    uriTemplate: 'urn:watched:{name}',
    name: 'watched',
    watch: () => {
      watchers += 1;
      return () => {
        watchers -= 1;
      };
    },
  });
  const raw = await peer(t, { catalog: createCatalog({ tools: [], resources: [resource] }) });
  const listen = (id: number, count: number) => {
    const uris = Array.from({ length: count }, (_, index) => `urn:watched:${id}-${index}`);
    raw.send(request(id, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } }));
  };
  const honoured = async () => {
    const { notifications } = (await raw.next())!['params'] as {
      notifications: { resourceSubscriptions?: readonly string[] };
    };
    return notifications.resourceSubscriptions?.length ?? 0;
  };
  listen(1, 30);
  assert.equal(await honoured(), 30);
  listen(2, 30);
  assert.equal(await honoured(), 2);
  for (let id = 3; id <= 16; id++) {
    listen(id, 1);
    assert.equal(await honoured(), 0);
  }
  for (let id = 17; id <= 40; id++) {
    listen(id, 1);
    assert.equal(errorOf(await raw.next()), -32000);
  }
  assert.equal(watchers, 32);
  raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  listen(41, 5);
  let told = await raw.next();
  while (told?.['method'] === undefined) told = await raw.next();
  assert.equal(watchers, 7);
});
