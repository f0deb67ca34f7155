// srv6_encapsulation_missing: a head has no route to a network whose traffic reaches it over SRv6, or that all other heads steer to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf, stateOf } from '../../scope-scene.ts';

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
