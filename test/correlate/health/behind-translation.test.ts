// What is owed to a node that knows a network by translated addresses alone: no answer from the network's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachProof } from '#correlate/health/proof-reach.ts';
import { pairWorld } from '../pair-scene.ts';

const INSIDE = '198.19.1.1';
const RULE = {
  ...{ family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 1, verdict: 'none' },
  ...{ inInterfaces: [], outInterfaces: ['to-a'], rewrites: ['source = 203.0.113.5'], matchesRest: false },
  matches: [{ field: 'source', values: ['198.19.0.0/16', '198.18.2.0/24'] }],
};

/** `a` is outside; `b` translates; `c` has the address. */
function lackingOf(rule: object = {}, answer: object = { kind: 'none' }, more: object = {}, received = 0): number {
  const owners = new Map([[INSIDE, [{ node: 'c', ifname: 'lo' }]]]);
  const lookups = new Map([
    ['a', new Map([[INSIDE, { destination: INSIDE, ...answer }]])],
    ['b', new Map([[INSIDE, { destination: INSIDE, kind: 'unicast', matched: 'route' }]])],
  ]);
  const states = {
    a: { now: { missing: [], ...more } },
    b: { now: { filters: [{ ...RULE, ...rule }] } },
    c: { now: {} },
  };
  const reach = [{ from: 'a', destination: INSIDE, sent: 3, received, source: 'r' }];
  return reachProof(pairWorld(['a-b', 'b-c'], states, { owners, reach, lookups }), []).lacking.length;
}

test('a node outside is owed no answer from an address that a rule surely translates towards it', () => {
  assert.equal(lackingOf(), 0);
  assert.equal(lackingOf({}, { kind: 'unicast', matched: 'default' }), 0);
  assert.equal(lackingOf({ rewrites: ['source = own'] }), 0, 'masquerade');
});

test('an answer is owed where the rule may not take it, leads elsewhere, or the node has or had a route', () => {
  assert.equal(lackingOf({ rewrites: ['destination = 198.19.1.9'] }), 1);
  assert.equal(lackingOf({ matches: [{ field: 'source', values: ['198.19.2.0/24'] }] }), 1);
  assert.equal(lackingOf({ matches: [...RULE.matches, { field: 'ct', values: ['mark'] }] }), 1);
  assert.equal(lackingOf({ matchesRest: true }), 1, 'words that were not read');
  assert.equal(lackingOf({ outInterfaces: ['to-c'] }), 1);
  assert.equal(lackingOf({ outInterfaces: [] }), 1);
  assert.equal(lackingOf({ hook: 'prerouting' }), 1);
  assert.equal(lackingOf({}, { kind: 'unicast', matched: 'route' }), 1);
  assert.equal(lackingOf({}, { kind: 'none' }, {}, 1), 1, 'some came back');
  const route = { prefix: '198.19.0.0/16', kind: 'unicast', protocol: 'static', ifname: 'to-b', nextHop: '198.18.0.1' };
  const past = [{ fromAgoMs: 600_000, untilAgoMs: 30_000, state: { staticRoutes: [route] } }];
  assert.equal(lackingOf({}, { kind: 'none' }, { staticRoutes: [], past }), 1, 'a route that it lost');
});
