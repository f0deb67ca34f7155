// isis_network_type_mismatch on the ring: r1 takes the link to r2 for a broadcast network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, at, circuits, cut, drawn, lines, named, r1Circuit, ring } from '../../ring.ts';

const broadcast = all(
  cut,
  r1Circuit(() => ({ network: 'broadcast' })),
);

test('the end that takes the link for another kind than all others is made like them', () => {
  assert.deepEqual(drawn(ring(broadcast)), [
    ['isis_network_type_mismatch interface/r1/eth1', lines('interface eth1', ' isis network point-to-point')],
  ]);
});

test('where all links are broadcast networks, the point-to-point end is the odd one', () => {
  const usual = circuits(['r1', 'r2', 'r3', 'r4'], () => ({ network: 'broadcast' }));
  const odd = ring(
    all(
      cut,
      usual,
      r1Circuit(() => ({ network: 'point-to-point' })),
    ),
  );
  assert.deepEqual(drawn(odd), [
    ['isis_network_type_mismatch interface/r1/eth1', lines('interface eth1', ' no isis network point-to-point')],
  ]);
});

test('no lines are drawn up for a node that FRR does not configure', () => {
  const foreign = at(['r1'], (state) => ({ ...state, inventory: { ...state.inventory, driver: 'netconf' } }));
  assert.deepEqual(drawn(ring(all(broadcast, foreign))), [['isis_network_type_mismatch interface/r1/eth1', undefined]]);
});

test('a lost adjacency between ends of one kind is no mismatch of theirs', () => {
  assert.deepEqual(named(ring(cut)), []);
});
