// Which networks and ports have room for hosts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coversHost, hostNetwork, hostPorts } from '#model/hosts/host-places.ts';
import type { InterfaceState, Inventory } from '#model/router/router-port.ts';

test('a network for hosts is IPv4, larger than a link between two, and not 127/8', () => {
  assert.equal(hostNetwork('198.19.1.1/24')?.prefixBits, 24);
  assert.equal(hostNetwork('198.19.1.1/29')?.prefixBits, 29);
  for (const text of ['198.19.1.1/30', '198.19.1.0/31', '198.19.1.1', '127.0.0.1/8', '127.9.0.1/24', 'fd00::1/24', 'x'])
    assert.equal(hostNetwork(text), undefined, text);
});

test('a host is covered by a network for hosts that it is in, and by no other', () => {
  assert.equal(coversHost('198.19.1.1/24', '198.19.1.9'), true);
  assert.equal(coversHost('198.19.1.1/24', '198.19.2.9'), false);
  assert.equal(coversHost('198.19.1.1/30', '198.19.1.2'), false);
  assert.equal(coversHost('127.0.0.1/8', '127.0.0.2'), false);
  assert.equal(coversHost('fd00::1/64', 'fd00::2'), false);
});

test('ports for hosts are up, are no loopbacks and have such a network', () => {
  const port = (name: string, change: Partial<InterfaceState> = {}) =>
    ({ name, kind: 'physical', operUp: true, addresses: ['fd00::1/64', '198.19.1.1/24'], ...change }) as InterfaceState;
  const interfaces = [
    port('eth1'),
    port('lo', { kind: 'loopback' }),
    port('eth2', { operUp: false }),
    port('eth3', { addresses: ['198.18.0.0/31', '127.0.0.1/8'] }),
  ];
  assert.deepEqual(
    hostPorts({ interfaces } as unknown as Inventory).map(({ name }) => name),
    ['eth1'],
  );
});
