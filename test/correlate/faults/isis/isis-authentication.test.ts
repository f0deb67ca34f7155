// isis_authentication_mismatch on the ring: r1 and r2 have lost their adjacency, and one of them has a password.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded } from '../../recording.ts';
import { all, at, circuits, cut, drawn, lines, named, r1Circuit, rejected, ring } from '../../ring.ts';

const r2Circuit = (password: 'none' | 'md5') => circuits(['r2'], (row) => (row.ifname === 'eth1' ? { password } : row));

test('a password that one end alone has is taken off it', () => {
  const found = drawn(
    ring(
      all(
        cut,
        r1Circuit(() => ({ password: 'md5' })),
      ),
    ),
  );
  assert.deepEqual(found, [
    ['isis_authentication_mismatch interface/r1/eth1', lines('interface eth1', ' no isis password')],
  ]);
});

test('an end that lacks the password of all others is named, and the password is an operator’s', () => {
  const secret = circuits(['r1', 'r2', 'r3', 'r4'], () => ({ password: 'md5' }));
  const found = drawn(
    ring(
      all(
        cut,
        secret,
        r1Circuit(() => ({ password: 'none' })),
      ),
    ),
  );
  assert.deepEqual(found, [
    ['isis_authentication_mismatch interface/r1/eth1', undefined, 'the password: no agent tells it'],
  ]);
});

test('a real router with a password of its own is named', () => {
  assert.deepEqual(named(recorded('isispw')), ['isis_authentication_mismatch interface/r3/eth1']);
});

test('ends that differ on a link that is adjacent are no finding, nor are lost neighbours that agree', () => {
  assert.deepEqual(named(ring(r1Circuit(() => ({ password: 'md5' })))), []);
  assert.deepEqual(
    named(
      ring(
        all(
          cut,
          r1Circuit(() => ({ password: 'md5' })),
          r2Circuit('md5'),
        ),
      ),
    ),
    [],
  );
});

test('where no other circuit says which end is right, the two ends are named together by another name', () => {
  const alone = at(['r1', 'r2', 'r3', 'r4'], (state) => {
    const only = state.isis!.circuits.filter(({ ifname }) => ifname === 'eth1' && state.inventory.node < 'r3');
    return { ...state, adjacencies: [], isis: { ...state.isis!, circuits: only } };
  });
  const input = ring(
    all(
      alone,
      r1Circuit(() => ({ password: 'md5' })),
    ),
  );
  assert.deepEqual(named(input), ['session_mismatch interface/r1/eth1', 'session_mismatch interface/r2/eth1']);
  const why = 'the two ends differ (a password (md5), no password), and nothing says which is right';
  const candidates = rejected(input);
  assert.equal(candidates['isis_authentication_mismatch interface/r1/eth1'], why);
  assert.equal(candidates['isis_authentication_mismatch interface/r2/eth1'], why);
});
