// The rounds as loops over all measurements: every purpose has a reader, and a question gets the measurements that are for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Doubts } from '#measure/doubts.ts';
import { MEASUREMENTS, planConfirmation, planExtended, planFirst, planFollowUp } from '#measure/registry.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { Intent } from '#model/intent.ts';
import { stateOf } from '../correlate/scope-scene.ts';
import { served } from '../correlate/service-scene.ts';
import { scopeOf } from './scope.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const NOTHING: Doubts = {
  ...{
    lossy: [],
    dead: [],
    echoesLost: [],
    classes: [],
    slow: [],
    narrow: [],
    reaches: [],
    unseen: [],
    scans: [],
    tries: [],
  },
  ...{ dhcp: [], serviceProbes: [], nonReporting: new Set(), routingEnds: [], routes: false, through: [] },
};
const PATH: Intent = {
  ...{ kind: 'path-loss', text: 'loss from r1 to r3 via r2', encapsulation: 'ip' },
  path: ['r1', 'r2', 'r3'].map((as) => ({ as, key: as })),
};
const kindsOf = (calls: readonly { readonly purpose: { readonly kind: string } }[]) =>
  [...new Set(calls.map(({ purpose }) => purpose.kind))].sort();

test('the first round of a question about everything measures links, routes and hosts', () => {
  const calls = planFirst(scopeOf(STATES));
  assert.deepEqual(kindsOf(calls), [
    ...['host-scan', 'length-probe', 'link-classes', 'link-echoes', 'link-probe', 'link-train', 'lookups', 'reach'],
    'service-probe',
  ]);
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
  assert.deepEqual([...new Set(calls.map(({ phase }) => phase))], ['probe']);
});

test('a question about a path is measured along it alone, once', () => {
  const scope = scopeOf(STATES, { intent: PATH });
  const wanted = [
    ...['length-probe', 'lookups', 'network-reach', 'path-flows', 'path-full', 'path-lengths', 'path-probe'],
    ...['path-state', 'probe-capture', 'reach', 'sid-statistics'],
  ];
  assert.deepEqual(kindsOf(planFirst(scope)), wanted);
  const [link] = scopeLinks(STATES);
  const doubts = { ...NOTHING, lossy: [link!] };
  assert.deepEqual([planConfirmation(scope, doubts), planFollowUp(scope, doubts)], [[], []]);
});

test('along a path what routes discard is looked up again, and services are tried where a new rule took packets', () => {
  const scope = scopeOf(STATES, { intent: PATH });
  const confirmed = (doubts: Partial<Doubts>) => planConfirmation(scope, { ...NOTHING, ...doubts });
  assert.deepEqual(kindsOf(confirmed({ routes: true })), ['lookups']);
  const serving = served('tcp', 80)(stateOf(3));
  const tries = confirmed({ filtered: new Map([...STATES, ['r3', serving]]) });
  assert.deepEqual(
    tries.map(({ node, purpose, phase }) => [node, purpose.kind === 'service-probe' && purpose.reason, phase]),
    [
      ['r1', 'used', 'deepen'],
      ['r3', 'seen', 'deepen'],
    ],
  );
});

test('a path whose counters are in doubt gets a longer look at its own hops alone, and none where nothing is', () => {
  const links = scopeLinks(STATES);
  const losses = links.map((link) => ({ link, share: 0.05 }));
  const short = { ...PATH, path: PATH.path.slice(0, 2) };
  const scope = scopeOf(STATES, { intent: short, nodes: ['r1', 'r2'] });
  const steps = planExtended(scope, { losses, damage: [], classes: [] });
  assert.equal(losses.length, 2);
  assert.deepEqual(
    steps.map((calls) => calls.map(({ id }) => id)),
    [
      ['deepen/r1/counts/first', 'deepen/r2/counts/first'],
      ['probe/r1:eth2/r2:eth1/long', 'probe/r2:eth1/r1:eth2/long'],
      ['deepen/r1/counts/last', 'deepen/r2/counts/last'],
    ],
  );
  assert.deepEqual(planExtended(scope, { losses: [], damage: [], classes: [] }), []);
});

test('nothing in doubt is nothing to confirm', () => {
  const scope = scopeOf(STATES);
  assert.deepEqual([planConfirmation(scope, NOTHING), planFollowUp(scope, NOTHING)], [[], []]);
  assert.deepEqual(planExtended(scope, { losses: [], damage: [], classes: [] }), []);
});

test('each doubt is confirmed by what is for it', () => {
  const scope = scopeOf(STATES);
  const [link] = scopeLinks(STATES);
  const confirmed = (doubts: Partial<Doubts>) => kindsOf(planConfirmation(scope, { ...NOTHING, ...doubts }));
  assert.deepEqual(confirmed({ lossy: [link!] }), ['link-probe']);
  assert.deepEqual(confirmed({ dead: [link!] }), ['link-probe']);
  assert.deepEqual(confirmed({ echoesLost: [link!] }), ['link-echoes']);
  assert.deepEqual(confirmed({ narrow: [{ link: link! }] }), ['link-train']);
  assert.deepEqual(confirmed({ reaches: [{ from: 'r1', destination: '198.19.255.3' }] }), ['reach']);
  assert.deepEqual(confirmed({ routes: true }), ['lookups']);
  assert.deepEqual(confirmed({ routingEnds: ['r2', 'r1'] }), ['logs']);
});

test('of many links in doubt few are measured again, the worst first', () => {
  const [link] = scopeLinks(STATES);
  const many = Array.from({ length: 9 }, () => link!);
  assert.equal(planConfirmation(scopeOf(STATES), { ...NOTHING, lossy: many }).length, 12);
  assert.equal(planConfirmation(scopeOf(STATES), { ...NOTHING, echoesLost: many }).length, 12);
});

test('a node that is asked through a neighbour alone measures nothing that needs a route', () => {
  const calls = planFirst(scopeOf(STATES, { relays: new Map([['r3', ['r2']]]) }));
  assert.ok(calls.every(({ node }) => node !== 'r3'));
  assert.deepEqual(
    calls.flatMap(({ node, purpose }) => (purpose.kind === 'relay' ? [[node, purpose.node, purpose.of.kind]] : [])),
    [['r2', 'r3', 'host-scan']],
  );
});

test('every kind of call that a round plans has a measurement that reads its answer', () => {
  const read = new Set(MEASUREMENTS.flatMap(({ kinds }) => kinds));
  const planned = kindsOf(planFirst(scopeOf(STATES)));
  assert.deepEqual(
    planned.filter((kind) => !read.has(kind as never)),
    [],
  );
  for (const { kinds } of MEASUREMENTS) assert.ok(kinds.length > 0);
});
