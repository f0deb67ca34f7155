// The exchange that facts come from: whose report of a state counts, how long calls took, and the longest probe.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import { elapsed, isStateOf, probePhaseMs, statesRead } from '#correlate/observe/exchange.ts';
import type { Outcome } from '#model/call.ts';
import { pairWorld } from '../pair-scene.ts';

const outcome = (change: object) =>
  ({ callId: 'x', phase: 'probe', status: 'answered', elapsedMs: 10, ...change }) as Outcome;

test('a call whose outcome is not known may have taken as long as any', () => {
  assert.equal(elapsed([outcome({ elapsedMs: 7 })], 'x'), 7);
  assert.equal(elapsed([outcome({})], 'y'), LIMITS.callMs);
});

test('the probe phase lasts as long as the longest answered probe, a millisecond at least', () => {
  assert.equal(probePhaseMs([]), 1);
  assert.equal(probePhaseMs([outcome({ elapsedMs: 0 })]), 1);
  assert.equal(probePhaseMs([outcome({}), outcome({ elapsedMs: 90 }), outcome({ elapsedMs: 50 })]), 90);
  assert.equal(probePhaseMs([outcome({ phase: 'after', elapsedMs: 90 })]), 1);
  assert.equal(probePhaseMs([outcome({ status: 'timed-out', elapsedMs: 90 })]), 1);
});

test('a node has readings when it gave its state twice, each with its own wait', () => {
  const now = { countersReadMs: 1 };
  const world = pairWorld([], { a: { now, before: now, after: now }, b: { now, after: now }, c: { now, before: now } });
  const views = new Map([...world.views].map(([node, view]) => [node, { ...view, sources: ['first', 'last'] }]));
  const outcomes = [outcome({ callId: 'first', elapsedMs: 3 }), outcome({ callId: 'last', elapsedMs: 5 })];
  const readings = statesRead({ ...world, views }, outcomes);
  assert.deepEqual(
    [...readings].map(([node, { beforeMs, afterMs }]) => [node, beforeMs, afterMs]),
    [['a', 3, 5]],
  );
});

test('the state of a node at one time is that call and no other', () => {
  const is = isStateOf('a', 'before');
  const call = (node: string, purpose: object) => is({ node, purpose } as never);
  assert.equal(call('a', { kind: 'state', when: 'before' }), true);
  assert.equal(call('a', { kind: 'state', when: 'after' }), false);
  assert.equal(call('b', { kind: 'state', when: 'before' }), false);
  assert.equal(call('a', { kind: 'logs' }), false);
});
