// ospf_timer_mismatch: r1 sends hellos to r2 at another interval than r2 and the whole network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, lines, named, ring } from '../../ring.ts';
import { ospf, row } from './ospf-ring.ts';

test('the end with other intervals gets those of the other end', () => {
  assert.deepEqual(drawn(ring(ospf(row({ helloMs: 5_000 })))), [
    [
      'ospf_timer_mismatch interface/r1/eth1',
      lines('interface eth1', ' ip ospf hello-interval 1', ' ip ospf dead-interval 4'),
    ],
  ]);
});

test('an interval of less than a second is another statement, and is not drawn up', () => {
  assert.deepEqual(drawn(ring(ospf(row({ deadMs: 40_000 }), row({ helloMs: 1_000, deadMs: 4_000 })))), [
    [
      'ospf_timer_mismatch interface/r1/eth1',
      lines('interface eth1', ' ip ospf hello-interval 1', ' ip ospf dead-interval 4'),
    ],
  ]);
  const fast = row({ helloMs: 250, deadMs: 1_000 });
  const [found] = drawn(ring(ospf(row(), fast)));
  assert.deepEqual(found?.[0], 'ospf_timer_mismatch interface/r2/eth1');
});

test('ends with equal intervals have lost each other for another reason', () => {
  assert.deepEqual(named(ring(ospf(row({ helloMs: 5_000 }), row({ helloMs: 5_000 })))), []);
});
