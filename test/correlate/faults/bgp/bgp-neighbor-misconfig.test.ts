// bgp_neighbor_misconfig: a node expects a wrong AS number of one neighbour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded } from '../../recording.ts';
import { all, drawn, lines, named, ring } from '../../ring.ts';
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
