// A slow link without a loop whose own standing probes saw it become slow: which way, how far the clocks may have drifted meanwhile, and
// the look-alikes: clocks that were set, busy nodes, links that have been long for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import { highLatency } from '#correlate/faults/link/high-latency.ts';
import type { World, WorldLink } from '#correlate/network/world.ts';
import { longLinks, slowLinks } from '#correlate/symptoms/links/slow-link.ts';

import { decodeNodeState } from '#measure/decode/decode.ts';

import type { LinkRise } from '#model/router/link-monitor.ts';

const PAIRS = ['a-b', 'b-c', 'b-d', 'd-e'] as const;
const portOf = (node: string, other: string) => ({ node, ifname: `to-${other}` });

function linkOf(pair: string): WorldLink {
  const [one = '', other = ''] = pair.split('-');
  const [from, to] = [portOf(one, other), portOf(other, one)];
  return { key: `link/${one}:${from.ifname}--${other}:${to.ifname}`, from, to, link: {} } as unknown as WorldLink;
}

/** Addresses are named after their ports. */
const OWNERS = PAIRS.flatMap((pair) => {
  const [one = '', other = ''] = pair.split('-');
  return [
    [`${one}>${other}`, [portOf(one, other)]],
    [`${other}>${one}`, [portOf(other, one)]],
  ] as const;
});

const STUB_ROSE: LinkRise = {
  ...{ ifname: 'to-b', far: ['b>a'], agoMs: 7_000, quickUs: 800, slowUs: 120_700, slowRounds: 3 },
  ways: { outUs: 120_050, backUs: -150, spanMs: 12_000 },
};

/** `a` is a stub behind `b`, and probes the link. */
function worldWith(told: Readonly<Record<string, readonly LinkRise[]>>): World {
  const views = ['a', 'b', 'c', 'd', 'e'].map((node) => {
    const state = { history: { spanMs: 60_000, events: [], lastHeard: [], rises: told[node] } };
    return [node, { node, state, sources: [`state/${node}`] }] as const;
  });
  const links = PAIRS.map(linkOf);
  return { views: new Map(views), links, owners: new Map(OWNERS) } as unknown as World;
}

function trip(pair: string, min: number, spread = 2): Fact {
  const [from = '', to = ''] = pair.split('-');
  const value = { from, to, min, avg: min + spread, max: min + 90 };
  return { subject: `path/${from}>${to}`, predicate: 'round-trip', value, source: [`probe/${pair}`, `again/${pair}`] };
}

const trips = (stubMs: number) => [trip('a-b', stubMs), ...PAIRS.slice(1).map((pair) => trip(pair, 0.6))];

function said(told: Readonly<Record<string, readonly LinkRise[]>>, stubMs = 120.9): readonly string[] {
  const symptoms = slowLinks(worldWith(told), trips(stubMs));
  const proposals = highLatency.propose({ symptoms } as unknown as CaseFile, []);
  return proposals.map(
    ({ resource, confidence, withheld }) => `${resource} ${withheld === undefined ? confidence : 'withheld'}`,
  );
}

const rising = (ways: LinkRise['ways'], change: Partial<LinkRise> = {}) => {
  const { ways: _ways, ...rest } = STUB_ROSE;
  return said({ a: [{ ...rest, ...change, ...(ways === undefined ? {} : { ways }) }] });
};

test('a way that became longer while the other did not names who sends that way', () => {
  assert.deepEqual(said({ a: [STUB_ROSE] }), ['interface/a/to-b likely']);
  assert.deepEqual(rising({ outUs: 40, backUs: 119_900, spanMs: 12_000 }), ['interface/b/to-a likely']);
  const [symptom] = slowLinks(worldWith({ a: [STUB_ROSE] }), trips(120.9));
  assert.match(symptom!.text, /round trip 120\.9 ms at least, 0\.6 ms on other links; 0\.8 ms until 7 s ago$/);
  assert.deepEqual(symptom!.detail, {
    ...{ roundTripMs: 120.9, othersMs: 0.6, slowFrom: ['a'], looks: 2, rose: true, roseSecondsAgo: 7 },
  });
});

test('without a rise, or one of another size, a slow link without a loop may be long, and accuses nobody', () => {
  const withheld = ['interface/a/to-b withheld', 'interface/b/to-a withheld'];
  assert.deepEqual(said({}), withheld);
  assert.deepEqual(said({ a: [{ ...STUB_ROSE, slowUs: 30_000 }] }), withheld);
  // Whose address was probed is not known.
  assert.deepEqual(said({ a: [{ ...STUB_ROSE, far: ['elsewhere'] }] }), withheld);
});

test('a rise without a direction names both ends: both ways alike, or not measured', () => {
  const both = ['interface/a/to-b likely', 'interface/b/to-a likely'];
  assert.deepEqual(rising({ outUs: 60_000, backUs: 60_100, spanMs: 12_000 }), both);
  assert.deepEqual(rising(undefined), both);
});

test('three quarters of the rise are one way, whatever the clocks did meanwhile', () => {
  // 12 s at 500 ppm are 6 ms, once for either way.
  const both = ['interface/a/to-b likely', 'interface/b/to-a likely'];
  assert.deepEqual(rising({ outUs: 96_100, backUs: 23_900, spanMs: 12_000 }), ['interface/a/to-b likely']);
  assert.deepEqual(rising({ outUs: 95_900, backUs: 24_100, spanMs: 12_000 }), both);
  assert.deepEqual(rising({ outUs: 25_500, backUs: 4_500, spanMs: 12_000 }, { slowUs: 70_000 }), both);
});

test('a clock that was set makes one way shorter, and names no direction', () => {
  const both = ['interface/a/to-b likely', 'interface/b/to-a likely'];
  assert.deepEqual(rising({ outUs: 500_000, backUs: -380_000, spanMs: 12_000 }), both);
  assert.deepEqual(rising({ outUs: -6_001, backUs: 126_001, spanMs: 12_000 }), both);
  assert.deepEqual(rising({ outUs: -5_999, backUs: 125_999, spanMs: 12_000 }), ['interface/b/to-a likely']);
});

test('links that rose together are those of a busy node', () => {
  const other: LinkRise = { ...STUB_ROSE, ifname: 'to-c', far: ['c>b'], slowUs: 40_000 };
  assert.deepEqual(said({ a: [STUB_ROSE], b: [other] }), ['interface/a/to-b withheld', 'interface/b/to-a withheld']);
  // Half a minute before, something else happened.
  assert.deepEqual(said({ a: [STUB_ROSE], b: [{ ...other, agoMs: 37_000 }] }), ['interface/a/to-b likely']);
  const elsewhere: LinkRise = { ...STUB_ROSE, ifname: 'to-e', far: ['e>d'] };
  assert.deepEqual(said({ a: [STUB_ROSE], d: [elsewhere] }), ['interface/a/to-b likely']);
});

test('a rise over a link that is quick now is nothing, and one over a link that is far less slow now says nothing', () => {
  assert.deepEqual(said({ a: [STUB_ROSE] }, 0.7), []);
  assert.deepEqual(said({ a: [STUB_ROSE] }, 60.4), ['interface/a/to-b withheld', 'interface/b/to-a withheld']);
  assert.deepEqual(said({ a: [STUB_ROSE] }, 60.8), ['interface/a/to-b likely']);
});

const SMALL_ROSE: LinkRise = {
  ...{ ...STUB_ROSE, quickUs: 550, slowUs: 32_000 },
  ways: { outUs: 170, backUs: 31_300, spanMs: 10_100 },
};

function symptomsOf(rise: LinkRise, facts: readonly Fact[]) {
  return slowLinks(worldWith({ a: [rise] }), facts).map(({ link, detail }) => [link?.key, detail['slowFrom']]);
}

test('round trips that differ by more everywhere are those of busy nodes, unless the link alone was seen to rise', () => {
  const busy = [trip('a-b', 31.6, 12), ...PAIRS.slice(1).map((pair) => trip(pair, 1.9, 35))];
  assert.deepEqual(slowLinks(worldWith({}), busy), []);
  assert.deepEqual(symptomsOf(SMALL_ROSE, busy), [['link/a:to-b--b:to-a', ['b']]]);
  const unsteady = [trip('a-b', 31.6, 60), ...PAIRS.slice(1).map((pair) => trip(pair, 0.6))];
  assert.deepEqual(slowLinks(worldWith({}), unsteady), []);
  assert.deepEqual(symptomsOf(SMALL_ROSE, unsteady), [['link/a:to-b--b:to-a', ['b']]]);
  // Less than 15 ms was not seen before either.
  const small = { ...SMALL_ROSE, slowUs: 15_500 };
  assert.deepEqual(symptomsOf(small, [trip('a-b', 15.4, 60), ...unsteady.slice(1)]), []);
});

test('without other links to hold it against, a link is held against what it was before', () => {
  const alone = (told: Readonly<Record<string, readonly LinkRise[]>>, stubMs: number) =>
    slowLinks(worldWith(told), [trip('a-b', stubMs), trip('b-c', 0.6)]);
  assert.deepEqual(alone({}, 120.9), []);
  const [symptom] = alone({ a: [STUB_ROSE] }, 120.9);
  assert.match(symptom!.text, /to-a: round trip 120\.9 ms at least; 0\.8 ms until 7 s ago$/);
  assert.deepEqual([symptom!.detail['slowFrom'], symptom!.detail['othersMs']], [['a'], 0.8]);
  assert.deepEqual(alone({ a: [STUB_ROSE] }, 0.9), []);
});

function loop(visits: string, min: number): Fact {
  const value = { visits: visits.split(''), min };
  return { subject: `path/${visits}`, predicate: 'loop', value, source: [`deepen/${visits}`] };
}

test('what loops show comes first: one way is that way, both quick is nothing; both long is a long link unless it rose', () => {
  const loops = (out: number, back: number) => [...trips(120.9), loop('bcda', out), loop('dcba', back)];
  assert.deepEqual(symptomsOf(STUB_ROSE, loops(0.6, 120.5)), [['link/a:to-b--b:to-a', ['b']]]);
  assert.deepEqual(symptomsOf(STUB_ROSE, loops(0.6, 0.6)), []);
  assert.deepEqual(symptomsOf(STUB_ROSE, loops(80.5, 40.3)), [['link/a:to-b--b:to-a', ['a']]]);
  assert.deepEqual(slowLinks(worldWith({}), loops(80.5, 40.3)), []);
  assert.deepEqual(longLinks(worldWith({}), loops(80.5, 40.3)).length, 1);
  assert.deepEqual(longLinks(worldWith({ a: [STUB_ROSE] }), loops(80.5, 40.3)), []);
});

test('what a node tells of rises is decoded; what is malformed is left out', () => {
  const { ways, ...rest } = STUB_ROSE;
  const rows = [
    { ...STUB_ROSE, far: ['b>a', 'x', 'y'] },
    { ...rest, ways: { ...ways, backUs: 'soon' } },
    ...[{ ...rest, slowUs: 800 }, { ...rest, ifname: 3 }, { ...rest, agoMs: -1 }, 'rise'],
  ];
  const risesOf = (history: JsonObject) =>
    decodeNodeState({ inventory: { node: 'b', interfaces: [] }, history })?.history?.rises;
  assert.deepEqual(risesOf({ rises: JSON.parse(JSON.stringify(rows)) }), [{ ...STUB_ROSE, far: ['b>a', 'x'] }, rest]);
  assert.equal(risesOf({}), undefined);
});
