// bfd_session_missing: r2 runs BFD towards r1, which does not run it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, at, type Change, drawn, lines, named, ring } from '../../ring.ts';
import { bfd, R1, R2 } from './sessions.ts';

const oneSided = all(
  bfd('r1', R2, () => undefined),
  bfd('r2', R1, () => ({ status: 'down' })),
);
const withoutBgp: Change = ({ bgp: _bgp, ...state }) => state;
const withoutIsis: Change = ({ isis: _isis, ...state }) => ({ ...state, adjacencies: [] });
const FOUND = 'bfd_session_missing interface/r1/eth1';

test('BFD is switched on for the one protocol that both ends run', () => {
  assert.deepEqual(drawn(ring(all(oneSided, withoutIsis))), [
    [FOUND, lines('router bgp 65001', ' neighbor 198.18.1.1 bfd')],
  ]);
  assert.deepEqual(drawn(ring(all(oneSided, withoutBgp))), [[FOUND, lines('interface eth1', ' isis bfd')]]);
});

test('where two protocols run there, an operator decides for which', () => {
  assert.deepEqual(drawn(ring(oneSided)), [
    [FOUND, undefined, 'for which protocol: more than one runs between the two, or none is known'],
  ]);
});

test('an end whose BFD could not be read, and one that runs it back, are not named', () => {
  const unread = at(['r1'], (state) => ({ ...state, missing: [{ part: 'bfd', reason: 'no answer' }] }));
  assert.equal(diagnose(ring(all(oneSided, unread))).verdict.kind, 'inconclusive');
  assert.deepEqual(named(ring(all(oneSided, unread))), []);
  assert.deepEqual(named(ring(bfd('r2', R1, () => ({ status: 'down' })))), []);
});
