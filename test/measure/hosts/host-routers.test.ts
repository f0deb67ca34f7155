// Behind which port a host is, and whose own an address is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostRoutersOf, ownerIn } from '#measure/hosts/host-routers.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const states = new Map<string, NodeState>(
  [1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const),
);
const placed = (address: string, of = states) =>
  hostRoutersOf(of, address).map(({ node, ifname }) => `${node} ${ifname}`);

test('a host is behind the port on whose network it is', () => {
  assert.deepEqual(placed('198.19.1.10'), ['r1 eth3']);
  assert.deepEqual(placed('fd00:c:3::99'), ['r3 eth3']);
  assert.deepEqual(placed('198.19.9.10'), []);
});

test('an address that is of no one host is behind no port: link-local ones, those of a network and of its broadcast', () => {
  const r1 = stateOf(1);
  const interfaces = r1.inventory.interfaces.map((entry) => ({
    ...entry,
    addresses: [...entry.addresses, 'fe80::1/64'],
  }));
  const local = new Map([['r1', { ...r1, inventory: { ...r1.inventory, interfaces } }]]);
  assert.deepEqual(placed('fe80::5', local), []);
  for (const address of ['198.19.1.0', '198.19.1.255', 'fd00:c:1::']) assert.deepEqual(placed(address), [], address);
  assert.deepEqual(placed('fd00:c:1::ffff:ffff:ffff:ffff'), ['r1 eth3'], 'IPv6 has no broadcast');
});

test('an address is a node’s own however it is written', () => {
  assert.equal(ownerIn(states, 'FD00:C:3:0::1'), 'r3');
  assert.equal(ownerIn(states, '198.19.255.2'), 'r2');
  assert.equal(ownerIn(states, '198.19.1.10'), undefined);
});
