// Which port an address counts for, where several have it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf } from '#correlate/network/world.ts';
import { pairWorld } from '../pair-scene.ts';

test('an address that unnumbered ports of one node borrow is of that node; one that two nodes have is of neither', () => {
  const owners = (...ends: readonly string[]) => {
    const rows = ends.map((end) => ({ node: end.split(' ')[0], ifname: end.split(' ')[1] }));
    return ownerOf(pairWorld([], {}, { owners: new Map([['192.0.2.3', rows]]) }), '192.0.2.3');
  };
  assert.deepEqual(owners('r3 lo', 'r3 eth1', 'r3 eth2'), { node: 'r3', ifname: 'lo' });
  assert.equal(owners('r3 lo', 'r4 lo'), undefined);
  assert.equal(owners(), undefined);
});
