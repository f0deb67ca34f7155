// isis_level_mismatch on the ring, whose routers speak level 2: r1, or its circuit towards r2, speaks another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, circuits, cut, drawn, lines, named, r1Circuit, ring } from '../../ring.ts';

test('the circuit is changed where its router speaks what is usual', () => {
  const wrong = all(
    cut,
    r1Circuit(() => ({ level: '1' }), { level: '1-2' }),
  );
  assert.deepEqual(drawn(ring(wrong)), [
    ['isis_level_mismatch node/r1', lines('interface eth1', ' isis circuit-type level-2-only')],
  ]);
});

test('the router is changed where its circuit speaks what is usual', () => {
  const [found] = drawn(
    ring(
      all(
        cut,
        r1Circuit(() => ({ level: '1-2' }), { level: '1' }),
      ),
    ),
  );
  assert.deepEqual(found, ['isis_level_mismatch node/r1', lines('router isis core', ' is-type level-2-only')]);
});

test('where both are wrong an operator decides', () => {
  const [found] = drawn(
    ring(
      all(
        cut,
        r1Circuit(() => ({ level: '1' }), { level: '1' }),
      ),
    ),
  );
  assert.deepEqual(found, [
    'isis_level_mismatch node/r1',
    undefined,
    'which levels the router is to speak: its process and its circuit both exclude what is usual',
  ]);
});

test('a circuit of both levels shares one with a neighbour of level 2', () => {
  const both = circuits(['r1'], () => ({ level: '1-2' }), { level: '1-2' });
  assert.deepEqual(named(ring(all(cut, both))), []);
});
