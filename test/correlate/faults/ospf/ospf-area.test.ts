// ospf_area_misconfiguration: r1 is in another area on its link to r2 than r2 and the whole network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, lines, named, rejected, ring } from '../../ring.ts';
import { ospf, row } from './ospf-ring.ts';

test('the end in another area is put into that of the other end', () => {
  assert.deepEqual(drawn(ring(ospf(row({ area: '0.0.0.1' })))), [
    ['ospf_area_misconfiguration node/r1', lines('interface eth1', ' ip ospf area 0.0.0.0')],
  ]);
});

test('two ends in one area, whichever it is, are no mismatch', () => {
  assert.deepEqual(named(ring(ospf(row(), row()))), []);
  assert.deepEqual(named(ring(ospf(row({ area: '0.0.0.1' }), row({ area: '0.0.0.1' })))), []);
});

test('two ends that are both unlike the network are named together by another name', () => {
  const input = ring(ospf(row({ area: '0.0.0.1' }), row({ area: '0.0.0.2' })));
  assert.deepEqual(named(input), ['session_mismatch interface/r1/eth1', 'session_mismatch interface/r2/eth1']);
  assert.equal(
    rejected(input)['ospf_area_misconfiguration node/r1'],
    'the two ends differ, and nothing says which is right',
  );
});
