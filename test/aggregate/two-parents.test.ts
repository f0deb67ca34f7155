// Where there is no shared store, an aggregator asks its parent before it takes a subserver in (AX-20).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import { answerAs, createFakeServer, createTestAggregator, linkPair, NODE, uuid } from './harness.ts';

function regionOf(root: Aggregator, clock: FakeClock, segment: string): Aggregator {
  const dial = async () => {
    const [own, theirs] = linkPair();
    root.serve(theirs, NODE);
    return own;
  };
  return createTestAggregator(clock, { parents: [{ node: 'root', segment, heartbeatMs: 1_000, dial }] });
}

async function register(aggregator: Aggregator, clock: FakeClock, subserverId: string) {
  const [own, theirs] = linkPair();
  aggregator.serve(theirs, NODE);
  const peer = createPeer(own, clock);
  answerAs(createFakeServer(clock), peer);
  const params = { subserver_id: subserverId, segment: 'pe1', heartbeat_interval_ms: 0, version: '2026-05-01' };
  const call = peer.call({ method: 'mcpax/register', paramsText: JSON.stringify(params), timeoutMs: undefined });
  const { kind, text } = await call.answer;
  await settle();
  return { peer, kind, value: JSON.parse(text) as JsonObject };
}

test('a subserver of one region is refused by the next, until the first has lost it [AX-20]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock, { graceMs: 0 });
  const [east, west] = [regionOf(root, clock, 'east'), regionOf(root, clock, 'west')];
  await clock.advance(2_000);
  const id = uuid();
  const first = await register(east, clock, id);
  assert.equal(first.kind, 'result');
  // The parent hears of it with the next heartbeat.
  await clock.advance(1_000);
  const second = await register(west, clock, id);
  assert.equal(second.value['message'], 'registration_refused');
  assert.match(String((second.value['data'] as JsonObject)['detail']), /below east/);
  await first.peer.call({ method: 'mcpax/deregister', paramsText: '{}', timeoutMs: undefined }).answer;
  await clock.advance(1_000);
  assert.equal((await register(west, clock, id)).kind, 'result');
  await Promise.all([east.stop(), west.stop(), root.stop()]);
});
