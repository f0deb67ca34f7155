// bgp_asn_misconfig: a node runs under an AS number that no neighbour expects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, recorded } from '../../recording.ts';
import { all, at, drawn, named, ring } from '../../ring.ts';
import { R1, R2, session } from './sessions.ts';

test('a real router under another number is named, and its operator configures it again', () => {
  assert.deepEqual(drawn(recorded('bgpasn')), [
    [
      'bgp_asn_misconfig node/r2',
      undefined,
      'a process under another number is a new one: all of it must be configured again',
    ],
  ]);
});

test('a node that has a session with any neighbour runs under a number that is expected', () => {
  const wrong = all(
    session('r1', R2, () => ({ state: 'Idle', remoteAs: 65_099 })),
    session('r2', R1, () => ({ state: 'Idle' })),
  );
  assert.deepEqual(named(ring(wrong)), ['bgp_neighbor_misconfig interface/r1/eth1']);
});

test('a node that presents the expected number by `local-as` runs under another by choice', () => {
  const presents = changed(recorded('bgpasn'), {
    state: at(['r2'], (state) => ({
      ...state,
      bgp: { ...state.bgp!, sessions: state.bgp!.sessions.map((row) => ({ ...row, localAs: 65_002 })) },
    })),
  });
  assert.deepEqual(named(presents), []);
});
