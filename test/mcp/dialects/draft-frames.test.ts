// The two draft dialects on ALPN `mcp`, spoken by hand.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { until } from '../../fakes/clock.ts';
import { type Bench, COUNTERS_URN, NODE, OPERATOR, openBench, rawPeer } from '../harness.ts';

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

const NET_INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { prompts: { listChanged: true }, resources: { subscribe: true }, tools: { listChanged: true } },
    clientInfo: { name: 'ACME-NetCtrl', version: '4.7.0' },
  },
};

function draftInitialize(capabilities: readonly string[]): JsonObject {
  return { jsonrpc: '2.0', id: 1, method: 'mcp/initialize', params: { protocolVersion: '2025-12', capabilities } };
}

test('initialize without our announcement speaks the worked example: bare results, contents with data, close ends [NET-14] [TS-32]', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames(OPERATOR));
  raw.send(NET_INITIALIZE);
  assert.deepEqual((await raw.next())?.['result'], {
    protocolVersion: '2025-06-18',
    capabilities: {
      prompts: { listChanged: false },
      resources: { subscribe: true },
      tools: { listChanged: false },
      'privacy-level': 2,
    },
    serverInfo: { name: 'parley', version: '0.1.0' },
  });
  const _meta = {
    'io.parley/envelope': { payloadType: 'parley/result/v1', payload: 'YW5zd2Vy', signature: 'c2lnbmVkIGFuc3dlcg==' },
  };
  raw.send(call(4, 'ietf-srv6-ping', { Count: 2 }));
  assert.deepEqual((await raw.next())?.['result'], {
    echo: { name: 'ietf-srv6-ping', arguments: { Count: 2 } },
    _meta,
  });
  raw.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: COUNTERS_URN } });
  const contents = [
    { uri: COUNTERS_URN, mimeType: 'application/yang-data+json', data: { echo: { uri: COUNTERS_URN } } },
  ];
  assert.deepEqual((await raw.next())?.['result'], { contents, _meta });
  raw.send({ jsonrpc: '2.0', id: 9, method: 'prompts/erase', params: {} });
  assert.equal(errorCode(await raw.next()), -32601);
  raw.send({ jsonrpc: '2.0', id: 10, method: 'close' });
  assert.deepEqual(await raw.next(), { jsonrpc: '2.0', id: 10, result: {} });
  assert.equal(await raw.next(), undefined);
  assert.equal(calls.length, 2);
});

test("the worked example's failures are JSON-RPC errors with the codes of the draft, and a node may use nothing there [TS-14]", async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames(NODE));
  raw.send(NET_INITIALIZE);
  await raw.next();
  raw.send(call(2, 'ietf-srv6-ping', { Count: 2 }));
  assert.deepEqual((await raw.next())?.['error'], {
    code: -32083,
    message: 'Network.AccessDenied',
    data: {
      detail: 'capability ietf-srv6-ping is not authorised for this session',
      path: 'ietf-srv6-ping',
      retryPossible: false,
    },
  });
  assert.equal(calls.length, 0);
});

test('mcp/initialize over frames: our list comes back, exactly the intersection is authorised, signatures are siblings [TS-14] [TS-15] [TS-16] [TS-32]', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames());
  raw.send(draftInitialize(['ietf-srv6-ping', 'ietf-unknown']));
  assert.deepEqual((await raw.next())?.['result'], {
    protocolVersion: '2025-12',
    capabilities: ['ietf-interface-counters', 'ietf-srv6-ping'],
    'privacy-level': 2,
    serverInfo: { name: 'parley', version: '0.1.0' },
  });
  raw.send({
    jsonrpc: '2.0',
    id: 2,
    method: 'mcp/tool/call',
    params: { tool: 'ietf-srv6-ping', arguments: { Count: 3 } },
  });
  assert.deepEqual(await raw.next(), {
    jsonrpc: '2.0',
    id: 2,
    result: { echo: { name: 'ietf-srv6-ping', arguments: { Count: 3 } } },
    signature: { payloadType: 'parley/result/v1', payload: 'YW5zd2Vy', signature: 'c2lnbmVkIGFuc3dlcg==' },
  });
  raw.send({ jsonrpc: '2.0', id: 3, method: 'mcp/resource/read', params: { uri: COUNTERS_URN } });
  assert.equal(errorCode(await raw.next()), -32083);
  raw.send(draftInitialize(['ietf-interface-counters']));
  assert.equal(errorCode(await raw.next()), -32600);
  raw.send({ jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri: COUNTERS_URN } });
  assert.equal(errorCode(await raw.next()), -32083);
  assert.equal(calls.length, 1);
});

test('mcp/initialize without a shared capability is refused −32083 and the session ends [TS-14]', async (t) => {
  const { frames, refused } = await bench(t);
  const raw = rawPeer(await frames());
  raw.send(draftInitialize(['ietf-unknown']));
  assert.equal(errorCode(await raw.next()), -32083);
  assert.equal(await raw.next(), undefined);
  assert.deepEqual([refused[0]?.code, refused[0]?.reason], [-32083, 'no capability is shared']);
});

test('cancelling a draft request aborts its handler and is not answered', async (t) => {
  let aborted = false;
  const { frames, calls } = await bench(t, {
    handler: (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener('abort', () => {
          aborted = true;
          resolve({ status: 'answered', body: {} });
        });
      }),
  });
  const raw = rawPeer(await frames());
  raw.send(draftInitialize(['ietf-srv6-ping']));
  await raw.next();
  raw.send(call(2, 'ietf-srv6-ping', { Count: 1 }));
  await until(() => calls.length === 1, 'the call');
  raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await until(() => aborted, 'the abort');
  raw.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
  assert.equal((await raw.next())?.['id'], 3);
});

test('after mcp/initialize the lists and prompts of MCP are there [TS-3] [TS-4]', async (t) => {
  const { frames } = await bench(t);
  const raw = rawPeer(await frames(OPERATOR));
  raw.send(draftInitialize([]));
  await raw.next();
  for (const [method, member] of [
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const) {
    raw.send({ jsonrpc: '2.0', id: 2, method, params: {} });
    const { result } = (await raw.next()) as { result: JsonObject };
    assert.ok(Array.isArray(result[member]), method);
  }
  raw.send({ jsonrpc: '2.0', id: 3, method: 'prompts/get', params: { name: 'unknown' } });
  assert.equal(errorCode(await raw.next()), -32602);
});

test('a version that is not on the list is answered with the one of the draft, never echoed [NET-14]', async (t) => {
  const { frames } = await bench(t);
  for (const [asked, answered] of [
    ['nonsense', '2025-06-18'],
    ['2026-07-28', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
  ] as const) {
    const raw = rawPeer(await frames(OPERATOR));
    raw.send({ ...NET_INITIALIZE, params: { ...(NET_INITIALIZE['params'] as JsonObject), protocolVersion: asked } });
    const { result } = (await raw.next()) as { result: JsonObject };
    assert.equal(result['protocolVersion'], answered);
    raw.end();
  }
});
