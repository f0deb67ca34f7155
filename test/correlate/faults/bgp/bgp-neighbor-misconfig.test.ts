// bgp_neighbor_misconfig: a node expects a wrong AS number of one neighbour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpNeighborMisconfig } from '#correlate/faults/bgp/bgp-neighbor-misconfig.ts';
import { recorded } from '../../recording.ts';
import { all, drawn, lines, named, ring } from '../../ring.ts';
import { caseOf, onLink } from '../proposing.ts';
import { addressOn, bgpWorld, type Row } from './bgp-scene.ts';
import { R1, R2, session } from './sessions.ts';

test('a real router that expects another number expects the right one after the change', () => {
  assert.deepEqual(drawn(recorded('bgpnbr')), [
    ['bgp_neighbor_misconfig interface/r1/eth1', lines('router bgp 65001', ' neighbor 198.18.1.1 remote-as 65002')],
  ]);
});

const expecting = (remoteAs: number, shutdown = false) =>
  all(
    session('r1', R2, () => ({ state: 'Idle', remoteAs, shutdown })),
    session('r2', R1, () => ({ state: 'Idle' })),
  );

test('`remote-as external`, a session that is shut, and the right number are no wrong expectation', () => {
  assert.deepEqual(named(ring(expecting(65_099))), ['bgp_neighbor_misconfig interface/r1/eth1']);
  assert.deepEqual(named(ring(expecting(0))), []);
  assert.deepEqual(named(ring(expecting(65_099, true))), []);
  assert.deepEqual(named(ring(expecting(65_002))), []);
});

const down = (pair: string) => onLink('bgp', pair, { id: `bgp ${pair}` });
const found = (rows: readonly Row[], states = {}, more = {}) =>
  bgpNeighborMisconfig
    .propose(caseOf([down('a-b'), down('b-a'), down('b-c')], bgpWorld(rows, states, more)), [])
    .map(({ resource, explains, details }) => [
      ...[resource, explains.map((share) => share.symptom).join(), details['expects'], details['is']],
    ]);
const WRONG: Row = { from: 'a', to: 'b', remoteAs: 65_099 };
const NAMED = [['interface/a/to-b', 'bgp a-b,bgp b-a', 65_099, 65_002]];

test('the interface towards the neighbour is named, or the node where no link is known', () => {
  assert.deepEqual(found([WRONG]), NAMED);
  assert.deepEqual(found([WRONG], {}, { links: [] }), [['node/a', 'bgp a-b,bgp b-a', 65_099, 65_002]]);
});

test('the number that the neighbour presents to this node counts, not its own', () => {
  assert.deepEqual(found([WRONG, { from: 'b', to: 'a', localAs: 65_099, remoteAs: 65_001 }]), []);
  const other = found([WRONG, { from: 'b', to: 'a', localAs: 65_050, remoteAs: 65_001 }]);
  assert.deepEqual(other[0]?.at(-1), 65_050);
});

test('a session that is up, shut at either end, or with a peer whose number is unknown, is none', () => {
  assert.deepEqual(found([{ ...WRONG, state: 'Established' }]), []);
  assert.deepEqual(found([{ ...WRONG, shutdown: true }]), []);
  assert.deepEqual(found([WRONG, { from: 'b', to: 'a', shutdown: true }]), []);
  assert.deepEqual(found([WRONG], { b: { bgp: undefined } }), []);
  assert.deepEqual(found([WRONG], {}, { owners: new Map() }), []);
});

test('where no other neighbour expects what it runs under, the neighbour itself is wrong', () => {
  const expects = (from: string, remoteAs: number): Row => ({ from, to: 'b', remoteAs });
  assert.deepEqual(found([WRONG, expects('c', 65_099)])[0], undefined);
  assert.deepEqual(found([WRONG, expects('c', 65_002)]), NAMED);
});

test('the change is of the process of the node, which must be FRR', () => {
  const inventory = { driver: 'linux-frr', interfaces: [], sids: [] };
  const remedyOf = (states: object) =>
    bgpNeighborMisconfig.propose(caseOf([down('a-b')], bgpWorld([WRONG], states as never)), [])[0]?.remedy;
  const peer = addressOn('b', 'a');
  assert.deepEqual(remedyOf({ a: { inventory } }), {
    node: 'a',
    summary: '{a} expects AS 65099 of {b}, which runs 65002',
    command: `neighbor ${peer} remote-as 65002`,
    change: { lines: ['router bgp 65001', ` neighbor ${peer} remote-as 65002`] },
  });
  assert.equal(remedyOf({})?.change, undefined);
});
