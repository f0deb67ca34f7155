// The fan-out: every call of a phase has an outcome, however its node behaves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { fanOut, type NoSession } from '#fanout/fan-out.ts';
import { FANOUT_LIMITS } from '#fanout/limits.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import type { ExchangedCall, Outcome, OutgoingCall, PeerSession, PlannedCall } from '#model/call.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';

const planned = (id: string, node: string, over: Partial<PlannedCall> = {}): PlannedCall => ({
  id,
  purpose: { kind: 'state', when: 'before' },
  node,
  kind: 'tool',
  name: 'parley-node-state',
  arguments: {},
  capability: 'parley-node-state',
  evidence: 'state',
  phase: 'before',
  timeoutMs: 1_000,
  ...over,
});

const answer = (node: string, status: 'answered' | 'refused' = 'answered'): ExchangedCall => ({
  request: { method: 'tools/call', params: { name: 'parley-node-state', arguments: {} } },
  requestEnvelope: { payloadType: 'parley/call/v1', payload: '', signature: '' },
  challenge: '00',
  answer:
    status === 'answered'
      ? { status, body: { node } }
      : { status, code: -32083, reason: 'Network.AccessDenied', body: { message: 'Network.AccessDenied' } },
});

const session = (node: string, call: (call: OutgoingCall) => Promise<ExchangedCall>): PeerSession => ({
  peer: { kind: 'node', domain: 'lab', name: node },
  chain: [],
  authorised: ['parley-node-state'],
  call,
  closed: false,
  close: async () => {},
});

const lookup = (known: Readonly<Record<string, PeerSession | NoSession>>) => ({
  session: (node: string) => known[node] ?? { error: new ParleyError('peer/unreachable', `no address of ${node}`) },
});

const local = { node: 'pe1', call: async () => answer('pe1') };
const never = () => new Promise<ExchangedCall>(() => {});

test('asks the local node and its peers in parallel and keeps the order of the plan [CARD-4] [TS-15]', async () => {
  const clock = createFakeClock();
  const open: string[] = [];
  const slowly = (node: string) => async (call: OutgoingCall) => {
    open.push(node);
    await clock.sleep(100, call.signal);
    return answer(node);
  };
  const running = fanOut(
    [planned('a', 'pe1'), planned('b', 'p2'), planned('c', 'pe3')],
    lookup({ p2: session('p2', slowly('p2')), pe3: session('pe3', slowly('pe3')) }),
    { node: 'pe1', call: slowly('pe1') },
    { sessionId: 's', asker: LOCAL_ASKER.asker, deadlineMs: 5_000, clock },
  );
  await settle();
  assert.deepEqual(open, ['pe1', 'p2', 'pe3']);
  await clock.advance(100);
  const finished = await running;
  assert.deepEqual(
    finished.map(({ outcome }) => [outcome.callId, outcome.status, outcome.elapsedMs]),
    [
      ['a', 'answered', 100],
      ['b', 'answered', 100],
      ['c', 'answered', 100],
    ],
  );
  assert.equal(finished[0]?.session, undefined);
  assert.equal(finished[1]?.session?.peer.name, 'p2');
  assert.deepEqual(finished[2]?.exchanged?.answer.body, { node: 'pe3' });
  assert.equal(clock.sleepers, 0);
});

test('hands the collaboration domain, the arguments and the shorter of both time limits to the session [TS-15]', async () => {
  const clock = createFakeClock();
  const seen: OutgoingCall[] = [];
  const p2 = session('p2', async (call) => {
    seen.push(call);
    return answer('p2');
  });
  const calls = [planned('a', 'p2', { arguments: { count: 3 } }), planned('b', 'p2', { timeoutMs: 9_000 })];
  await fanOut(calls, lookup({ p2 }), local, {
    sessionId: 'dom-1',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 4_000,
    clock,
  });
  assert.deepEqual(
    seen.map(({ sessionId, arguments: args, timeoutMs }) => ({ sessionId, args, timeoutMs })),
    [
      { sessionId: 'dom-1', args: { count: 3 }, timeoutMs: 1_000 },
      { sessionId: 'dom-1', args: {}, timeoutMs: 4_000 },
    ],
  );
});

test('marks a node that does not answer as timed out and untrusted, and keeps the rest [TS-21]', async () => {
  const clock = createFakeClock();
  const outcomes: Outcome[] = [];
  let aborted = false;
  const deaf = session('p2', (call) => {
    call.signal?.addEventListener('abort', () => {
      aborted = true;
    });
    return never();
  });
  const running = fanOut(
    [planned('a', 'p2', { timeoutMs: 60_000 }), planned('b', 'pe1')],
    lookup({ p2: deaf }),
    local,
    {
      sessionId: 's',
      asker: LOCAL_ASKER.asker,
      deadlineMs: 2_000,
      clock,
      onOutcome: (outcome) => outcomes.push(outcome),
    },
  );
  await settle();
  assert.deepEqual(
    outcomes.map((outcome) => outcome.callId),
    ['b'],
  );
  await clock.advance(2_000);
  const [first, second] = await running;
  assert.deepEqual(first?.outcome, {
    callId: 'a',
    purpose: { kind: 'state', when: 'before' },
    node: 'p2',
    phase: 'before',
    name: 'parley-node-state',
    status: 'timed-out',
    reason: 'no answer within 2000 ms',
    untrusted: 'no answer within 2000 ms',
    elapsedMs: 2_000,
  });
  assert.equal(second?.outcome.status, 'answered');
  assert.equal(aborted, true);
});

test('tells a failed authentication, a missing route, a time-out and a refusal apart [TS-21]', async () => {
  const clock = createFakeClock();
  const fails = (code: `peer/${string}`) =>
    session(code, async () => {
      throw new ParleyError(code, `${code} came`);
    });
  const nodes = lookup({
    a: { error: new ParleyError('peer/untrusted-certificate', 'expected a certificate of this domain, got another') },
    b: fails('peer/unreachable'),
    c: fails('peer/timeout'),
    d: session('d', async () => answer('d', 'refused')),
    e: { error: new Error('boom') },
  });
  const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((node) => planned(node, node));
  const finished = await fanOut(calls, nodes, local, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 2_000,
    clock,
  });
  assert.deepEqual(
    finished.map(({ outcome }) => [outcome.status, outcome.reason, outcome.untrusted]),
    [
      [
        'unreachable',
        'expected a certificate of this domain, got another',
        'expected a certificate of this domain, got another',
      ],
      ['unreachable', 'peer/unreachable came', undefined],
      ['timed-out', 'peer/timeout came', 'peer/timeout came'],
      ['refused', '-32083 Network.AccessDenied', undefined],
      ['unreachable', 'boom', undefined],
      ['unreachable', 'no address of f', undefined],
    ],
  );
  assert.equal(finished[3]?.exchanged?.answer.status, 'refused');
});

test('does not send a call whose capability is not in the intersection [TS-14]', async () => {
  const clock = createFakeClock();
  let sent = 0;
  const p2 = session('p2', async () => {
    sent += 1;
    return answer('p2');
  });
  const [only] = await fanOut([planned('a', 'p2', { capability: 'tcpdump' })], lookup({ p2 }), local, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 2_000,
    clock,
  });
  assert.equal(only?.outcome.status, 'refused');
  assert.equal(only?.outcome.reason, 'capability tcpdump is not in the intersection with p2');
  assert.equal(sent, 0);
});

test('bounds the calls in flight, and a call that never got its turn blames nobody [CARD-4]', async () => {
  const clock = createFakeClock();
  let inFlight = 0;
  let most = 0;
  const slow = session('p2', async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await clock.sleep(1_000);
    inFlight -= 1;
    return answer('p2');
  });
  const calls = ['a', 'b', 'c', 'd', 'e'].map((id) => planned(id, 'p2', { timeoutMs: 10_000 }));
  const running = fanOut(calls, lookup({ p2: slow }), local, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 2_000,
    clock,
    concurrency: 2,
  });
  await clock.advance(2_500);
  const finished = await running;
  assert.equal(most, 2);
  assert.deepEqual(finished[4]?.outcome, {
    callId: 'e',
    purpose: { kind: 'state', when: 'before' },
    node: 'p2',
    phase: 'before',
    name: 'parley-node-state',
    status: 'timed-out',
    reason: 'the deadline passed before the call was sent',
    elapsedMs: 0,
  });
});

test('of one node no more probes run at once than it takes, and others do not wait for it', async () => {
  const clock = createFakeClock();
  const most = new Map<string, number>();
  const slow = (name: string) => {
    let inFlight = 0;
    return session(name, async () => {
      inFlight += 1;
      most.set(name, Math.max(most.get(name) ?? 0, inFlight));
      await clock.sleep(1_000);
      inFlight -= 1;
      return answer(name);
    });
  };
  const probes = Array.from({ length: 20 }, (_, index) =>
    planned(`probe ${index}`, 'p2', {
      timeoutMs: 10_000,
      evidence: (['probe', 'reach', 'host-scan', 'service-probe', 'dhcp'] as const)[index % 5]!,
    }),
  );
  const states = Array.from({ length: 60 }, (_, index) => planned(`state ${index}`, 'p3', { timeoutMs: 10_000 }));
  const running = fanOut([...probes, ...states], lookup({ p2: slow('p2'), p3: slow('p3') }), local, {
    ...{ sessionId: 's', asker: LOCAL_ASKER.asker, deadlineMs: 20_000, clock },
  });
  await clock.advance(3_000);
  assert.ok((await running).every(({ outcome }) => outcome.status === 'answered'));
  assert.deepEqual([...most].toSorted(), [
    ['p2', 16],
    ['p3', 48],
  ]);
  assert.ok(FANOUT_LIMITS.fanoutPerNode < MCP_LIMITS.requestsInFlight);
});

test('this node itself is waited for as long as the phase lasts, and an answer that came in time is not overtaken', async () => {
  const clock = createFakeClock();
  const slow = { node: 'pe1', call: () => clock.sleep(3_000).then(() => answer('pe1')) };
  const calls = [planned('own', 'pe1', { timeoutMs: 1_000 }), planned('far', 'p2', { timeoutMs: 1_000 })];
  const inTime = session('p2', async () => {
    await clock.sleep(1_000);
    return answer('p2');
  });
  const running = fanOut(calls, lookup({ p2: inTime }), slow, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 4_000,
    clock,
  });
  await clock.advance(4_000);
  assert.deepEqual(
    (await running).map(({ outcome }) => outcome.status),
    ['answered', 'answered'],
  );
});

test('a node that had too little time because others had their turn first is not to blame [TS-21]', async () => {
  const clock = createFakeClock();
  const deaf = session('p2', () => never());
  const calls = ['a', 'b'].map((id) => planned(id, 'p2', { timeoutMs: 1_000 }));
  const running = fanOut(calls, lookup({ p2: deaf }), local, {
    ...{ sessionId: 's', asker: LOCAL_ASKER.asker, deadlineMs: 1_500, clock, concurrency: 1 },
  });
  await clock.advance(1_500);
  const [first, second] = await running;
  assert.equal(first?.outcome.untrusted, 'no answer within 1000 ms');
  assert.deepEqual([second?.outcome.reason, second?.outcome.untrusted], ['no answer within 500 ms', undefined]);
});

test('an abort ends every call at once and leaves no timer behind', async () => {
  const clock = createFakeClock();
  const abort = new AbortController();
  let sent = 0;
  const counted = () => {
    sent += 1;
    return never();
  };
  const running = fanOut([planned('a', 'p2'), planned('b', 'p2')], lookup({ p2: session('p2', counted) }), local, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 2_000,
    clock,
    concurrency: 1,
    signal: abort.signal,
  });
  await settle();
  abort.abort(new Error('operator gave up'));
  const finished = await running;
  assert.deepEqual(
    finished.map(({ outcome }) => [outcome.status, outcome.reason, outcome.untrusted]),
    [
      ['timed-out', 'cancelled', undefined],
      ['timed-out', 'cancelled', undefined],
    ],
  );
  assert.deepEqual([clock.sleepers, sent], [0, 1]);
});

test('who turned out to be somebody else is told also after an abort [TS-21]', async () => {
  const error = new ParleyError('peer/wrong-identity', 'expected p2, got p9');
  const found = lookup({ p2: { error } });
  const signal = AbortSignal.abort(new Error('operator gave up'));
  const options = { sessionId: 's', asker: LOCAL_ASKER.asker, deadlineMs: 2_000, clock: createFakeClock(), signal };
  const [finished] = await fanOut([planned('a', 'p2')], found, local, options);
  const { status, untrusted } = finished!.outcome;
  assert.deepEqual([status, untrusted], ['unreachable', 'expected p2, got p9']);
});

test('a session that throws instead of rejecting still gets its row [TS-21]', async () => {
  const clock = createFakeClock();
  const broken = session('p2', () => {
    throw new Error('socket is gone');
  });
  const [only] = await fanOut([planned('a', 'p2')], lookup({ p2: broken }), local, {
    sessionId: 's',
    asker: LOCAL_ASKER.asker,
    deadlineMs: 2_000,
    clock,
  });
  assert.deepEqual([only?.outcome.status, only?.outcome.reason], ['unreachable', 'socket is gone']);
});

test('a call that is to come later is sent later, and one that an abort finds waiting gets its row', async () => {
  const clock = createFakeClock();
  const sent: string[] = [];
  const abort = new AbortController();
  const running = fanOut(
    [planned('a', 'p2'), planned('b', 'p2', { afterMs: 120 }), planned('c', 'p2', { afterMs: 240 })],
    lookup({
      p2: session('p2', async () => {
        sent.push(String(clock.monotonicMs()));
        return answer('p2');
      }),
    }),
    local,
    { sessionId: 's', asker: LOCAL_ASKER.asker, deadlineMs: 5_000, clock, signal: abort.signal },
  );
  await clock.advance(200);
  abort.abort();
  const finished = await running;
  assert.deepEqual(sent, ['0', '120']);
  assert.deepEqual(
    finished.map(({ outcome }) => [outcome.callId, outcome.status]),
    [
      ['a', 'answered'],
      ['b', 'answered'],
      ['c', 'timed-out'],
    ],
  );
});
