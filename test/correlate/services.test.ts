// SRv6 without a SID, a locator or a head; routes that somebody set by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf, stateOf } from './scope-scene.ts';

const none = (destination: string) => ({ destination, kind: 'none' as const });

test('a SID that its node has and nobody has a route to: the locator is not announced', () => {
  assert.deepEqual(named({ lookups: { r1: [none('fd00:5a:3::d6')] } }), ['srv6_locator_missing node/r3']);
});

test('a head without a way to a network whose traffic comes to it over SRv6', () => {
  const bare = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: (state.staticRoutes ?? []).filter((route) => route.segments === undefined),
  });
  assert.deepEqual(named({ states: { r3: bare }, lookups: { r3: [none('fd00:c:1::1')] } }), [
    'srv6_encapsulation_missing node/r3',
  ]);
  assert.deepEqual(
    named({ states: { r1: bare, r3: bare }, lookups: { r1: [none('fd00:c:3::1')], r3: [none('fd00:c:1::1')] } }),
    [],
  );
});

test('a prefix that every other head puts into SRv6, and one knows no way to', () => {
  const far = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: ['fd00:5a:2::d6'] },
    ],
  });
  const near = (state: NodeState): NodeState => ({ ...state, staticRoutes: stateOf(1).staticRoutes ?? [] });
  const lookups = { r2: [none('fd00:c:9::'), none('fd00:c:3::')] };
  assert.deepEqual(named({ states: { r1: far, r2: near, r3: far }, lookups }), ['srv6_encapsulation_missing node/r2']);
  const routed = { r2: [{ ...none('fd00:c:9::'), kind: 'unicast' as const, ifname: 'eth1' }] };
  assert.deepEqual(named({ states: { r1: far, r2: near, r3: far }, lookups: routed }), []);
});

test('a head that lacks a kind of SID that all other heads have, also when nobody sends to it', () => {
  const without = (state: NodeState): NodeState => ({
    ...state,
    inventory: { ...state.inventory, sids: state.inventory.sids.filter(({ behavior }) => behavior === 'End') },
  });
  const head = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [...(state.staticRoutes ?? []), ...(stateOf(1).staticRoutes ?? []).slice(1)],
  });
  assert.deepEqual(named({ states: { r2: (state) => without(head(state)) } }), ['srv6_sid_missing node/r2']);
  assert.deepEqual(named({ states: { r2: without } }), []);
});

test('a head that decapsulates what no other does lacks nothing of theirs', () => {
  const kind =
    (...behaviors: readonly string[]) =>
    (state: NodeState): NodeState => ({
      ...state,
      inventory: {
        ...state.inventory,
        sids: behaviors.map((behavior, index) => ({ sid: `fd00:5a:2::${index + 1}`, behavior })),
      },
      staticRoutes: [...(state.staticRoutes ?? []), ...(stateOf(1).staticRoutes ?? []).slice(1)],
    });
  assert.deepEqual(named({ states: { r2: kind('End') } }), ['srv6_sid_missing node/r2']);
  assert.deepEqual(named({ states: { r2: kind('End', 'End.DT4') } }), []);
});

test('an aggregate that is thrown away is nobody’s locator; the narrowest that covers a SID is', () => {
  const steering = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: 'fd00:c:9::/64', kind: 'unicast', protocol: 'boot', segments: ['fd00:5a:3::99'] },
    ],
  });
  const throwing =
    (prefix: string) =>
    (state: NodeState): NodeState => ({
      ...state,
      staticRoutes: [...(state.staticRoutes ?? []), { prefix, kind: 'blackhole', protocol: '196' }],
    });
  const missing = ['srv6_sid_missing node/r3'];
  assert.deepEqual(named({ states: { r1: steering } }), missing);
  assert.deepEqual(named({ states: { r1: steering, r2: throwing('fd00:5a::/32') } }), missing);
  const elsewhere = (state: NodeState) => ({
    ...steering(state),
    staticRoutes: (steering(state).staticRoutes ?? []).map((route) => ({
      ...route,
      ...(route.segments?.[0] === 'fd00:5a:3::99' ? { segments: ['fd00:77::99'] } : {}),
    })),
  });
  assert.deepEqual(
    named({ states: { r1: elsewhere, r2: throwing('fd00::/16') } }).filter((each) => /r2/.test(each)),
    [],
  );
});

/** Also a link between the ends of the row, so that there are two ways. */
const RING = {
  r1: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.0/31', 'fd00:1:9::/127'),
  r3: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.1/31', 'fd00:1:9::1/127'),
};

function withLink(state: NodeState, name: string, ...addresses: readonly string[]): NodeState {
  const [lo, ...rest] = state.inventory.interfaces;
  const link = {
    ...rest[0]!,
    name,
    mac: `02:00:00:00:09:${name === 'eth4' ? state.inventory.node.slice(1) : 0}0`,
    addresses,
  };
  return { ...state, inventory: { ...state.inventory, interfaces: [lo!, ...rest, link] } };
}

const withStatic =
  (nextHop: string, ifname: string) =>
  (state: NodeState): NodeState => ({
    ...RING.r1(state),
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: '198.19.3.0/24', kind: 'unicast', protocol: '196', nextHop, ifname },
    ],
  });

const by = (ifname: string) => ({
  destination: '198.19.3.1',
  kind: 'unicast' as const,
  ifname,
  matched: '198.19.3.0/24',
  protocol: '196',
});

test('a hand-set route to a neighbour that is no nearer is a detour, one to the owner is a choice', () => {
  const scene = (nextHop: string, ifname: string) => ({
    states: { ...RING, r1: withStatic(nextHop, ifname) },
    lookups: { r1: [by(ifname)] },
  });
  assert.deepEqual(named(scene('198.18.1.1', 'eth2')), ['static_route_misconfig node/r1']);
  assert.deepEqual(named(scene('198.18.9.1', 'eth4')), []);
});

test('costs of OSPF say what is nearer; a next hop that is as near may be a choice, and nothing is taken off for it', () => {
  const cost =
    (of: (state: NodeState) => NodeState, costs: Readonly<Record<string, number>>) =>
    (state: NodeState): NodeState => ({
      ...of(state),
      ospf: Object.entries(costs).map(([ifname, each]) => ({
        ...{ ifname, area: '0.0.0.0', network: 'POINTOPOINT', cost: each, passive: false },
        neighbours: [{ routerId: '', address: '', state: 'Full' }],
      })),
    });
  const own = (state: NodeState) => state;
  const scene = (direct: number) => ({
    states: {
      r1: cost(withStatic('198.18.1.1', 'eth2'), { eth2: 10, eth4: direct }),
      r2: cost(own, { eth1: 10, eth2: 10 }),
      r3: cost(RING.r3, { eth1: 10, eth4: direct }),
    },
    lookups: { r1: [by('eth2')] },
  });
  const told = (direct: number) =>
    diagnose(sceneOf(scene(direct))).findings.map(({ fault, confidence, remedy }) => [
      fault,
      confidence,
      remedy?.change !== undefined,
    ]);
  // By way of r2 it is 20: nearer than a direct link of 100, as near from r2 as from here at 10, and away at 5.
  assert.deepEqual(told(100), []);
  assert.deepEqual(told(10), [['static_route_misconfig', 'likely', false]]);
  assert.deepEqual(told(5), [['static_route_misconfig', 'certain', true]]);
});
