// What OSPFv3 says of a link: link-local addresses and router ids together, apart from what OSPFv2 says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portContradictions } from '#model/links/link-indicators.ts';
import { linksBetween } from '#model/links/links.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { node, port } from './link-scene.ts';

const ospf6 = (ifname: string, routerId: string, neighbour: string, address: string): OspfInterface => ({
  ...{ version: 3, ifname, area: '0.0.0.0', network: 'POINTOPOINT', passive: false, routerId },
  neighbours: [{ routerId: neighbour, address, state: 'Full' }],
});
const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'] as const;
const between = (one: NodeState, other: NodeState) =>
  linksBetween({ node: 'pe1', state: one }, { node: 'p2', state: other }, ['pe1', 'p2']).map(
    ({ from, to, signs, confidence }) => [from.ifname, to.ifname, signs.join(), confidence],
  );
const pair = (subnet: readonly (readonly string[])[], one: OspfInterface, other: OspfInterface) =>
  between(
    { ...node([port('eth1', [...subnet[0]!, 'fe80::1/64'])]), ospf6: [one] },
    { ...node([port('eth0', [...subnet[1]!, 'fe80::2/64'])]), ospf6: [other] },
  );
const SUBNET = [['fd00::/127'], ['fd00::1/127']];

test('a neighbour of OSPFv3 with the link-local address and the router id of the other port is a sign', () => {
  const [one, other] = [ospf6('eth1', ONE, OTHER, 'fe80::2'), ospf6('eth0', OTHER, ONE, 'fe80::1')];
  assert.deepEqual(pair(SUBNET, one, other), [['eth1', 'eth0', 'addresses,ospf', 'confirmed']]);
  const strange = ospf6('eth1', ONE, '192.0.2.9', 'fe80::2');
  assert.deepEqual(pair(SUBNET, strange, other), [['eth1', 'eth0', 'addresses', 'likely']]);
});

test('two ports without a network of their own belong together by their one adjacency of OSPFv3', () => {
  const [one, other] = [ospf6('eth1', ONE, OTHER, 'fe80::2'), ospf6('eth0', OTHER, ONE, 'fe80::1')];
  assert.equal(pair([[], []], one, other).length, 1);
  assert.deepEqual(pair([[], []], one, ospf6('eth0', OTHER, '192.0.2.9', 'fe80::1')), []);
});

test('a link-local address, which several nodes may have, contradicts nothing', () => {
  const nodes = ['pe1', 'p2', 'p3'].map((name, index) => ({
    node: name,
    state: { ...node([port('eth1', [`fe80::${index}/64`])]), ospf6: [ospf6('eth1', ONE, OTHER, 'fe80::2')] },
  }));
  assert.equal(portContradictions(nodes).size, 0);
});
