// Filters of what is addressed to their own node: which lost attempts their counters account for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, FilterHits } from '#correlate/engine/facts.ts';
import type { Attempt } from '#correlate/packet-filter/attempts.ts';
import { isForItself, takenAtTheirEnds } from '#correlate/packet-filter/own-traffic.ts';
import { fact } from '../fact-scene.ts';

const hits = (change: Partial<FilterHits> = {}): Fact =>
  fact('filter-hits', {
    ...{ node: 'c', acl: 'i', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 100, matches: [] },
    ...change,
  });
const lost = (count: number, from = 'a', owner = 'c') => {
  const attempt: Attempt = {
    way: { nodes: [from, 'b', owner], links: [] },
    detail: { from, destination: '198.18.9.3', owner, sent: 100, sources: ['198.18.9.1'] },
  };
  return { attempt, lost: count };
};
const taken = (facts: readonly Fact[], ...attempts: readonly ReturnType<typeof lost>[]) => {
  const found = takenAtTheirEnds(facts, attempts);
  return attempts.map((each) => (found.get(each) ?? []).map(({ node }) => node));
};

test('what a filter of either end dropped accounts for a loss, as far as its counter goes', () => {
  assert.deepEqual(taken([hits()], lost(100)), [['c']]);
  assert.deepEqual(taken([hits({ node: 'a' })], lost(100)), [['a']]);
  assert.deepEqual(taken([hits({ packets: 90 })], lost(100)), [['c']]);
  assert.deepEqual(taken([hits({ packets: 89 })], lost(100)), [[]]);
  // Two losses, and packets for one.
  assert.deepEqual(taken([hits({ packets: 120 })], lost(60), lost(100)), [[], ['c']]);
  assert.deepEqual(taken([hits({ packets: 160 })], lost(60), lost(100)), [['c'], ['c']]);
});

test('filters on the way, of what is forwarded, or against other packets account for nothing', () => {
  assert.deepEqual(taken([hits({ node: 'b' })], lost(100)), [[]]);
  assert.deepEqual(taken([hits({ hook: 'forward' })], lost(100)), [[]]);
  assert.deepEqual(taken([hits({ packets: 0 })], lost(100)), [[]]);
  const tcp = [{ field: 'protocol', values: ['tcp'] }] as const;
  assert.deepEqual(taken([hits({ matches: tcp })], lost(100)), [[]]);
});

test('a rule that asks for a segment routing header is about packets under way', () => {
  assert.equal(isForItself({ hook: 'input' }), true);
  assert.equal(isForItself({ hook: 'output' }), false);
  assert.equal(isForItself({ hook: 'input', matches: [{ field: 'extension', values: ['rt'] }] }), false);
});
