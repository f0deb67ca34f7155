// What a link does to packets that it delivers: slow in one direction, and the look-alikes that are not. Narrow links: symptoms-narrow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import type { World } from '#correlate/network/world.ts';
import { longLinks, slowLinks, unwatchedLongLinks } from '#correlate/symptoms/links/slow-link.ts';
import { linkOf, PAIRS } from '../../pair-scene.ts';

const WORLD = {
  ...{ nodes: ['a', 'b', 'c', 'd'], whole: true, views: new Map(), links: PAIRS.map(linkOf) },
  ...{ lookups: new Map(), reach: [], owners: new Map(), hosts: new Map(), serviceProbes: [] },
} as unknown as World;

function trip(pair: string, min: number, spread = 3): Fact {
  const [from = '', to = ''] = pair.split('-');
  const value = { from, to, min, avg: min + spread, max: min + 40 };
  return { subject: `path/${from}>${to}`, predicate: 'round-trip', value, source: [`probe/${pair}`] };
}

function loop(visits: string, min: number): Fact {
  const value = { visits: visits.split(''), min };
  return { subject: `path/${visits}`, predicate: 'loop', value, source: [`deepen/${visits}`] };
}

const quick = PAIRS.map((pair) => trip(pair, 0.2));
const slowAb = [trip('a-b', 60.3), ...quick.slice(1)];
/** Of links that no loop can cross. */
const alone = slowAb.map((fact) => ({
  ...fact,
  value: { ...(fact.value as object), alone: true },
})) as unknown as readonly Fact[];

test('the loop that crosses the slow link from its sender names the direction', () => {
  const [symptom, ...rest] = slowLinks(WORLD, [...slowAb, loop('bcda', 60.5), loop('dcba', 0.6)]);
  assert.deepEqual(
    [symptom?.kind, symptom?.subject, symptom?.detail['slowFrom']],
    ['slow', 'link/a:to-b--b:to-a', ['a']],
  );
  assert.deepEqual(rest, []);
});

test('the other loop names the other direction', () => {
  const [symptom] = slowLinks(WORLD, [...slowAb, loop('bcda', 0.6), loop('dcba', 60.4)]);
  assert.deepEqual(symptom?.detail['slowFrom'], ['b']);
});

test('a link that is as slow one way as the other is long, and a remark', () => {
  const long = [...slowAb, loop('bcda', 30.4), loop('dcba', 30.3)];
  assert.deepEqual(slowLinks(WORLD, long), []);
  assert.match(longLinks(WORLD, long)[0]!.text, /to-b – .*60\.3 ms at least, 0\.2 ms on other links, as long one way/);
  assert.deepEqual(longLinks(WORLD, [...slowAb, loop('bcda', 60.5), loop('dcba', 0.6)]), []);
});

test('a long link that is slow one way on top is slow that way', () => {
  const [symptom] = slowLinks(WORLD, [trip('a-b', 80.3), ...quick.slice(1), loop('bcda', 60.5), loop('dcba', 19.9)]);
  assert.deepEqual(symptom?.detail['slowFrom'], ['a']);
});

test('quick loops over the link both ways acquit it', () => {
  assert.deepEqual(slowLinks(WORLD, [...slowAb, loop('bcda', 0.6), loop('dcba', 0.6)]), []);
});

test('where round trips differ by more everywhere, a delay is that of busy nodes', () => {
  const busy = PAIRS.map((pair, index) => trip(pair, index === 0 ? 9 : 1.5, 12));
  assert.deepEqual(slowLinks(WORLD, busy), []);
});

test('a link that no loop can cross is slow only where it was seen to become so, and else a remark', () => {
  assert.deepEqual(slowLinks(WORLD, alone), []);
  const [remark, ...rest] = longLinks(WORLD, alone);
  assert.match(remark!.text, /60\.3 ms at least, 0\.2 ms on other links: a long link, unless it was shorter before$/);
  assert.deepEqual(rest, []);
  const rise = { ifname: 'to-b', far: ['fe80::b'], agoMs: 16_000, quickUs: 300, slowUs: 60_400, slowRounds: 9 };
  const view = (node: string, port: string, history: object) => {
    const interfaces = [{ name: port, addresses: [`fe80::${node}/64`] }];
    return [node, { node, sources: [], state: { inventory: { interfaces }, history } }] as const;
  };
  const views = new Map([view('a', 'to-b', { rises: [rise] }), view('b', 'to-a', {})]);
  const seen = { ...WORLD, views } as unknown as World;
  const told = (ways?: object) => {
    Object.assign(rise, ways === undefined ? {} : { ways });
    return slowLinks(seen, alone).map(({ subject, detail }) => [subject, detail.slowFrom, detail.wayUnknown]);
  };
  assert.deepEqual(told(), [['link/a:to-b--b:to-a', [], true]]);
  assert.deepEqual(told({ outUs: 60_000, backUs: 100, spanMs: 2_000 }), [['link/a:to-b--b:to-a', ['a'], undefined]]);
  assert.deepEqual(longLinks(seen, alone), []);
  assert.deepEqual(unwatchedLongLinks(seen, alone), []);
});

test('of a long link that no protocol of IPv6 runs over it is not known whether it was shorter before', () => {
  const lines = (state: object, facts = alone) => {
    const views = new Map([
      ['a', { node: 'a', sources: [], state: { inventory: { interfaces: [] }, history: {}, ...state } }],
    ]);
    return unwatchedLongLinks({ ...WORLD, views } as unknown as World, facts);
  };
  assert.match(
    String(lines({})),
    /60\.3 ms at least, 0\.2 ms on other links; whether it was shorter before is not known$/,
  );
  assert.deepEqual(lines({ bgp: { sessions: [{ peer: 'to-b' }] } }), []);
  assert.deepEqual(lines({ ospf6: [{ ifname: 'to-b', neighbours: [{}] }] }), []);
  assert.equal(lines({ ospf6: [{ ifname: 'to-d', neighbours: [{}] }] }).length, 1, 'over another port');
  assert.deepEqual(lines({}, slowAb), [], 'of a link with addresses of its own');
});

test('without loops the direction stays unknown', () => {
  const [symptom] = slowLinks(WORLD, slowAb);
  assert.deepEqual([symptom?.kind, symptom?.detail['slowFrom']], ['slow', []]);
});

test('a busy node makes all its links slower, which is no slow link', () => {
  assert.deepEqual(slowLinks(WORLD, [trip('a-b', 4.9), trip('b-c', 0.3), trip('c-d', 0.2), trip('d-a', 4.8)]), []);
});

test('the least of all looks counts: one quick round trip acquits', () => {
  assert.deepEqual(slowLinks(WORLD, quick), []);
});

test('a loop over two slow links says nothing of either', () => {
  const both = [trip('a-b', 60.3), trip('b-c', 60.2), ...quick.slice(2)];
  const symptoms = slowLinks(WORLD, [...both, loop('bcda', 120.5), loop('dcba', 0.6)]);
  assert.deepEqual(
    symptoms.map(({ detail }) => detail['slowFrom']),
    [[], []],
  );
});

test('without a loop a delay must be long and steady: a busy node makes round trips long now and then', () => {
  const slowFrom = (min: number, spread: number) =>
    slowLinks(WORLD, [trip('a-b', min, spread), ...quick.slice(1)]).map(({ detail }) => detail['slowFrom']);
  assert.deepEqual(slowFrom(30.2, 5), [[]]);
  assert.deepEqual(slowFrom(30.2, 45), []);
  assert.deepEqual(slowFrom(9, 3), []);
});
