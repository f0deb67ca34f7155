// The draft's POST dialect as our server speaks it, through the test client of that draft.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import type { OutgoingCall } from '#model/call.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { type Bench, COUNTERS_URN, fakeEnvelope, NODE, OTHER_NODE, openBench } from '../harness.ts';
import { openDraftSession, readDraftAnswer } from './draft-client.ts';

const PING: OutgoingCall = {
  kind: 'tool',
  name: 'ietf-srv6-ping',
  arguments: { Count: 100 },
  sessionId: 'domain-1',
  asker: LOCAL_ASKER.asker,
  timeoutMs: 5_000,
};

async function open(
  t: TestContext,
  init?: Parameters<typeof openBench>[0],
  ownCapabilities: readonly string[] = ['ietf-srv6-ping', 'ietf-interface-counters'],
) {
  const bench: Bench = await openBench(init);
  t.after(() => bench.close());
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, NODE));
  const duplex = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(duplex, 'connect');
  t.after(() => duplex.destroy());
  const clock = createFakeClock();
  const sign = () => ({
    call: fakeEnvelope('call', PAYLOAD_TYPES.call),
    asker: fakeEnvelope('who asked', PAYLOAD_TYPES.asker),
  });
  const session = await openDraftSession({
    duplex,
    peer: OTHER_NODE,
    chain: [],
    ownCapabilities,
    node: 'pe1',
    sign,
    random: systemRandom,
    clock,
    log: silentLog,
  });
  return { ...bench, session, clock, duplex };
}

test('negotiates by POST and is authorised for the intersection [TS-14]', async (t) => {
  const { session, duplex } = await open(t);
  assert.deepEqual(session.authorised, ['ietf-interface-counters', 'ietf-srv6-ping']);
  assert.equal(session.closed, false);
  await session.close();
  assert.equal(duplex.destroyed, true);
  assert.equal(session.closed, true);
});

test('a tool call and a resource read by POST carry signatures both ways [TS-15] [TS-16]', async (t) => {
  const { session, calls } = await open(t);
  const called = await session.call(PING);
  assert.deepEqual(called.request, {
    method: 'tools/call',
    params: { name: 'ietf-srv6-ping', arguments: { Count: 100 } },
  });
  assert.deepEqual(called.answer, {
    status: 'answered',
    body: { echo: { name: 'ietf-srv6-ping', arguments: { Count: 100 } } },
    envelope: fakeEnvelope('answer'),
  });
  const read = await session.call({ ...PING, kind: 'resource', name: COUNTERS_URN });
  assert.deepEqual(read.answer.body, { echo: { uri: COUNTERS_URN } });
  assert.deepEqual(
    calls.map((call) => [call.content, call.envelope, call.sessionId]),
    [
      [called.request, fakeEnvelope('call', PAYLOAD_TYPES.call), 'domain-1'],
      [read.request, fakeEnvelope('call', PAYLOAD_TYPES.call), 'domain-1'],
    ],
  );
});

test('a refusal comes back with code and signature', async (t) => {
  const refusal = {
    status: 'refused',
    code: -32081,
    message: 'Network.Timeout',
    data: { detail: 'late' },
    envelope: fakeEnvelope('no'),
  } as const;
  const { session } = await open(t, { handler: async () => refusal });
  assert.deepEqual((await session.call(PING)).answer, {
    status: 'refused',
    code: -32081,
    reason: 'Network.Timeout',
    body: { code: -32081, message: 'Network.Timeout', data: { detail: 'late' } },
    envelope: fakeEnvelope('no'),
  });
});

test('no shared capability gives no session: peer/protocol [TS-14]', async (t) => {
  await assert.rejects(open(t, {}, ['ietf-unknown']), (error: ParleyError) => error.code === 'peer/protocol');
});

test('a call without an answer in time rejects with peer/timeout, and a later one with peer/unreachable when the peer is gone [TS-21]', async (t) => {
  const { session, calls, clock, server } = await open(t, { handler: () => new Promise(() => {}) });
  const called = session.call(PING);
  called.catch(() => {});
  await until(() => calls.length === 1, 'the call');
  await clock.advance(5_000);
  await assert.rejects(called, (error: ParleyError) => error.code === 'peer/timeout');
  server.close();
  await assert.rejects(session.call(PING), (error: ParleyError) => error.code === 'peer/unreachable');
});

test('an answer that is neither a result nor an error is refused', () => {
  for (const body of [
    {},
    { result: 'text' },
    { error: {} },
    { error: { code: 'x', message: 'y' } },
    { result: {}, signature: 'bare' },
  ]) {
    assert.equal(readDraftAnswer(body).ok, false);
  }
});
