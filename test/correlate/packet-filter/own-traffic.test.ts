// Filters of what is addressed to their own node: which lost attempts their counters account for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, FilterHits } from '#correlate/engine/facts.ts';
import type { Attempt } from '#correlate/packet-filter/attempts.ts';
import { isForItself, takenAtTheirEnds, takerAtTheirEnd } from '#correlate/packet-filter/own-traffic.ts';
import { fact } from '../fact-scene.ts';

const WORLD = { views: new Map() };

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
  const found = takenAtTheirEnds(WORLD, facts, attempts);
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

test('what filters of both ends may have taken leaves the count of one to what it alone may have', () => {
  const both = [hits({ packets: 100 }), hits({ node: 'a', packets: 100 })];
  assert.deepEqual(taken(both, lost(100), lost(90, 'd')), [['c', 'a'], ['c']]);
  assert.deepEqual(taken(both, lost(150), lost(100, 'd'), lost(100, 'e')), [[], ['c'], []]);
});

test('filters on the way, of what is forwarded, or against other packets account for nothing', () => {
  assert.deepEqual(taken([hits({ node: 'b' })], lost(100)), [[]]);
  assert.deepEqual(taken([hits({ hook: 'forward' })], lost(100)), [[]]);
  assert.deepEqual(taken([hits({ packets: 0 })], lost(100)), [[]]);
  const tcp = [{ field: 'protocol', values: ['tcp'] }] as const;
  assert.deepEqual(taken([hits({ matches: tcp })], lost(100)), [[]]);
});

test('a rule that takes all of like packets or none accounts for no share, nor beside a counter of much else', () => {
  const all = (packets: number) => hits({ matches: [], matchesRest: false, packets });
  assert.deepEqual(taken([all(100)], lost(100)), [['c']]);
  assert.deepEqual(taken([all(100)], lost(30)), [[]]);
  assert.deepEqual(taken([all(131)], lost(100)), [[]]);
  assert.deepEqual(taken([all(200)], lost(100), lost(100, 'd')), [['c'], ['c']]);
  // A limiter is read as a rule that demands something more.
  assert.deepEqual(taken([hits({ matchesRest: true, packets: 5_000 })], lost(30)), [['c']]);
});

test('of probes that end at a node its own limiter took as many as were lost, where it can match them', () => {
  const PROBE = { destination: 'fd00::c', source: 'fd00::a', segments: [] };
  const symptom = (change: object = {}) =>
    ({
      id: 'x',
      fact: fact('probe-loss', {
        ...{ scope: 'segment', from: 'a', to: 'c', measuredBy: 'c', sent: 13, lost: 9, refused: 0 },
        ...{ directionKnown: true, probe: PROBE, ...change },
      } as never),
    }) as unknown as Parameters<typeof takerAtTheirEnd>[1];
  const taker = (facts: readonly Fact[], change: object = {}, path: readonly string[] = ['a', 'c']) =>
    takerAtTheirEnd({ path, world: WORLD as never, facts }, symptom(change))?.node;
  const limiter = (change: Partial<FilterHits> = {}) => [
    hits({ matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: true, ...change }),
  ];
  assert.equal(taker(limiter()), 'c');
  assert.equal(taker(limiter(), { link: 'link/a:to-c--c:to-a' }, []), 'c');
  assert.equal(taker(limiter({ inInterfaces: ['to-a'] }), { link: 'link/a:to-c--c:to-a' }, []), 'c');
  for (const [why, facts, change] of [
    ['it took fewer', limiter({ packets: 8 }), {}],
    ['of another node', limiter({ node: 'a' }), {}],
    ['of what it forwards', limiter({ hook: 'forward' }), {}],
    ['all of like packets or none', limiter({ matchesRest: false }), {}],
    ['other packets', limiter({ matches: [{ field: 'protocol', values: ['icmp'] }] }), {}],
    ['another port', limiter({ inInterfaces: ['to-b'] }), { link: 'link/a:to-c--c:to-a' }],
    ['which way is not known', limiter(), { directionKnown: false }],
    ['they follow a segment list', limiter(), { probe: { ...PROBE, segments: ['fd00::1'] } }],
  ] as const)
    assert.equal(taker(facts, change), undefined, why);
});

test('on a node with SIDs a rule for everything, and one for a destination, may be about packets under way', () => {
  const sids = { views: new Map([['c', { state: { inventory: { sids: [{ sid: 'fd00::1' }] } } }]]) } as never;
  const udp = [{ field: 'protocol', values: ['udp'] }] as const;
  const own = (world: never, matches: FilterHits['matches']) =>
    isForItself(world, { node: 'c', hook: 'input', ...(matches === undefined ? {} : { matches }) });
  assert.deepEqual([own(WORLD as never, []), own(sids, []), own(sids, udp)], [true, false, true]);
  assert.equal(own(WORLD as never, [...udp, { field: 'destination', values: ['fd00:3::/48'] }]), false);
});

test('a rule that asks for a segment routing header is about packets under way', () => {
  assert.equal(isForItself(WORLD, { node: 'c', hook: 'input' }), true);
  assert.equal(isForItself(WORLD, { node: 'c', hook: 'output' }), false);
  assert.equal(
    isForItself(WORLD, { node: 'c', hook: 'input', matches: [{ field: 'extension', values: ['rt'] }] }),
    false,
  );
});

test('a rule against the packets of a tunnel that ends here takes those of users', () => {
  const udp = { field: 'protocol', values: ['udp'] } as const;
  const own = (...matches: NonNullable<FilterHits['matches']>) =>
    isForItself(WORLD, { node: 'c', hook: 'input', matches });
  assert.equal(own(udp, { field: 'destination-port', values: ['4789'] }), false);
  assert.equal(own({ field: 'protocol', values: ['gre'] }), false);
  assert.equal(own({ field: 'protocol', values: ['47'] }), false);
  assert.equal(own(udp, { field: 'destination-port', values: ['4789'], negated: true }), true);
  assert.equal(own(udp, { field: 'destination-port', values: ['179'] }), true);
});
