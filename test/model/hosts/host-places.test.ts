// Which networks and ports have room for hosts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IpPrefix, parsePrefix } from '#base/ip.ts';
import {
  coversHost,
  hostNetwork,
  hostPorts,
  isInside,
  likelyPlaces,
  userNetwork,
  userPorts,
} from '#model/hosts/host-places.ts';
import type { InterfaceState, Inventory } from '#model/router/router-port.ts';

test('a network for hosts is IPv4, larger than a link between two, and not 127/8', () => {
  assert.equal(hostNetwork('198.19.1.1/24')?.prefixBits, 24);
  assert.equal(hostNetwork('198.19.1.1/29')?.prefixBits, 29);
  for (const text of ['198.19.1.1/30', '198.19.1.0/31', '198.19.1.1', '127.0.0.1/8', '127.9.0.1/24', 'fd00::1/24', 'x'])
    assert.equal(hostNetwork(text), undefined, text);
});

test('hosts use networks of IPv6 as well, but no link between two, and none that every link has', () => {
  assert.equal(userNetwork('198.19.1.1/24')?.prefixBits, 24);
  assert.equal(userNetwork('2001:db8:1::1/64')?.prefixBits, 64);
  for (const text of ['198.19.1.0/31', 'fd00::/127', 'fd00::1/126', 'fd00::1/128', 'fe80::1/64', 'fd00::1/0', 'x'])
    assert.equal(userNetwork(text), undefined, text);
});

test('an address is inside a network of its own family alone, and only those of IPv4 are searched through', () => {
  const [four, six] = ['198.19.1.1/24', '2001:db8:1::1/64'].map((text) => parsePrefix(text)) as [IpPrefix, IpPrefix];
  const rows = ['198.19.1.9', '198.19.2.9', '2001:db8:1::9', '2001:db8:2::9', 'x'];
  assert.deepEqual(
    rows.map((address) => isInside(four, address)),
    [true, false, false, false, false],
  );
  assert.deepEqual(
    rows.map((address) => isInside(six, address)),
    [false, false, true, false, false],
  );
  assert.deepEqual(likelyPlaces([six], ['2001:db8:1::9']), []);
});

test('a host is covered by a network for hosts that it is in, and by no other', () => {
  assert.equal(coversHost('198.19.1.1/24', '198.19.1.9'), true);
  assert.equal(coversHost('198.19.1.1/24', '198.19.2.9'), false);
  assert.equal(coversHost('198.19.1.1/30', '198.19.1.2'), false);
  assert.equal(coversHost('127.0.0.1/8', '127.0.0.2'), false);
  assert.equal(coversHost('fd00::1/64', 'fd00::2'), true);
  assert.equal(coversHost('fd00::1/64', 'fd00:0:0:1::2'), false);
  assert.equal(coversHost('fd00::/127', 'fd00::1'), false);
  assert.equal(coversHost('fe80::1/64', 'fe80::2'), false);
});

test('ports for hosts are up, are no loopbacks and have such a network', () => {
  const port = (name: string, change: Partial<InterfaceState> = {}) =>
    ({ name, kind: 'physical', operUp: true, addresses: ['fd00::1/64', '198.19.1.1/24'], ...change }) as InterfaceState;
  const interfaces = [
    port('eth1'),
    port('lo', { kind: 'loopback' }),
    port('eth2', { operUp: false }),
    port('eth3', { addresses: ['198.18.0.0/31', '127.0.0.1/8'] }),
    port('eth0', { addresses: ['2001:db8:1::1/64', 'fe80::1/64'] }),
    port('eth4', { addresses: ['fd00::/127', 'fe80::1/64'] }),
  ];
  const namesOf = (found: readonly InterfaceState[]) => found.map(({ name }) => name);
  const inventory = { interfaces: interfaces.toReversed() } as unknown as Inventory;
  assert.deepEqual(namesOf(hostPorts(inventory)), ['eth1']);
  // Of IPv6 alone after the others.
  assert.deepEqual(namesOf(userPorts(inventory)), ['eth1', 'eth0']);
});
