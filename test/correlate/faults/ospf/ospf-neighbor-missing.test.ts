// ospf_neighbor_missing: r2 runs OSPF towards r1, and r1 does not, or is passive there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { ospfNeighborMissing } from '#correlate/faults/ospf/ospf-neighbor-missing.ts';
import { all, at, type Change, drawn, lines, named, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld } from '../proposing.ts';
import { ospf, ospf6, row, row6 } from './ospf-ring.ts';

test('an end without OSPF runs it in the area of the other end', () => {
  assert.deepEqual(drawn(ring(ospf(undefined))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' ip ospf area 0.0.0.0')],
  ]);
});

test('a passive end is made active', () => {
  assert.deepEqual(drawn(ring(ospf(row({ passive: true })))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' no ip ospf passive')],
  ]);
});

test('an end whose OSPF could not be read lacks nothing that is known', () => {
  const unread = at(['r1'], ({ ospf: _ospf, ...state }) => state);
  assert.deepEqual(named(ring(all(ospf(undefined), unread))), []);
});

test('a link on which both ends run it is not one', () => {
  assert.deepEqual(named(ring(ospf(row(), row()))), []);
});

const ROW = { ifname: 'to-a', area: '0.0.0.1', passive: false, neighbours: [] };
const proposed = (a: readonly object[], b: readonly object[]) => {
  const inventory = { driver: 'linux-frr', interfaces: [], sids: [] };
  const world = ringWorld({}, { a: { inventory, ospf: a }, b: { inventory, ospf: b } });
  return ospfNeighborMissing
    .propose(caseOf([onLink('ospf', 'a-b')], world), [])
    .map(({ resource, confidence, remedy }) => [
      ...[resource, confidence, remedy?.change?.lines?.join(';') ?? remedy?.decide],
    ]);
};

test('the area is that of the other end, where that runs it', () => {
  const undecided = 'the area: no end of the link runs it now';
  assert.deepEqual(proposed([], [ROW]), [['node/a', 'certain', 'interface to-b; ip ospf area 0.0.0.1']]);
  assert.deepEqual(proposed([], [{ ...ROW, area: '' }]), [['node/a', 'certain', undecided]]);
  assert.deepEqual(proposed([], [{ ...ROW, passive: true }]), [
    ['node/a', 'certain', undecided],
    ['node/b', 'certain', 'interface to-a; no ip ospf passive'],
  ]);
  assert.deepEqual(proposed([], []), [
    ['node/a', 'certain', undecided],
    ['node/b', 'certain', undecided],
  ]);
  assert.deepEqual(proposed([{ ...ROW, ifname: 'to-b' }], [ROW]), []);
});

const inVrf = at(['r1'], (state) => ({
  ...state,
  inventory: {
    ...state.inventory,
    mastersTold: true,
    interfaces: state.inventory.interfaces.map((each) =>
      each.name === 'eth1' ? { ...each, master: { name: 'red', kind: 'vrf' } } : each,
    ),
  },
}));

test('a port in a VRF, of which no instance is read, lacks nothing that is known', () => {
  assert.deepEqual(named(ring(all(ospf(undefined), inVrf))), []);
  assert.deepEqual(named(ring(all(ospf6(undefined), inVrf))), []);
  assert.equal(diagnose(ring(all(ospf(undefined), inVrf))).verdict.kind, 'healthy');
  const port = { name: 'to-b', master: { name: 'red', kind: 'vrf' } };
  const inventory = { driver: 'linux-frr', interfaces: [port], sids: [] };
  const world = ringWorld({}, { a: { inventory, ospf: [] }, b: { inventory, ospf: [ROW] } });
  assert.deepEqual(ospfNeighborMissing.propose(caseOf([onLink('ospf', 'a-b')], world), []), []);
});

const FULL = [{ routerId: '198.18.255.9', address: '198.18.9.9', state: 'Full' }];

test('an end that its neighbour is adjacent to in both readings runs what it does not tell, unless it remembers to have told it', () => {
  const untold = ospf(undefined, row({ neighbours: FULL }));
  assert.deepEqual(named(ring(untold)), []);
  assert.deepEqual(named(ring(ospf6(undefined, row6({ neighbours: FULL })))), []);
  const once: Change = (state, node, phase) =>
    ospf(undefined, row(phase === 'before' ? { neighbours: FULL } : {}))(state, node, phase);
  assert.deepEqual(named(ring(once)), ['ospf_neighbor_missing node/r1']);
  const remembered = at(['r1'], (state) => ({
    ...state,
    past: [{ fromAgoMs: 120_000, untilAgoMs: 30_000, state: { ...state, ospf: [row()] } }],
  }));
  assert.deepEqual(named(ring(all(untold, remembered))), ['ospf_neighbor_missing node/r1']);
});
