// A peer session over frames with the SDK on both ends.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { openPeerSession } from '#mcp/client/client.ts';
import type { CallContent, OutgoingCall } from '#model/call.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { type Bench, COUNTERS_URN, fakeEnvelope, NODE, OTHER_NODE, openBench, rawPeer } from '../harness.ts';

const PING: OutgoingCall = {
  kind: 'tool',
  name: 'ietf-srv6-ping',
  arguments: { Count: 100 },
  sessionId: 'domain-1',
  asker: LOCAL_ASKER.asker,
  timeoutMs: 5_000,
};

async function bench(t: TestContext, init?: Parameters<typeof openBench>[0]): Promise<Bench> {
  const opened = await openBench(init);
  t.after(() => opened.close());
  return opened;
}

function signedBy(text: string) {
  return { call: fakeEnvelope(text, PAYLOAD_TYPES.call), asker: fakeEnvelope('who asked', PAYLOAD_TYPES.asker) };
}

function open(duplex: Socket, init: Partial<Parameters<typeof openPeerSession>[0]> = {}) {
  return openPeerSession({
    duplex,
    peer: { ...OTHER_NODE, name: 'p2' },
    chain: ['Y2VydA=='],
    ownCapabilities: ['ietf-srv6-ping', 'ietf-interface-counters', 'only-ours'],
    node: 'pe1',
    sign: (content, about) => signedBy(`${content.method} ${about.session} ${about.challenge}`),
    random: systemRandom,
    clock: createSystemClock(),
    log: silentLog,
    ...init,
  });
}

test('opens a session whose authorised set is the sorted intersection [TS-14] [CARD-3]', async (t) => {
  const { frames } = await bench(t);
  const session = await open(await frames());
  assert.deepEqual(session.authorised, ['ietf-interface-counters', 'ietf-srv6-ping']);
  assert.equal(session.peer.name, 'p2');
  assert.equal(session.closed, false);
});

test('a signed call reaches the handler once, and its answer comes back with the signature [CARD-1] [TS-10] [TS-15] [TS-16]', async (t) => {
  const { frames, calls } = await bench(t);
  const session = await open(await frames());
  const random = { bytes: () => new Uint8Array(16).fill(7) };
  const signed: CallContent[] = [];
  const second = await open(await frames(), {
    random,
    sign: (content, about) => {
      signed.push(content);
      return signedBy(`${about.session}/${about.challenge}`);
    },
  });
  const exchanged = await second.call(PING);
  assert.equal(session.closed, false);
  const content = { method: 'tools/call', params: { name: 'ietf-srv6-ping', arguments: { Count: 100 } } };
  assert.deepEqual(exchanged.request, content);
  assert.deepEqual(signed, [content]);
  assert.equal(exchanged.challenge, '07070707070707070707070707070707');
  assert.deepEqual(exchanged.answer, {
    status: 'answered',
    body: { echo: { name: 'ietf-srv6-ping', arguments: { Count: 100 } } },
    envelope: fakeEnvelope('answer'),
  });
  assert.equal(calls.length, 1);
  assert.deepEqual(calls[0]?.content, content);
  assert.deepEqual(calls[0]?.envelope, exchanged.requestEnvelope);
  assert.equal(
    Buffer.from(calls[0]!.envelope!.payload, 'base64').toString(),
    'domain-1/07070707070707070707070707070707',
  );
  assert.equal(calls[0]?.sessionId, 'domain-1');
  assert.deepEqual(calls[0]?.caller, NODE);
  assert.deepEqual(calls[0]?.authorised, ['ietf-interface-counters', 'ietf-srv6-ping']);
});

test('a resource read comes back as the parsed body [TS-15]', async (t) => {
  const { frames } = await bench(t, {
    handler: async () => ({ status: 'answered', body: { b: 1, a: ['18446744073709551615'] } }),
  });
  const session = await open(await frames());
  const { answer, request } = await session.call({ ...PING, kind: 'resource', name: COUNTERS_URN });
  assert.deepEqual(request, { method: 'resources/read', params: { uri: COUNTERS_URN } });
  assert.deepEqual(answer, { status: 'answered', body: { b: 1, a: ['18446744073709551615'] } });
});

test('a refused tool and a refused resource come back as refusals with code, reason and signature [TS-16]', async (t) => {
  const refusal = {
    status: 'refused',
    code: -32081,
    message: 'Network.Timeout',
    data: { detail: 'no reflector' },
    envelope: fakeEnvelope('no'),
  } as const;
  const { frames } = await bench(t, { handler: async () => refusal });
  const session = await open(await frames());
  const expected = {
    status: 'refused',
    code: -32081,
    reason: 'Network.Timeout: no reflector',
    body: { code: -32081, message: 'Network.Timeout', data: { detail: 'no reflector' } },
    envelope: fakeEnvelope('no'),
  };
  assert.deepEqual((await session.call(PING)).answer, expected);
  assert.deepEqual((await session.call({ ...PING, kind: 'resource', name: COUNTERS_URN })).answer, expected);
});

test('a call that is not answered in time rejects with peer/timeout and aborts the handler [TS-21]', async (t) => {
  let aborted = false;
  const { frames, calls } = await bench(t, {
    handler: (call) =>
      new Promise((_resolve, reject) => {
        call.signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      }),
  });
  const clock = createFakeClock();
  const session = await open(await frames(), { clock });
  const called = session.call(PING);
  called.catch(() => {});
  await until(() => calls.length === 1, 'the call at the handler');
  await clock.advance(4_999);
  assert.equal(aborted, false);
  await clock.advance(1);
  await assert.rejects(called, (error: ParleyError) => error.code === 'peer/timeout');
  await until(() => aborted, 'the abort at the handler');
  assert.equal(clock.sleepers, 0);
});

test('a peer whose error code imitates a local timeout is refused, not timed out', async (t) => {
  const { frames } = await bench(t, {
    handler: async () => ({ status: 'refused', code: -32001, message: 'Request timed out', data: {} }),
  });
  const session = await open(await frames());
  const { answer } = await session.call({ ...PING, kind: 'resource', name: COUNTERS_URN });
  assert.equal(answer.status, 'refused');
  assert.deepEqual(answer.body, { code: -32001, message: 'Request timed out', data: {} });
});

test('calls in flight reject with peer/unreachable when the connection ends, and so do later ones [TS-21]', async (t) => {
  const { frames, calls, server } = await bench(t, { handler: () => new Promise(() => {}) });
  const session = await open(await frames());
  const called = session.call(PING);
  called.catch(() => {});
  await until(() => calls.length === 1, 'the call at the handler');
  server.close();
  await assert.rejects(called, (error: ParleyError) => error.code === 'peer/unreachable');
  assert.equal(session.closed, true);
  await assert.rejects(session.call(PING), (error: ParleyError) => error.code === 'peer/unreachable');
});

test("the caller's own abort rejects with its reason and aborts the handler", async (t) => {
  let aborted = false;
  const { frames, calls } = await bench(t, {
    handler: (call) =>
      new Promise((_resolve, reject) => {
        call.signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      }),
  });
  const session = await open(await frames());
  const controller = new AbortController();
  const called = session.call({ ...PING, signal: controller.signal });
  called.catch(() => {});
  await until(() => calls.length === 1, 'the call at the handler');
  controller.abort(new Error('enough'));
  await assert.rejects(called, /enough/);
  await until(() => aborted, 'the abort at the handler');
});

test('a server that is not one of ours gives no session: peer/protocol', async (t) => {
  const { listen } = await bench(t);
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'other', version: '1' } };
  const port = await listen((socket) => {
    const raw = rawPeer(socket);
    void raw.next().then((request) => raw.send({ jsonrpc: '2.0', id: request!['id']!, result }));
  });
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  await assert.rejects(open(socket), (error: ParleyError) => error.code === 'peer/protocol');
});

test('a server that never answers initialize gives peer/timeout after ten seconds', async (t) => {
  const listener = createServer(() => {}).listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await new Promise((resolve) => listener.once('listening', resolve));
  const socket = connect((listener.address() as { port: number }).port, '127.0.0.1');
  t.after(() => socket.destroy());
  const clock = createFakeClock();
  const opening = open(socket, { clock });
  opening.catch(() => {});
  await until(() => clock.sleepers === 1, 'the deadline');
  await clock.advance(10_000);
  await assert.rejects(opening, (error: ParleyError) => error.code === 'peer/timeout');
});
