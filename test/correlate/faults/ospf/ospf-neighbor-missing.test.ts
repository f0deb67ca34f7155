// ospf_neighbor_missing: r2 runs OSPF towards r1, and r1 does not, or is passive there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, at, drawn, lines, named, ring } from '../../ring.ts';
import { ospf, row } from './ospf-ring.ts';

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
