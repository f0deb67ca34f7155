// bgp_hijacking: r3 announces a part of the network of r1's hosts, and has an address of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpHijacking } from '#correlate/faults/bgp/bgp-hijacking.ts';
import { all, at, type Change, drawn, lines, named, ring } from '../../ring.ts';
import { caseOf, ringWorld, symptom } from '../proposing.ts';

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

const OWNER = { bgp: { asn: 65_001, sessions: [], networks: ['198.19.1.0/24'] }, inventory: lan('198.19.1.1/24') };
function lan(address: string, kind = 'physical') {
  return { driver: 'linux-frr', interfaces: [{ name: 'lan0', kind, addresses: [address] }] };
}
const stolen = (network: string, owner: object, ...symptoms: readonly ReturnType<typeof symptom>[]) =>
  bgpHijacking
    .propose(
      caseOf(
        symptoms,
        ringWorld({}, { a: { ...OWNER, ...owner }, c: { bgp: { asn: 65_003, sessions: [], networks: [network] } } }),
      ),
      [],
    )
    .map(({ resource, score, explains, details }) => [
      ...[resource, score, explains.map((share) => share.symptom).join(), details['owner']],
    ]);
const lost = symptom('route', { detail: { destination: '198.19.1.10' } });
const NAMED = [['node/c', 5, 'route', '{a}']];

test('the owner has a wider network connected and announces one', () => {
  assert.deepEqual(stolen('198.19.1.0/25', {}, lost), NAMED);
  assert.deepEqual(stolen('198.19.1.0/24', {}, lost), [], 'as wide as the owner’s');
  assert.deepEqual(stolen('198.19.1.0/25', { inventory: lan('198.19.1.1/25') }, lost), [], 'not wider');
  assert.deepEqual(stolen('198.19.1.0/25', { inventory: lan('198.19.1.1/24', 'loopback') }, lost), []);
  assert.deepEqual(stolen('198.19.1.0/25', { inventory: lan('198.19.2.1/24') }, lost), []);
  const announcing = (...networks: readonly string[]) => ({ bgp: { ...OWNER.bgp, networks } });
  assert.deepEqual(stolen('198.19.1.0/25', announcing(), lost), []);
  assert.deepEqual(stolen('198.19.1.0/25', announcing('0.0.0.0/0'), lost), []);
  assert.deepEqual(stolen('198.19.1.0/25', announcing('198.19.1.0/25'), lost), []);
  assert.deepEqual(stolen('198.19.1.0/25', announcing('198.19.0.0/16'), lost), NAMED);
});

test('it explains duplicate addresses, routes and echoes of that network, and is none without them', () => {
  const kinds = [
    symptom('duplicate', { detail: { address: '198.19.1.1' } }),
    lost,
    symptom('reach', { detail: { destination: '198.19.1.20' } }),
  ];
  const outside = [
    symptom('duplicate', { id: 'x', detail: { address: '198.19.1.200' } }),
    symptom('route', { id: 'y', detail: { destination: '198.19.1.200' } }),
  ];
  assert.deepEqual(stolen('198.19.1.0/25', {}, ...kinds, ...outside), [
    ['node/c', 5, `${kinds[0]!.id},route,reach`, '{a}'],
  ]);
  assert.deepEqual(stolen('198.19.1.0/25', {}, ...outside), []);
});
