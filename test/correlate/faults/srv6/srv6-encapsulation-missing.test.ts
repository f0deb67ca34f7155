// srv6_encapsulation_missing: a head has no route to a network whose traffic reaches it over SRv6, or that all other heads steer to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { srv6EncapsulationMissing } from '#correlate/faults/srv6/srv6-encapsulation-missing.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf, stateOf } from '../../scope-scene.ts';
import { type Head, srv6World } from './srv6-scene.ts';

const none = (destination: string) => ({ destination, kind: 'none' as const });

const bare = (state: NodeState): NodeState => ({
  ...state,
  staticRoutes: (state.staticRoutes ?? []).filter((route) => route.segments === undefined),
});

test('a head without a route to a network whose traffic reaches it over SRv6', () => {
  const scene = { states: { r3: bare }, lookups: { r3: [none('fd00:c:1::1')] } };
  assert.deepEqual(named(scene), ['srv6_encapsulation_missing node/r3']);
  assert.deepEqual(diagnose(sceneOf(scene)).findings[0]?.remedy, {
    node: 'r3',
    summary: 'steer fd00:c:1::1 on r3 into SRv6 as the others do',
  });
});

test('where neither head steers, none is odd', () => {
  const lookups = { r1: [none('fd00:c:3::1')], r3: [none('fd00:c:1::1')] };
  assert.deepEqual(named({ states: { r1: bare, r3: bare }, lookups }), []);
});

test('a prefix that every other head puts into SRv6, and one has no route to', () => {
  const far = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: ['fd00:5a:2::d6'] },
    ],
  });
  const near = (state: NodeState): NodeState => ({ ...state, staticRoutes: stateOf(1).staticRoutes ?? [] });
  const states = { r1: far, r2: near, r3: far };
  const lookups = { r2: [none('fd00:c:9::'), none('fd00:c:3::')] };
  assert.deepEqual(named({ states, lookups }), ['srv6_encapsulation_missing node/r2']);
  const routed = { r2: [{ ...none('fd00:c:9::'), kind: 'unicast' as const, ifname: 'eth1' }] };
  assert.deepEqual(named({ states, lookups: routed }), []);
});

const missed = (heads: Readonly<Record<string, Head>>) =>
  srv6EncapsulationMissing.detect!({ world: srv6World(heads), facts: [] }).map(
    ({ subject, nodes, confidence, detail }) => [subject, nodes.join(), confidence, detail['address'], detail['owner']],
  );
const A = { addresses: ['fd00:a::1/64'] };
const B: Head = { addresses: ['fd00:b::1/64'], steers: { 'fd00:a::/64': ['sid'] } };

test('a node has no way back to a network that steers to its own', () => {
  const a = (change: Head = {}): Head => ({ ...A, finds: { 'fd00:b::1': 'none' }, ...change });
  assert.deepEqual(missed({ a: a(), b: B }), [['node/a', 'a,b', 'certain', 'fd00:b::1', 'b']]);
  assert.equal(missed({ a: a({ finds: { 'fd00:b::1': 'unreachable' } }), b: B }).length, 1);
  assert.deepEqual(missed({ a: a({ finds: { 'fd00:b::1': 'unicast' } }), b: B }), []);
  assert.deepEqual(missed({ a: a({ finds: {} }), b: B }), [], 'it was not asked');
  assert.deepEqual(missed({ a: a(), b: { ...B, steers: { 'fd00:c::/64': ['sid'] } } }), []);
});

test('only networks for more than two, of IPv6, that are no loopbacks and no link-local ones, count', () => {
  const b = (address: string, change: Head = {}) => {
    const finds = { [address.split('/')[0]!]: 'none' };
    return missed({ a: { ...A, finds }, b: { ...B, addresses: [address], ...change } }).length;
  };
  assert.deepEqual([b('fd00:b::1/125'), b('fd00:b::1/126'), b('fe80::b/64'), b('198.19.2.1/24')], [1, 0, 0, 0]);
  assert.equal(b('fd00:b::1/64', { kind: 'loopback' }), 0);
});

test('one detection a head, with every node that it does not reach', () => {
  const finds = { 'fd00:b::1': 'none', 'fd00:c::1': 'none' };
  const c = { ...B, addresses: ['fd00:c::1/64'] };
  assert.deepEqual(missed({ a: { ...A, finds }, b: B, c }), [['node/a', 'a,b,c', 'certain', 'fd00:b::1', 'b']]);
});

test('two heads or more must steer to a prefix before the one that does not is odd', () => {
  const to = (...prefixes: readonly string[]): Head => ({
    steers: Object.fromEntries(prefixes.map((prefix) => [prefix, ['sid']])),
  });
  const X = 'fd00:9::/64';
  const odd = (change: Head = {}): Head => ({ ...to('fd00:8::/64'), finds: { 'fd00:9::': 'none' }, ...change });
  assert.deepEqual(missed({ a: to(X), b: to(X), c: odd() }), [['node/c', 'c,a,b', 'certain', X, undefined]]);
  assert.deepEqual(missed({ a: to(X), c: odd() }), []);
  assert.deepEqual(missed({ a: to(X), b: to(X), c: odd(), d: odd() }), [], 'two that do not');
  assert.deepEqual(missed({ a: to(X), b: to(X), c: odd({ steers: {} }) }), [], 'no head');
  assert.deepEqual(missed({ a: to(X), b: to(X), c: odd({ addresses: ['fd00:9::1/64'] }) }), [], 'its own prefix');
  assert.deepEqual(missed({ a: to(X), b: to(X), c: odd({ finds: { 'fd00:9::': 'unicast' } }) }), []);
});
