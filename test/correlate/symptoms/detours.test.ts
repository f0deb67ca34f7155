// Routes by hand that lead away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detourSymptoms } from '#correlate/symptoms/detours.ts';
import { pairWorld, type State } from '../pair-scene.ts';

/** a – b – c and a – c; a sends what is for c by a route set by hand. */
function detour(
  change: {
    readonly route?: object;
    readonly answer?: object;
    readonly b?: State;
    readonly a?: State;
    readonly next?: string;
    readonly to?: string;
  } = {},
) {
  const { to = '198.18.9.3' } = change;
  const route = { prefix: '198.18.9.0/24', kind: 'unicast', ifname: 'to-b', ...change.route };
  const lookups = new Map([
    ['a', new Map([[to, { destination: to, kind: 'unicast', ifname: 'to-b', ...change.answer }]])],
    ['b', new Map([[to, { destination: to, kind: change.next ?? 'unicast', ifname: 'to-c' }]])],
  ]);
  const states = {
    a: { now: { bgp: {}, staticRoutes: [route], ...change.a } },
    b: { now: change.b ?? {} },
    c: { now: {} },
  };
  const world = pairWorld(['a-b', 'b-c', 'a-c'], states, {
    lookups,
    owners: new Map([[to, [{ node: 'c', ifname: 'lo' }]]]),
  });
  return detourSymptoms(world).map(({ detail }) => detail);
}
const metrics = (...all: readonly (readonly [string, number])[]): State => ({
  isis: { circuits: all.map(([ifname, metric]) => ({ ifname, metric })) },
});

test('a route by hand to a neighbour that is no nearer is a detour', () => {
  assert.deepEqual(detour(), [
    { destination: '198.18.9.3', owner: 'c', at: 'a', how: 'detour', from: 'a', next: 'b', asNear: true },
  ]);
  assert.equal((detour({ b: metrics(['to-c', 11]) })[0] as { readonly asNear?: boolean }).asNear, false);
  assert.deepEqual(detour({ b: metrics(['to-c', 9]) }), [], 'a neighbour that is nearer is a choice');
  assert.deepEqual(detour({ b: { ospf: [{ ifname: 'to-c', cost: 9 }] } }), []);
  assert.deepEqual(detour({ a: metrics(['to-c', 11]) }), []);
  assert.deepEqual(detour({ a: { bgp: undefined } }), [], 'without a routing protocol each way is a choice');
});

test('costs are those of the version that carries the family: OSPFv2 of a node that says nothing of OSPFv3', () => {
  const six = { to: 'fd00:9::3', route: { prefix: 'fd00:9::/64' } };
  const cheap = { ospf: [{ ifname: 'to-c', cost: 9 }] };
  const dear = { ospf6: [{ ifname: 'to-c', cost: 11 }] };
  assert.deepEqual(detour({ ...six, b: cheap }), []);
  assert.equal(detour({ ...six, b: { ...cheap, ...dear } }).length, 1);
  assert.deepEqual(detour({ b: { ...cheap, ...dear } }), []);
});

test('default routes, SRv6, other kinds, other ways and ways that lead nowhere are no detour', () => {
  for (const change of [
    ...[{ route: { prefix: '0.0.0.0/0' } }, { route: { kind: 'blackhole' } }, { route: { segments: ['fd00::1'] } }],
    ...[{ route: { prefix: '198.18.8.0/24' } }, { route: { ifname: 'to-c' } }, { answer: { kind: 'none' } }],
    ...[{ answer: { ifnames: ['to-b', 'to-c'] } }, { answer: { ifname: 'to-c' } }],
  ])
    assert.deepEqual(detour(change), [], JSON.stringify(change));
  const down = {
    inventory: {
      interfaces: [
        { name: 'to-c', operUp: false },
        { name: 'to-a', operUp: true },
      ],
    },
  };
  assert.equal((detour({ b: down })[0] as { readonly asNear?: boolean }).asNear, false, 'over links that are up');
  for (const kind of ['none', 'blackhole']) assert.deepEqual(detour({ next: kind }), [], 'a way that ends is worse');
});

test('any one protocol computes routes: IS-IS, BGP, or OSPF on one interface', () => {
  const by = (own: State) => detour({ a: { bgp: undefined, ...own } }).length;
  assert.deepEqual(
    [by({ isis: { circuits: [] } }), by({ bgp: {} }), by({ ospf: [{ ifname: 'x' }] }), by({ ospf: [] })],
    [1, 1, 1, 0],
  );
  assert.deepEqual([by({ ospf6: [{ ifname: 'x' }] }), by({ ospf6: [] })], [1, 0], 'OSPFv3 alone');
});
