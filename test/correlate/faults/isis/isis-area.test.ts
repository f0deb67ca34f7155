// isis_area_mismatch on the ring as one area of level 1: r1 is in another area, and has lost both its neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IsisLevel } from '#model/router/control-plane.ts';
import { all, at, type Change, circuits, drawn, named, ring } from '../../ring.ts';

const NODES = ['r1', 'r2', 'r3', 'r4'];

/** r1 without its neighbours; who loses them is r1, r2 (eth1) and r4 (eth2). */
const alone: Change = all(
  at(['r1'], (state) => ({ ...state, adjacencies: [] })),
  at(['r2'], (state) => ({ ...state, adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1') })),
  at(['r4'], (state) => ({ ...state, adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth2') })),
);
const level = (own: IsisLevel): Change => circuits(NODES, () => ({ level: own }), { level: own });
const elsewhere = (...areas: readonly string[]): Change =>
  at(['r1'], (state) => ({ ...state, isis: { ...state.isis!, areas } }));

test('the router in another area than its neighbours of level 1 is named, and an operator decides', () => {
  assert.deepEqual(drawn(ring(all(alone, level('1'), elsewhere('49.0002')))), [
    [
      'isis_area_mismatch node/r1',
      undefined,
      'another area is another name of the router for the whole network: it is not changed under way',
    ],
  ]);
});

test('neighbours of level 2, or with one area in common, may be in different areas', () => {
  assert.deepEqual(named(ring(all(alone, level('1-2'), elsewhere('49.0002')))), []);
  assert.deepEqual(named(ring(all(alone, level('1'), elsewhere('49.0002', '49.0001')))), []);
});
