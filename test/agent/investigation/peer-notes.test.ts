// What a report says about peers stays small enough to be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerNotesOf } from '#agent/investigation/peer-notes.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createFakeClock } from '../../fakes/clock.ts';

test('a thousand remarks are in the report, the rest is a number [TS-13, TS-18]', () => {
  const peers = createPeerTable({ node: 'pe1', clock: createFakeClock() });
  for (let node = 0; node < 100; node++) {
    for (let count = 0; count < 16; count++)
      peers.remark(`n${node}`, { kind: 'malformed', detail: `eth${count}`, atMs: 0 });
  }
  const notes = peerNotesOf(peers);
  assert.equal(notes.length, 1_001);
  assert.deepEqual(notes.at(-1), { node: '', kind: 'more', detail: '600 more remarks' });
});
