// static_route_misconfig: r1 sends what is for r3's hosts by r2 with a route set by hand, though a link to r3 is nearer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { staticRouteMisconfig } from '#correlate/faults/routing/static-route.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { named, sceneOf } from '../../scope-scene.ts';
import { caseOf, ringWorld, symptom } from '../proposing.ts';

/** Also a link between the ends of the row, so that there are two paths. */
const RING = {
  r1: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.0/31', 'fd00:1:9::/127'),
  r3: (state: NodeState): NodeState => withLink(state, 'eth4', '198.18.9.1/31', 'fd00:1:9::1/127'),
};

function withLink(state: NodeState, name: string, ...addresses: readonly string[]): NodeState {
  const [lo, ...rest] = state.inventory.interfaces;
  const mac = `02:00:00:00:09:${state.inventory.node.slice(1)}0`;
  return {
    ...state,
    inventory: { ...state.inventory, interfaces: [lo!, ...rest, { ...rest[0]!, name, mac, addresses }] },
  };
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
  const routing = (state: NodeState): NodeState => ({
    ...state,
    ospf: [{ ifname: 'eth9', area: '0.0.0.0', network: 'BROADCAST', passive: true, neighbours: [] }],
  });
  const scene = (nextHop: string, ifname: string, also = routing) => ({
    states: { ...RING, r1: (state: NodeState) => also(withStatic(nextHop, ifname)(state)) },
    lookups: { r1: [by(ifname)] },
  });
  assert.deepEqual(named(scene('198.18.1.1', 'eth2')), ['static_route_misconfig node/r1']);
  assert.deepEqual(named(scene('198.18.9.1', 'eth4')), []);
  // Where no protocol computes routes, none of them is a detour.
  assert.deepEqual(named(scene('198.18.1.1', 'eth2', (state) => state)), []);
});

test('two nodes that send a prefix to each other go round in a loop: the hand-set route is the wrong one', () => {
  const backwards = (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [
      ...(state.staticRoutes ?? []),
      { prefix: '198.19.3.0/24', kind: 'unicast', protocol: '196', nextHop: '198.18.1.0', ifname: 'eth1' },
    ],
  });
  const input = sceneOf({ states: { r2: backwards }, lookups: { r2: [by('eth1')] } });
  const { findings } = diagnose(input);
  assert.deepEqual(
    findings.map(({ fault, resource, remedy }) => [`${fault} ${resource}`, remedy?.change]),
    [['static_route_misconfig node/r2', { lines: ['no ip route 198.19.3.0/24 198.18.1.0'] }]],
  );
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

const ROUTE = { prefix: '198.19.3.0/24', kind: 'unicast', protocol: 'static', nextHop: '198.18.12.1', ifname: 'to-b' };
const wrongWay = (how: string, change: object = {}, way: readonly string[] = ['a', 'b']) =>
  symptom('route', {
    ...{ id: how, way: { nodes: way, links: [] } },
    detail: { how, destination: '198.19.3.10', at: 'a', ...change },
  });
function proposed(symptoms: readonly ReturnType<typeof symptom>[], route: object = {}, answer: object | null = {}) {
  const all = ['198.19.3.10', 'fd00:3::10'].map(
    (destination) =>
      [destination, { destination, kind: 'unicast', ifname: 'to-b', matched: '198.19.3.0/24', ...answer }] as const,
  );
  const lookups = new Map(answer === null ? [] : [['a', new Map(all)]]);
  const world = ringWorld({ lookups }, { a: { staticRoutes: [{ ...ROUTE, ...route }] } });
  return staticRouteMisconfig.propose(caseOf(symptoms, world), []);
}
const found = (...given: Parameters<typeof proposed>) =>
  proposed(...given).map(({ score, confidence, explains }) => [
    score,
    confidence,
    explains.map((e) => e.symptom).join(),
  ]);
const NAMED = (id: string) => [[4, 'certain', id]];

test('each wrong way through the node is explained; a detour only at the node where it begins', () => {
  for (const how of ['loop', 'none', 'elsewhere']) {
    assert.deepEqual(found([wrongWay(how)]), NAMED(how));
    assert.deepEqual(found([wrongWay(how, { at: 'b' })]), NAMED(how));
    assert.deepEqual(found([wrongWay(how, {}, ['b', 'c'])]), []);
  }
  assert.deepEqual(found([wrongWay('detour')]), NAMED('detour'));
  assert.deepEqual(found([wrongWay('detour', { at: 'b' })]), []);
  assert.deepEqual(found([wrongWay('blackhole')]), []);
  assert.deepEqual(found([wrongWay('loop', { destination: '198.19.4.10' })]), []);
});

test('a default route, one with segments, one that forwards nothing, and one that no lookup follows are not named', () => {
  const loop = [wrongWay('loop')];
  assert.deepEqual(found(loop, { prefix: '0.0.0.0/0' }), []);
  assert.deepEqual(found(loop, { segments: ['fd00:5a::1'] }), []);
  assert.deepEqual(found(loop, { kind: 'blackhole' }), []);
  assert.deepEqual(found(loop, {}, null), []);
  assert.deepEqual(found(loop, {}, { matched: '198.19.0.0/16' }), []);
  assert.deepEqual(found(loop, {}, { matched: undefined }), []);
  assert.deepEqual(found(loop, {}, { matched: '198.19.3.0' }), NAMED('loop'));
});

test('of IPv6 the interface of the lookup says whether it follows the route', () => {
  const six = [wrongWay('loop', { destination: 'fd00:3::10' })];
  const route = { prefix: 'fd00:3::/64', nextHop: 'fd00::b' };
  assert.deepEqual(found(six, route, { matched: undefined }), NAMED('loop'));
  assert.deepEqual(found(six, route, { ifname: 'to-d' }), []);
  assert.deepEqual(proposed(six, route)[0]?.remedy?.change, { lines: ['no ipv6 route fd00:3::/64 fd00::b'] });
});

test('a next hop that is as near for all of them may be a choice, and is not taken off', () => {
  const near = (asNear: boolean, id: string) => ({ ...wrongWay('detour', { asNear }), id });
  assert.deepEqual(found([near(true, 'one'), near(true, 'two')]), [[4, 'likely', 'one,two']]);
  assert.deepEqual(found([near(true, 'one'), near(false, 'two')]), NAMED('one,two'));
  assert.equal(proposed([near(true, 'one')])[0]?.remedy?.change, undefined);
});

test('a route with an interface alone has no exact change', () => {
  const [one] = proposed([wrongWay('loop')], { nextHop: undefined });
  assert.deepEqual(one?.remedy, {
    ...{ node: 'a', summary: 'remove the route for 198.19.3.0/24 via to-b from {a}' },
    command: 'no ip route 198.19.3.0/24',
  });
  assert.equal(one?.details['nextHop'], 'to-b');
  const [other] = proposed([wrongWay('loop')]);
  assert.equal(other?.remedy?.command, 'no ip route 198.19.3.0/24 198.18.12.1');
  assert.deepEqual([other?.details['nextHop'], other?.details['address']], ['198.18.12.1', '198.18.12.1']);
});

test('a route of the kernel alone is taken away by hand: a line of the configuration would not reach it', () => {
  const remedy = (route: object) => {
    const { command, change, decide } = proposed([wrongWay('loop')], route)[0]!.remedy!;
    return [command, change === undefined, decide?.split(':')[0]];
  };
  const told = 'the route is not of the configuration';
  const command = 'ip route del 198.19.3.0/24 via 198.18.12.1 dev to-b proto boot';
  assert.deepEqual(remedy({ protocol: 'boot' }), [`${command} table main`, true, told]);
  assert.equal(remedy({ protocol: 'boot', metric: 50, table: '100' })[0], `${command} metric 50 table 100`);
  assert.deepEqual(remedy({ protocol: '196' }), ['no ip route 198.19.3.0/24 198.18.12.1', false, undefined]);
});

const row = (matched: string) => [
  '198.19.3.10',
  { destination: '198.19.3.10', kind: 'unicast', ifname: 'to-b', matched },
];
/** What a remembers; nothing else has changed there for ten minutes. */
const REMEMBERED = { history: { settings: [], settingsSpanMs: 600_000, lastHeard: [], events: [] } };
const SINCE = { kind: 'static-route', subject: ROUTE.prefix, setting: 'to-b', was: 'none', agoMs: 60_000 };
const COME = { history: { ...REMEMBERED.history, settings: [SINCE] } };

test('a route that stood leads on to a node that sends back by its default route: that one lacks a route, and none is set wrongly', () => {
  const named = (back: string, owner: string, memory: object = REMEMBERED) => {
    const lookups = new Map([
      ['a', new Map([row('198.19.3.0/24')] as never)],
      ['b', new Map([row(back)] as never)],
    ]);
    const owners = new Map([['198.19.3.10', [{ node: owner, ifname: 'lo' }]]]);
    const world = ringWorld({ lookups, owners }, { a: { staticRoutes: [ROUTE], ...memory } });
    return staticRouteMisconfig.propose(caseOf([wrongWay('loop')], world), []).length;
  };
  assert.equal(named('default', 'c'), 0);
  assert.equal(named('198.19.3.0/24', 'c'), 1);
  assert.equal(named('default', 'c', COME), 1);
  assert.equal(named('default', 'c', {}), 1, 'it remembers nothing');
  assert.equal(named('default', 'd'), 1, 'the owner is beside the node itself');
});

test('where packets get farther than to a next hop with a route of its own, and end at a node without one, that node lacks it', () => {
  const named = (at: string, matched = '198.19.3.0/24', memory: object = REMEMBERED) => {
    const lookups = new Map([
      ['a', new Map([row(ROUTE.prefix)] as never)],
      ['b', new Map([row(matched)] as never)],
    ]);
    const owners = new Map([[ROUTE.nextHop, [{ node: 'b', ifname: 'to-a' }]]]);
    const world = ringWorld({ lookups, owners }, { a: { staticRoutes: [ROUTE], ...memory } });
    return staticRouteMisconfig.propose(caseOf([wrongWay('none', { at }, ['a', 'b', 'c'])], world), []).length;
  };
  assert.deepEqual([named('c'), named('b'), named('c', 'default'), named('c', undefined, COME)], [0, 1, 1, 1]);
});
