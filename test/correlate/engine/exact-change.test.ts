// Exact changes of remedies: two of one node become one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joined } from '#correlate/engine/exact-change.ts';

const lines = (...all: readonly string[]) => ({ lines: all });

test('two changes of one node are one, each under its own head', () => {
  const base = { node: 'r1', summary: 'both' };
  const one = { ...base, command: 'a', change: lines('interface eth1', ' isis metric 10') };
  const other = { ...base, command: 'b', change: lines('no ip route 198.19.1.0/24 Null0') };
  assert.deepEqual(joined(one, other), {
    ...base,
    command: 'a; b',
    change: lines('interface eth1', ' isis metric 10', 'exit', 'no ip route 198.19.1.0/24 Null0'),
  });
  assert.deepEqual(joined(one, one), one);
  assert.deepEqual(joined(one, { ...other, node: 'r2' }), one);
});
