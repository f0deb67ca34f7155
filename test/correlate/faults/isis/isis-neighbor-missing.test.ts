// isis_neighbor_missing on the ring: IS-IS is off, or passive, at r1 towards r2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, at, circuits, cut, drawn, lines, named, r1Circuit, ring } from '../../ring.ts';

const without = all(
  cut,
  r1Circuit(() => undefined),
);
const passive = all(
  cut,
  r1Circuit(() => ({ passive: true })),
);

test('an end without IS-IS runs it as the other end does', () => {
  assert.deepEqual(drawn(ring(without)), [
    [
      'isis_neighbor_missing interface/r1/eth1',
      lines(
        'interface eth1',
        ' ip router isis core',
        ' ipv6 router isis core',
        ' isis network point-to-point',
        ' isis hello-interval 1',
      ),
    ],
  ]);
});

test('the other end’s password is an operator’s', () => {
  const secret = circuits(['r2'], (row) => (row.ifname === 'eth1' ? { password: 'md5' } : row));
  assert.deepEqual(drawn(ring(all(without, secret))), [
    [
      'isis_neighbor_missing interface/r1/eth1',
      undefined,
      'the password: the other end has one, and no agent tells it',
    ],
  ]);
});

test('a passive end is likely the wrong one, one without IS-IS is', () => {
  assert.deepEqual(drawn(ring(passive)), [
    ['isis_neighbor_missing interface/r1/eth1', lines('interface eth1', ' no isis passive')],
  ]);
  assert.equal(diagnose(ring(passive)).findings[0]?.confidence, 'likely');
  assert.equal(diagnose(ring(without)).findings[0]?.confidence, 'certain');
});

test('a passive interface towards a node that gives no state of IS-IS accuses nobody', () => {
  const unread = at(['r1'], ({ isis: _isis, ...state }) => state);
  assert.deepEqual(named(ring(all(cut, unread))), []);
});
