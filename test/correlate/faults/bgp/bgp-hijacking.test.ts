// bgp_hijacking: r3 announces a part of the network of r1's hosts, and has an address of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, at, type Change, drawn, lines, named, ring } from '../../ring.ts';

const announcing = (...networks: readonly string[]): Change =>
  at(['r3'], (state) => ({ ...state, bgp: { ...state.bgp!, networks: [...state.bgp!.networks, ...networks] } }));

/** The address of r1's own interface. */
const taken: Change = at(['r3'], (state) => ({
  ...state,
  inventory: {
    ...state.inventory,
    interfaces: state.inventory.interfaces.map((entry) =>
      entry.name === 'lan0' ? { ...entry, addresses: [...entry.addresses, '198.19.1.1/25'] } : entry,
    ),
  },
}));

test('the statement goes, and the address by which the node answers', () => {
  assert.deepEqual(drawn(ring(all(announcing('198.19.1.0/25'), taken))), [
    [
      'bgp_hijacking node/r3',
      lines(
        'router bgp 65003',
        ' address-family ipv4 unicast',
        '  no network 198.19.1.0/25',
        'exit',
        'interface lan0',
        ' no ip address 198.19.1.1/25',
      ),
    ],
  ]);
});

test('a part of another’s network that takes nothing away, and a part of an own one, are announced rightly', () => {
  assert.deepEqual(named(ring(announcing('198.19.1.0/25'))), []);
  assert.deepEqual(named(ring(announcing('198.19.3.0/25'))), []);
});
