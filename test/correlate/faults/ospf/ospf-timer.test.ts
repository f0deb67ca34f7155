// ospf_timer_mismatch: r1 sends hellos to r2 at another interval than r2 and the whole network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ospfTimer } from '#correlate/faults/ospf/ospf-timer.ts';
import { drawn, lines, named, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld } from '../proposing.ts';
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

/** What the other end of a link has, beside a network of one second and four. */
const linesFor = (helloMs: number | undefined, deadMs: number | undefined) => {
  const inventory = { driver: 'linux-frr', interfaces: [], sids: [] };
  const row = (ifname: string, hello: number | undefined, dead: number | undefined) => ({
    ...{ ifname, area: '0.0.0.0', passive: false, neighbours: [], helloMs: hello, deadMs: dead },
  });
  const like = (ifname: string) => row(ifname, helloMs, deadMs);
  const world = ringWorld(
    {},
    {
      a: { inventory, ospf: [row('to-b', 7_000, 28_000)] },
      b: { inventory, ospf: [like('to-a'), like('to-c')] },
      c: { inventory, ospf: [{ ...row('x', 9_000, 9_000), passive: true }, like('to-b')] },
    },
  );
  return ospfTimer
    .propose(caseOf([onLink('ospf', 'a-b')], world), [])
    .map(({ resource, details, remedy }) => [
      resource,
      details['here'],
      details['usual'],
      remedy?.change?.lines?.slice(1),
    ]);
};

test('whole seconds alone are lines of a change', () => {
  const named = (usual: string, ...lines: readonly string[]) => [
    ['interface/a/to-b', '7000/28000 ms', usual, lines.length === 0 ? undefined : lines],
  ];
  const [hello, dead] = [' ip ospf hello-interval 1', ' ip ospf dead-interval 4'];
  assert.deepEqual(linesFor(1_000, 4_000), named('1000/4000 ms', hello, dead));
  assert.deepEqual(linesFor(999, 4_000), named('999/4000 ms', dead));
  assert.deepEqual(linesFor(1_001, 4_000), named('1001/4000 ms', dead));
  assert.deepEqual(linesFor(undefined, 4_000), named('0/4000 ms', dead));
  assert.deepEqual(linesFor(1_000, undefined), named('1000/0 ms', hello));
  assert.deepEqual(linesFor(250, 500), named('250/500 ms'));
});
