// Which own address probes from end to end are sent from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceProbeCalls } from '#measure/hosts/service-probe.ts';
import { planReach, planReachAgain } from '#measure/nodes/reach.ts';
import { plannedSources, routedPair, sourcesOf, withSource } from '#measure/probe-sources.ts';
import type { States } from '#measure/states.ts';
import type { PlannedCall } from '#model/call.ts';
import type { NodeState } from '#model/router/router-port.ts';

type Port = {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly kind?: string;
  readonly mac?: string;
};

function stateOf(loopbacks: readonly string[], ports: readonly Port[], more: object = {}): NodeState {
  const interfaces = [
    { name: 'lo', kind: 'loopback', adminUp: true, operUp: true, addresses: loopbacks },
    ...ports.map((port) => ({ kind: 'physical', adminUp: true, operUp: true, ...port })),
  ];
  return { inventory: { interfaces, loopbacks }, neighbours: [], adjacencies: [], ...more } as unknown as NodeState;
}

const told = (...prefixes: readonly string[]) => ({
  bgp: { asn: 64_601, sessions: [], ownPrefixes: prefixes.map((prefix) => ({ prefix, advertisedTo: ['192.0.2.1'] })) },
});
const PORTS: readonly Port[] = [
  { name: 'eth1', addresses: ['192.0.2.0/31'] },
  { name: 'eth2', addresses: ['198.51.100.1/24', '2001:db8:1::1/64', 'fe80::1/64'] },
];
const LOOPBACKS = ['198.18.0.1/32', '2001:db8:ff::1/128'];
const alone = (state: NodeState): States => new Map([['leaf1', state]]);

test('where BGP announces networks of hosts and no loopback, probes go from the address in such a network', () => {
  const states = alone(stateOf(LOOPBACKS, PORTS, told('198.51.100.0/24', '2001:db8:1::/64')));
  assert.deepEqual(plannedSources(states, 'leaf1'), ['198.51.100.1', '2001:db8:1::1']);
});

test('the node’s own choice stands where its loopback is announced, where an interior protocol runs, and where nothing is known', () => {
  const announced = stateOf(LOOPBACKS, PORTS, told('198.18.0.0/24', '2001:db8:ff::1/128'));
  const interior = { isis: { circuits: [{ ifname: 'eth1' }] } };
  const states = [
    announced,
    stateOf(LOOPBACKS, PORTS, { ...told('198.51.100.0/24'), ...interior }),
    stateOf(LOOPBACKS, PORTS, told()),
    stateOf(LOOPBACKS, PORTS),
  ];
  for (const state of states) assert.deepEqual(plannedSources(alone(state), 'leaf1'), []);
});

test('an address that another node has as well, a link’s and that of a VRRP group are no sources', () => {
  const virtual: Port = { name: 'vrrp4', addresses: ['198.51.100.9/24'], kind: 'other', mac: '00:00:5e:00:01:05' };
  const anycast = ['198.18.9.9/32', ...LOOPBACKS];
  const states: States = new Map([
    ['leaf1', stateOf(anycast, [virtual, ...PORTS])],
    ['leaf2', stateOf(['198.18.9.9/32', '198.18.0.2/32'], [])],
  ]);
  assert.deepEqual(sourcesOf(states, 'leaf1', 4), ['198.18.0.1', '198.51.100.1']);
  assert.deepEqual(plannedSources(states, 'leaf1'), ['198.18.0.1'], 'another loopback than the shared one');
});

test('the calls name the address; a second look from another address is a call of its own', () => {
  const states: States = new Map([
    ['leaf1', stateOf(['198.18.0.1/32'], PORTS, told('198.51.100.0/24'))],
    ['leaf2', stateOf(['198.18.0.2/32'], PORTS.slice(0, 1))],
  ]);
  const [from1, from2] = planReach(states).map(({ arguments: args }) => args['sources']);
  assert.deepEqual([from1, from2], [['198.51.100.1'], undefined]);
  const lossy = [
    { from: 'leaf2', destination: '198.18.0.1' },
    { from: 'leaf2', destination: '198.51.100.1', sender: '203.0.113.1' },
  ];
  const again = planReachAgain(lossy, [], states).map(({ id, arguments: args }) => [id, args['sources']]);
  assert.deepEqual(again, [
    ['deepen/leaf2/parley-reach/again', undefined],
    ['deepen/leaf2/parley-reach/again/from/203.0.113.1', ['203.0.113.1']],
  ]);
});

test('services of others are tried from the same address, unless the call names another', () => {
  const states = alone(stateOf(['198.18.0.1/32'], PORTS, told('198.51.100.0/24')));
  const echo = [{ destination: '203.0.113.9', service: 'echo' }] as const;
  const sourceOf = (call: PlannedCall) => withSource(call, states).arguments['source'];
  const sourcesOf = (...asked: Parameters<typeof serviceProbeCalls>) => serviceProbeCalls(...asked).map(sourceOf);
  assert.deepEqual(sourcesOf('leaf1', 'far-echo', echo), ['198.51.100.1']);
  assert.deepEqual(sourcesOf('leaf1', 'used', echo, 'first', { source: '192.0.2.0' }), ['192.0.2.0']);
  assert.deepEqual(sourcesOf('leaf9', 'far-echo', echo), [undefined]);
});

test('a node without an address of a family probes none of that family', () => {
  const states: States = new Map([
    ['ce1', stateOf(['198.18.0.1/32'], [{ name: 'eth1', addresses: ['192.0.2.0/31', 'fe80::1/64'] }])],
    ['pe1', stateOf(LOOPBACKS, PORTS)],
  ]);
  const destinations = planReach(states).map(({ arguments: args }) => args['destinations']);
  assert.deepEqual(destinations, [
    ['198.18.0.1', '198.51.100.1', '192.0.2.0'],
    ['198.18.0.1', '192.0.2.0'],
  ]);
});

test('a static route of another node tells of an address, a default route does not', () => {
  const toWest = (prefix: string) => ({ staticRoutes: [{ prefix, kind: 'unicast', protocol: 'static' }] });
  const withOther = (prefix: string): States =>
    new Map([
      ['leaf1', stateOf(['198.18.0.1/32'], PORTS)],
      ['leaf2', stateOf(['198.18.0.2/32'], [{ name: 'eth1', addresses: ['203.0.113.1/24'] }], toWest(prefix))],
    ]);
  assert.deepEqual(plannedSources(withOther('198.51.100.0/24'), 'leaf1'), ['198.51.100.1']);
  assert.deepEqual(plannedSources(withOther('198.18.0.0/16'), 'leaf1'), []);
  assert.deepEqual(plannedSources(withOther('0.0.0.0/0'), 'leaf1'), []);
  assert.equal(routedPair(withOther('198.51.100.0/24'), 'leaf1', 'leaf2'), undefined, 'none is known of leaf2');
});
