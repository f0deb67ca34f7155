// Registration (AX-4 … AX-8, AX-19, AX-20): owners, authorities, cycles, levels, and what becomes of a subtree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregator } from '#aggregate/aggregator.ts';
import type { ParentTarget } from '#aggregate/registry/parent.ts';
import type { Owner } from '#aggregate/registry/registry.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import {
  answerAs,
  CUT_TOOL,
  connectClient,
  createFakeServer,
  createTestAggregator,
  leafOf,
  linkPair,
  NODE,
  READ_TOOL,
  startedWith,
  uuid,
} from './harness.ts';

function registration(segment: string, more: JsonObject = {}): JsonObject {
  return { subserver_id: uuid(), segment, heartbeat_interval_ms: 1_000, version: '2026-05-01', ...more };
}

/** Registers a new connection; the answer's result, or its error. */
async function register(aggregator: Aggregator, clock: FakeClock, params: JsonObject, names: readonly string[] = []) {
  const [own, theirs] = linkPair();
  aggregator.serve(theirs, NODE, names);
  const peer = createPeer(own, clock);
  answerAs(createFakeServer(clock), peer);
  const answer = await peer.call({ method: 'mcpax/register', paramsText: JSON.stringify(params), timeoutMs: undefined })
    .answer;
  await settle();
  return { peer, kind: answer.kind, value: JSON.parse(answer.text) as JsonObject };
}

function targetOf(parent: Aggregator, segment: string, isDown = () => false): ParentTarget {
  return {
    node: 'parent',
    segment,
    heartbeatMs: 1_000,
    async dial() {
      if (isDown()) throw new Error('no route');
      const [own, theirs] = linkPair();
      parent.serve(theirs, NODE);
      return own;
    },
  };
}

test('the answer to a registration has segment, session, deadline and budget [AX-4]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const { value } = await register(root, clock, registration('edge'));
  assert.equal(value['status'], 'registered');
  assert.equal(value['assigned_segment'], 'edge');
  assert.equal(value['heartbeat_deadline_ms'], 3_000);
  assert.deepEqual(value['budget'], {
    max_calls_per_minute: 1_000_000,
    max_mutable_calls_per_session: 1_000,
    max_cost_units_per_session: 100_000,
  });
});

test('the first keeps its segment; the second is told whose it is [AX-4]', async () => {
  const clock = createFakeClock();
  const { aggregator } = await startedWith([leafOf('s', createFakeServer(clock))], clock);
  const first = registration('edge');
  await register(aggregator, clock, first);
  const second = await register(aggregator, clock, registration('edge'));
  assert.deepEqual([second.value['code'], second.value['message']], [-32010, 'namespace_conflict']);
  assert.deepEqual((second.value['data'] as JsonObject)['owner'], { subserver_id: first['subserver_id'] });
  assert.equal((await register(aggregator, clock, registration('s'))).value['message'], 'namespace_conflict');
  assert.equal((await register(aggregator, clock, first)).kind, 'result');
});

test('an owner keeps its segment over restarts of both, until it was away for long [AX-5]', async () => {
  const clock = createFakeClock();
  let saved: readonly Owner[] = [];
  const saveOwners = async (owners: readonly Owner[]) => {
    saved = owners;
  };
  const first = registration('edge');
  const before = createTestAggregator(clock, { saveOwners, stickyMs: 60_000 });
  const { peer } = await register(before, clock, first);
  await peer.call({ method: 'mcpax/deregister', paramsText: '{}', timeoutMs: undefined }).answer;
  await settle();
  const after = createTestAggregator(clock, { owners: saved, stickyMs: 60_000 });
  const stranger = registration('edge');
  assert.equal((await register(after, clock, stranger)).value['message'], 'namespace_conflict');
  await clock.advance(61_000);
  assert.equal((await register(after, clock, stranger)).kind, 'result');
});

test('an authority counts when the certificate of the session proves it, and then owns the segment [AX-5]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const authority = 'dns:edge01.factory.example';
  const claimed = await register(root, clock, registration('edge', { authority }));
  assert.equal(claimed.value['message'], 'registration_refused');
  const own = registration('edge', { authority });
  const proven = await register(root, clock, own, ['edge01.factory.example']);
  assert.equal(proven.kind, 'result');
  proven.peer.close();
  await settle();
  await clock.advance(400_000);
  assert.equal(
    (await register(root, clock, { ...own, authority: 'dns:other.example' }, ['other.example'])).value['message'],
    'namespace_conflict',
  );
  const replacement = registration('edge', { authority });
  assert.equal((await register(root, clock, replacement, ['edge01.factory.example'])).kind, 'result');
});

test('a registration that is not of the draft is refused with what is wrong [AX-4]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const faults: readonly JsonObject[] = [
    { segment: 'a.b' },
    { segment: '' },
    { segment: 'Edge' },
    { segment: 'x'.repeat(64) },
    { subserver_id: 'me' },
    { heartbeat_interval_ms: 1 },
    { heartbeat_interval_ms: 1.5 },
    { version: '1999-01-01' },
    { 'x-mcpax-subtree-ids': ['x'] },
  ];
  for (const fault of faults) {
    const { kind, value } = await register(root, clock, registration('edge', fault));
    assert.equal(kind, 'error', JSON.stringify(fault));
    assert.ok([-32602, -32011].includes(Number(value['code'])), JSON.stringify(value));
  }
  assert.equal(root.core.slots.size, 0);
});

test('without heartbeats the connection alone decides [AX-6]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const client = connectClient(root, clock);
  const { peer } = await register(root, clock, registration('edge', { heartbeat_interval_ms: 0 }));
  await clock.advance(60_000);
  assert.equal(await client.codeOf('tools/call', { name: 'edge.look' }), undefined);
  peer.close();
  await settle();
  assert.equal(await client.codeOf('tools/call', { name: 'edge.look' }), -32002);
});

test('three missed heartbeats make tools degraded, with reason and time, and the grace period ends them [AX-6] [AX-19]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const client = connectClient(root, clock);
  await register(root, clock, registration('edge'));
  await clock.advance(3_000);
  const { code, message, data } = JSON.parse(await client.text('tools/call', { name: 'edge.look' })) as JsonObject;
  assert.deepEqual([code, message], [-32002, 'tool_degraded']);
  assert.deepEqual(data, { reason: 'subserver_unreachable', since: '2026-01-01T00:00:03.000Z', retry_after_ms: 5_000 });
  const { tools } = await client.ask('tools/list');
  const listed = (tools as readonly JsonObject[]).find((tool) => tool['name'] === 'edge.look');
  assert.deepEqual((listed!['_meta'] as JsonObject)['x-mcpax-capability'], {
    latency_class: 'standard',
    availability: 'degraded',
  });
  await clock.advance(300_000);
  assert.deepEqual(await client.toolNames(), []);
});

test('with no grace period the tools go within one heartbeat, and clients hear of it [AX-6]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock, { graceMs: 0 });
  const client = connectClient(root, clock);
  await register(root, clock, registration('edge'));
  assert.deepEqual(await client.toolNames(), ['edge.look']);
  client.heard.length = 0;
  await clock.advance(3_100);
  assert.deepEqual(await client.toolNames(), []);
  assert.ok(client.heard.some(({ method }) => method === 'notifications/tools/list_changed'));
});

test('eight levels lead to one tool, each hop counted, and back [AX-2] [AX-14]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock, [
    { ...READ_TOOL, _meta: { 'x-mcpax-capability': { latency_class: 'slow', mutable: false } } },
  ]);
  const levels = [createTestAggregator(clock)];
  for (let level = 1; level < 8; level++) {
    const leaves = level === 7 ? [leafOf('leaf', server)] : [];
    levels.push(createTestAggregator(clock, { leaves, parents: [targetOf(levels[level - 1]!, `l${level}`)] }));
  }
  await clock.advance(20_000);
  const name = 'l1.l2.l3.l4.l5.l6.l7.leaf.look';
  const client = connectClient(levels[0]!, clock);
  const { tools } = await client.ask('tools/list');
  const listed = (tools as readonly JsonObject[]).find((tool) => tool['name'] === name)!;
  assert.equal((listed['_meta'] as JsonObject)['x-mcpax-hops'], 8);
  assert.deepEqual((listed['_meta'] as JsonObject)['x-mcpax-capability'], { latency_class: 'slow', mutable: false });
  assert.equal(await client.codeOf('tools/call', { name }), undefined);
  assert.deepEqual(server.calls, [{ name: 'look' }]);
  assert.deepEqual(levels[7]!.parent.path, ['l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7']);
  for (const each of levels.toReversed()) await each.stop();
});

test('when an aggregator goes, its whole subtree goes [AX-19]', async () => {
  const clock = createFakeClock();
  const state = { isDown: false };
  const root = createTestAggregator(clock, { graceMs: 0 });
  const mid = createTestAggregator(clock, { parents: [targetOf(root, 'mid', () => state.isDown)] });
  const low = createTestAggregator(clock, {
    leaves: [leafOf('s', createFakeServer(clock))],
    parents: [targetOf(mid, 'low')],
  });
  await clock.advance(3_000);
  const client = connectClient(root, clock);
  assert.deepEqual((await client.toolNames()).includes('mid.low.s.look'), true);
  state.isDown = true;
  await mid.stop();
  await clock.advance(3_000);
  assert.deepEqual(await client.toolNames(), []);
  await low.stop();
});

test('an aggregator whose parent is gone registers with the next one [AX-19]', async () => {
  const clock = createFakeClock();
  const state = { isDown: false };
  const [one, two] = [createTestAggregator(clock), createTestAggregator(clock)];
  const edge = createTestAggregator(clock, {
    parents: [targetOf(one, 'edge', () => state.isDown), targetOf(two, 'edge')],
    leaves: [leafOf('s', createFakeServer(clock))],
  });
  await clock.advance(1_000);
  assert.ok(one.core.slots.has('edge'));
  state.isDown = true;
  await one.stop();
  // Three heartbeat intervals.
  await clock.advance(3_000);
  assert.equal(await connectClient(two, clock).codeOf('tools/call', { name: 'edge.s.look' }), undefined);
  await edge.stop();
});

test('three aggregators that register with each other at one moment form no cycle [AX-8]', async () => {
  const clock = createFakeClock();
  const ring: Aggregator[] = [];
  for (let index = 0; index < 3; index++) {
    const dial = async () => {
      const [own, theirs] = linkPair();
      ring[(index + 1) % 3]!.serve(theirs, NODE);
      return own;
    };
    ring.push(
      createTestAggregator(clock, {
        graceMs: 0,
        parents: [{ node: 'next', segment: `s${index}`, heartbeatMs: 1_000, dial }],
      }),
    );
  }
  await clock.advance(30_000);
  const registered = ring.filter(({ parent }) => parent.registeredWith !== undefined);
  assert.ok(registered.length < 3, 'a cycle of three');
  for (const each of ring) {
    const names = await connectClient(each, clock).toolNames();
    assert.ok(
      names.every((name) => name.split('.').length <= 3),
      names.join(' '),
    );
  }
  for (const each of ring) await each.stop();
});

test('an aggregator does not register below itself [AX-8]', async () => {
  const clock = createFakeClock();
  const aggregatorId = uuid();
  const root = createTestAggregator(clock, { aggregatorId });
  const { value } = await register(
    root,
    clock,
    registration('edge', { aggregator_id: uuid(), 'x-mcpax-subtree-ids': [aggregatorId] }),
  );
  assert.equal(value['code'], -32602);
  const other = uuid();
  const looped = await register(
    root,
    clock,
    registration('edge', { aggregator_id: other, 'x-mcpax-subtree-ids': [other, aggregatorId] }),
  );
  assert.deepEqual([looped.value['code'], looped.value['message']], [-32012, 'registration_cycle']);
});

test('a subserver below two parents of one tree is refused at the second [AX-20]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const [one, two, shared] = [uuid(), uuid(), uuid()];
  await register(root, clock, registration('a', { aggregator_id: one, 'x-mcpax-subtree-ids': [one, shared] }));
  const second = await register(
    root,
    clock,
    registration('b', { aggregator_id: two, 'x-mcpax-subtree-ids': [two, shared] }),
  );
  assert.equal(second.value['message'], 'registration_refused');
  assert.ok(String((second.value['data'] as JsonObject)['detail']).includes('below a'));
});

test('a subserver that is no aggregator cannot name its tools into another subtree [AX-3]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock, [
    { ...READ_TOOL, name: 'other.look' },
    { ...CUT_TOOL, name: '../x' },
  ]);
  const { client } = await startedWith([leafOf('s', server)], clock);
  assert.deepEqual(await client.toolNames(), ['s.___x', 's.other_look']);
  await client.ask('tools/call', { name: 's.other_look' });
  assert.deepEqual(server.calls, [{ name: 'other.look' }]);
});

test('a segment that is kept for a node is refused to every other [AX-4] [AX-15]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock, { segments: { pe1: ['PE1'] } });
  const refused = await register(root, clock, registration('pe1'), ['edge1']);
  assert.equal(refused.value['message'], 'registration_refused');
  assert.equal((await register(root, clock, registration('pe1'), ['pe1'])).kind, 'result');
  assert.equal((await register(root, clock, registration('p2'), ['edge1'])).kind, 'result');
});

test('owners that cannot be written are written later, and the end waits for what is being written [AX-20]', async () => {
  const clock = createFakeClock();
  const writes: PromiseWithResolvers<void>[] = [];
  let isLost = false;
  const saveOwners = () => {
    if (!isLost) return Promise.resolve();
    const write = Promise.withResolvers<void>();
    writes.push(write);
    return write.promise;
  };
  const root = createTestAggregator(clock, { saveOwners });
  await register(root, clock, registration('edge'));
  isLost = true;
  await clock.advance(3_200);
  assert.equal(writes.length, 1);
  writes[0]!.reject(new Error('no space left on device'));
  await settle();
  await clock.advance(200);
  assert.equal(writes.length, 2, 'it is tried again');
  let isStopped = false;
  const stopping = root.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.equal(isStopped, false, 'a write is open');
  writes[1]!.resolve();
  await stopping;
});
