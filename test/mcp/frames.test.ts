// Sessions on ALPN `mcp`, spoken by hand: what is refused and what is bounded, in the MCP dialect.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { HandledCall } from '#model/ports.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import {
  type Bench,
  COUNTERS_URN,
  fakeEnvelope,
  NODE,
  OPERATOR,
  OTHER_NODE,
  openBench,
  PARLEY_INITIALIZE,
  rawPeer,
} from './harness.ts';

async function bench(t: TestContext, init?: Parameters<typeof openBench>[0]): Promise<Bench> {
  const opened = await openBench(init);
  t.after(() => opened.close());
  return opened;
}

function frameOf(text: string): Uint8Array {
  const body = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function call(id: number | string, name: string, args: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

function errorCode(message: JsonObject | undefined): unknown {
  return (message?.['error'] as JsonObject | undefined)?.['code'];
}

const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
const badFrames: readonly (readonly [string, Uint8Array, RegExp, number])[] = [
  ['a frame of no bytes', Buffer.from([0, 0, 0, 0]), /expected a frame of 1 to 1048576 bytes, got 0/, -32700],
  ['a frame of one byte too many', Buffer.from([0, 0x10, 0, 1]), /got 1048577/, -32700],
  ['text that is not JSON', frameOf('GET / HTTP/1.1'), /expected one JSON value/, -32700],
  ['bytes that are not UTF-8', Buffer.from([0, 0, 0, 2, 0xc3, 0x28]), /expected UTF-8/, -32700],
  [
    'nesting of 65',
    frameOf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":${deep}}}`),
    /nesting of at most 64/,
    -32700,
  ],
  [
    'a duplicate member',
    frameOf('{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"initialize"}'),
    /duplicate|twice|once/,
    -32700,
  ],
];
for (const [what, bytes, reason, code] of badFrames) {
  test(`refuses ${what}, ends that session only, and says why to the log [NET-14]`, async (t) => {
    const { frames, refused } = await bench(t);
    const other = rawPeer(await frames(OTHER_NODE));
    other.send(PARLEY_INITIALIZE);
    assert.ok((await other.next())?.['result']);
    const raw = rawPeer(await frames());
    raw.sendBytes(bytes);
    assert.equal(errorCode(await raw.next()), code);
    assert.equal(await raw.next(), undefined);
    assert.equal(refused.length, 1);
    assert.match(refused[0]!.reason, reason);
    assert.deepEqual([refused[0]!.party, refused[0]!.transport], [NODE, 'frames']);
    other.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.deepEqual((await other.next())?.['result'], {});
  });
}

test('a frame that is cut off by the end of the stream is refused with its place [NET-14]', async (t) => {
  const { frames, refused } = await bench(t);
  const raw = rawPeer(await frames());
  raw.sendBytes(Buffer.from([0, 0, 0, 9, 0x7b]));
  raw.end();
  assert.equal(await raw.next(), undefined);
  assert.match(refused[0]!.reason, /expected a whole frame/);
});

test('a clean end of the session is not a refusal', async (t) => {
  const { frames, refused } = await bench(t);
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.end();
  assert.equal(await raw.next(), undefined);
  assert.deepEqual(refused, []);
});

test('who sends nothing for ten seconds is refused; who initialized is not [NET-14]', async (t) => {
  const clock = createFakeClock();
  const { frames, refused } = await bench(t, { clock });
  const quick = rawPeer(await frames(OTHER_NODE));
  quick.send(PARLEY_INITIALIZE);
  await quick.next();
  const silent = rawPeer(await frames());
  await until(() => clock.sleepers === 1, 'the waiting session');
  await clock.advance(9_999);
  assert.equal(refused.length, 0);
  await clock.advance(1);
  assert.equal(errorCode(await silent.next()), -32081);
  assert.equal(await silent.next(), undefined);
  assert.match(refused[0]!.reason, /expected initialize within 10000 ms/);
  quick.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.deepEqual((await quick.next())?.['result'], {});
});

test('our announcement gives exactly MCP, with our own announcement in the answer [CARD-3] [TS-14] [TS-32]', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  const { result } = (await raw.next()) as { result: JsonObject };
  assert.deepEqual((result['capabilities'] as JsonObject)['experimental'], {
    parley: { node: 'p2', capabilities: ['ietf-interface-counters', 'ietf-srv6-ping'] },
    'privacy-level': { level: 2 },
  });
  raw.send(call(1, 'ietf-srv6-ping', { Count: 1 }));
  assert.deepEqual((await raw.next())?.['result'], {
    content: [{ type: 'text', text: '{"echo":{"arguments":{"Count":1},"name":"ietf-srv6-ping"}}' }],
    structuredContent: { echo: { name: 'ietf-srv6-ping', arguments: { Count: 1 } } },
    _meta: {
      'io.parley/envelope': { payloadType: 'parley/result/v1', payload: 'YW5zd2Vy', signature: 'c2lnbmVkIGFuc3dlcg==' },
    },
  });
  assert.deepEqual(calls[0]?.authorised, ['ietf-srv6-ping']);
});

test('a tool outside the intersection is refused −32083 before the handler runs, and the refusal is signed [TS-14] [TS-14a] [TS-16]', async (t) => {
  const signedRefusals: JsonObject[] = [];
  const { frames, calls, refused } = await bench(t, {
    signRefusal: (_call, refusal) => {
      signedRefusals.push(refusal);
      return fakeEnvelope('refusal');
    },
  });
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.send(call(1, 'parley-node-state'));
  const data = {
    detail: 'capability parley-node-state is not authorised for this session',
    path: 'parley-node-state',
    retryPossible: false,
  };
  assert.deepEqual((await raw.next())?.['result'], {
    content: [
      { type: 'text', text: 'Network.AccessDenied: capability parley-node-state is not authorised for this session' },
    ],
    isError: true,
    structuredContent: { code: -32083, name: 'Network.AccessDenied', data },
    _meta: {
      'io.parley/envelope': {
        payloadType: 'parley/result/v1',
        payload: 'cmVmdXNhbA==',
        signature: 'c2lnbmVkIHJlZnVzYWw=',
      },
    },
  });
  assert.deepEqual(signedRefusals, [{ code: -32083, message: 'Network.AccessDenied', data }]);
  assert.equal(calls.length, 0);
  assert.deepEqual([refused[0]?.code, refused[0]?.name], [-32083, 'parley-node-state']);
});

test('initialize cannot be repeated to widen the authorised set [TS-14]', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  const wider = {
    ...(PARLEY_INITIALIZE['params'] as JsonObject),
    capabilities: { experimental: { parley: { capabilities: ['ietf-interface-counters'] } } },
  };
  raw.send({ ...PARLEY_INITIALIZE, id: 1, params: wider });
  await raw.next();
  raw.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: COUNTERS_URN } });
  assert.equal(errorCode(await raw.next()), -32083);
  assert.equal(calls.length, 0);
});

test('arguments that the schema refuses, unknown tools and unknown methods never reach the handler', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames(OPERATOR));
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.send(call(1, 'ietf-srv6-ping', { Count: 0 }));
  raw.send(call(2, 'nothing-like-it'));
  raw.send({ jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'urn:nothing' } });
  raw.send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 5 } });
  raw.send({ jsonrpc: '2.0', id: 5, method: 'resources/erase', params: {} });
  const answers = new Map<unknown, JsonObject>();
  for (let count = 0; count < 5; count++) {
    const answer = (await raw.next())!;
    answers.set(answer['id'], answer);
  }
  const failed = (id: number) => (answers.get(id)!['result'] as JsonObject)['structuredContent'] as JsonObject;
  assert.equal(failed(1)['code'], -32602);
  assert.match(String((failed(1)['data'] as JsonObject)['detail']), /Count must be >= 1/);
  assert.deepEqual(failed(2)['data'], {
    detail: 'unknown tool "nothing-like-it"',
    known: ['ietf-srv6-ping', 'parley-node-state', 'parley-ask'],
  });
  assert.deepEqual(
    [3, 4, 5].map((id) => errorCode(answers.get(id))),
    [-32002, -32602, -32601],
  );
  assert.equal(calls.length, 0);
});

test('a call of ten thousand bad arguments is refused for the first of them alone', async (t) => {
  const { frames, calls } = await bench(t);
  const raw = rawPeer(await frames(OPERATOR));
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  const unknown = Array.from({ length: 10_000 }, (_, index) => [`Unknown${index}`, 0]);
  raw.send(call(1, 'ietf-srv6-ping', { Count: 1, ...Object.fromEntries(unknown) }));
  const { data } = ((await raw.next())!['result'] as JsonObject)['structuredContent'] as { readonly data: JsonObject };
  assert.equal(data['detail'], 'data must NOT have additional properties');
  assert.equal(calls.length, 0);
});

test('a message of more values than a server takes ends its session before a validator sees it', async (t) => {
  const { frames, calls, refused } = await bench(t);
  const raw = rawPeer(await frames(OPERATOR));
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  // Within the frame and within each array; 495,000 values in all.
  raw.send(call(1, 'parley-node-state', { rows: Array(50).fill(Array(9_900).fill(0)) }));
  assert.equal(errorCode(await raw.next()), -32700);
  assert.equal(await raw.next(), undefined);
  assert.equal(refused[0]?.reason, 'expected at most 20000 values, got more');
  assert.equal(calls.length, 0);
});

test('the 65th request in flight is refused, and the next one after an answer is served', async (t) => {
  const waiting: ((handled: HandledCall) => void)[] = [];
  const { frames, calls } = await bench(t, { handler: () => new Promise((resolve) => waiting.push(resolve)) });
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  for (let id = 1; id <= 65; id++) raw.send(call(id, 'ietf-srv6-ping', { Count: 1 }));
  const refusedOne = await raw.next();
  assert.deepEqual([refusedOne?.['id'], errorCode(refusedOne)], [65, -32000]);
  await until(() => calls.length === 64, 'the calls in flight');
  waiting[0]!({ status: 'answered', body: { n: 1 } });
  assert.equal((await raw.next())?.['id'], 1);
  raw.send(call(66, 'ietf-srv6-ping', { Count: 1 }));
  await until(() => calls.length === 65, 'the next call');
});

test('requests that were cancelled count until their handlers end', async (t) => {
  const { frames, calls } = await bench(t, { handler: () => new Promise(() => {}) });
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  for (let id = 1; id <= 64; id++) {
    raw.send(call(id, 'ietf-srv6-ping', { Count: 1 }));
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  }
  raw.send(call(65, 'ietf-srv6-ping', { Count: 1 }));
  const answer = await raw.next();
  assert.deepEqual([answer?.['id'], errorCode(answer)], [65, -32000]);
  await until(() => calls.length === 64, 'the calls in flight');
});

test('sessions that fill up with unread requests delay another caller by one call, not by theirs', async (t) => {
  const { frames, calls } = await bench(t);
  const greedy = await Promise.all(Array.from({ length: 4 }, () => frames(OTHER_NODE)));
  for (const socket of greedy) {
    const raw = rawPeer(socket);
    raw.send(PARLEY_INITIALIZE);
    await raw.next();
  }
  const honest = rawPeer(await frames(NODE));
  honest.send(PARLEY_INITIALIZE);
  await honest.next();
  for (const socket of greedy) {
    socket.pause();
    const requests = Array.from({ length: 500 }, (_, id) =>
      frameOf(JSON.stringify(call(id + 1, 'ietf-srv6-ping', { Count: 1 }))),
    );
    socket.write(Buffer.concat(requests));
  }
  await until(() => calls.length > 0, 'the first of their calls');
  honest.send(call(1, 'ietf-srv6-ping', { Count: 1 }));
  assert.ok((await honest.next())?.['result']);
  const before = calls.findIndex(({ caller }) => caller.name === NODE.name);
  await until(() => calls.length >= 4 * 64, 'what they may have in flight');
  assert.ok(before < 2 * 64, `${before} calls of the greedy caller started before the honest one`);
});

test('equal ids of two sessions never mix', async (t) => {
  const pending: { caller: string; resolve: (handled: HandledCall) => void }[] = [];
  const { frames } = await bench(t, {
    handler: (request) => new Promise((resolve) => pending.push({ caller: request.caller.name, resolve })),
  });
  const peers = [rawPeer(await frames(NODE)), rawPeer(await frames(OTHER_NODE))];
  for (const peer of peers) {
    peer.send(PARLEY_INITIALIZE);
    await peer.next();
    peer.send(call(7, 'ietf-srv6-ping', { Count: 1 }));
  }
  await until(() => pending.length === 2, 'both calls');
  for (const { caller, resolve } of pending.reverse()) resolve({ status: 'answered', body: { caller } });
  const bodies = await Promise.all(
    peers.map(async (peer) => ((await peer.next())!['result'] as JsonObject)['structuredContent']),
  );
  assert.deepEqual(bodies, [{ caller: 'pe1' }, { caller: 'pe3' }]);
});

test('a handler that throws gives an opaque internal error', async (t) => {
  const { frames } = await bench(t, {
    handler: async () => {
      throw new Error('secret path /etc/parley');
    },
  });
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.send(call(1, 'ietf-srv6-ping', { Count: 1 }));
  const answer = await raw.next();
  assert.equal(JSON.stringify(answer).includes('secret'), false);
  assert.equal(((answer!['result'] as JsonObject)['structuredContent'] as JsonObject)['code'], -32603);
});

test('a result too large for a frame becomes an error, and the session goes on', async (t) => {
  const { frames } = await bench(t, {
    handler: async () => ({ status: 'answered', body: { text: 'x'.repeat(1_048_576) } }),
  });
  const raw = rawPeer(await frames());
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.send(call(1, 'ietf-srv6-ping', { Count: 1 }));
  assert.equal(errorCode(await raw.next()), -32603);
  raw.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  assert.deepEqual((await raw.next())?.['result'], {});
});

test('while a peer does not read its answers, its requests are not read either', async (t) => {
  const { frames, calls } = await bench(t, {
    handler: async () => ({ status: 'answered', body: { text: 'x'.repeat(500_000) } }),
  });
  const socket = await frames(OPERATOR);
  const raw = rawPeer(socket);
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  socket.pause();
  const pad = 'x'.repeat(100_000);
  for (let id = 1; id <= 300; id++) raw.send(call(id, 'parley-node-state', { pad }));
  // Each sign of life is waited for, and then twenty looks find no other.
  for (let quiet = 0, seen = -1; quiet < 20; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (calls.length !== seen) quiet = 0;
    seen = calls.length;
  }
  assert.ok(calls.length < 200, `${calls.length} of 300 requests were read`);
  assert.ok(socket.writableLength > 0);
  socket.resume();
  for (let answers = 0; answers < 300; answers++) assert.ok(await raw.next());
});
