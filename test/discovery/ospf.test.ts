// Which OSPF neighbours are asked whether they have an agent: those on own networks that no other discovery named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ospfCandidates } from '#discovery/ospf.ts';
import type { PeerHint, PeerRecord } from '#model/peer.ts';

const port = (name: string, addresses: readonly string[], change: object = {}) => ({
  ...{ name, kind: 'physical', adminUp: true, operUp: true, addresses, ...change },
});
const row = (ifname: string, address: string, change: object = {}, state = 'Full/DR') => ({
  ...{ ifname, passive: false, neighbours: [{ routerId: '198.18.255.2', address, state }], ...change },
});
const PORTS = [port('eth1', ['198.18.10.1/24', '198.18.11.1/24']), port('eth2', ['198.18.20.1/24'])];
const found = (ospf: readonly object[], known: readonly PeerRecord[] = [], interfaces: readonly object[] = PORTS) =>
  ospfCandidates({ inventory: { interfaces }, ospf } as never, known).map(
    ({ address, ifname }) => `${address} ${ifname}`,
  );
const knownBy = (hint: Partial<PeerHint>, more: Partial<PeerRecord> = {}): readonly PeerRecord[] => [
  {
    node: 'r2',
    hints: [{ source: 'lldp', node: 'r2', addresses: ['198.18.255.2'], port: 9514, hops: 0, heardAtMs: 0, ...hint }],
    remarks: [],
    ...more,
  },
];

test('a neighbour on an own network is a candidate once both routers have heard each other [CARD-2]', () => {
  assert.deepEqual(found([row('eth1', '198.18.10.2')]), ['198.18.10.2 eth1']);
  assert.deepEqual(found([row('eth1', '198.18.11.2', {}, '2-Way/DROther')]), ['198.18.11.2 eth1']);
  for (const state of ['Init/DROther', 'Down', 'ExStart/DR'])
    assert.deepEqual(found([row('eth1', '198.18.10.2', {}, state)]), [], state);
  assert.deepEqual(found([row('eth1', '198.18.10.2'), row('eth1', '198.18.10.2')]).length, 1);
});

test('what is not on the network of the interface, own, passive, down or in a VRF is none', () => {
  for (const address of ['198.18.20.2', '203.0.113.1', '198.18.10.1', '198.18.11.1', '224.0.0.5', ''])
    assert.deepEqual(found([row('eth1', address)]), [], address);
  assert.deepEqual(found([row('eth1', '198.18.10.2', { passive: true })]), []);
  assert.deepEqual(found([row('eth3', '198.18.10.2')]), []);
  const only = (change: object) => found([row('eth1', '198.18.10.2')], [], [port('eth1', ['198.18.10.1/24'], change)]);
  assert.deepEqual(only({ operUp: false }), []);
  assert.deepEqual(only({ master: { name: 'red', kind: 'vrf' } }), []);
  assert.deepEqual(only({ master: { name: 'br0', kind: 'bridge' } }), ['198.18.10.2 eth1']);
});

test('an address that a peer is known by is none, nor one behind an interface on which an agent is heard', () => {
  const rows = [row('eth1', '198.18.10.2')];
  assert.deepEqual(found(rows, knownBy({})), ['198.18.10.2 eth1']);
  assert.deepEqual(found(rows, knownBy({ heardOn: 'eth1' })), []);
  assert.deepEqual(found(rows, knownBy({ heardOn: 'eth2' })), ['198.18.10.2 eth1']);
  assert.deepEqual(
    found(rows, knownBy({ source: 'ospf', heardOn: 'eth1' })),
    ['198.18.10.2 eth1'],
    'another on the LAN',
  );
  assert.deepEqual(found(rows, knownBy({ source: 'ospf', heardOn: 'eth1', addresses: ['198.18.10.2'] })), []);
  const proven = { address: '198.18.10.2', port: 9514, atMs: 0 };
  assert.deepEqual(found(rows, knownBy({}, { remembered: proven })), []);
  assert.deepEqual(found(rows, knownBy({}, { verified: { ...proven, thumbprint: '' } })), []);
});

test('all of many neighbours are candidates', () => {
  const rows = Array.from({ length: 80 }, (_, at) => row('eth1', `198.18.10.${at + 2}`));
  assert.equal(found(rows).length, 80);
});
