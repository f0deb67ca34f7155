// The node's ring of samples: how many packets each interface had counted, with ages, and nothing that is too old.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventHistory, type Sample } from '#router/drivers/linux-frr/memory/event-history.ts';

const sample = (rx: number, tx: number, adjacencies?: Sample['adjacencies']): Sample => ({
  ...{ carriers: new Map(), adjacencies, sessions: undefined, heard: undefined },
  traffic: new Map([['eth1', [rx, tx]]]),
});

test('what interfaces had counted is told with its age, only when it is asked for', () => {
  const ring = createEventHistory();
  ring.add(sample(10, 20), 0);
  ring.add(sample(11, 25), 2_000);
  assert.deepEqual(ring.history(5_000, true).traffic, [
    {
      ifname: 'eth1',
      samples: [
        [5_000, 10, 20],
        [3_000, 11, 25],
      ],
    },
  ]);
  assert.equal(ring.history(5_000).traffic, undefined);
});

test('counts are few, and forgotten with age', () => {
  const ring = createEventHistory();
  for (let turn = 0; turn < 400; turn++) ring.add(sample(turn, turn), turn * 1_000);
  const [traffic] = ring.history(400_000, true).traffic!;
  assert.deepEqual(
    [traffic!.samples.length, traffic!.samples[0], traffic!.samples.at(-1)],
    [150, [150_000, 250, 250], [1_000, 399, 399]],
  );
});

test('an adjacency that could not be read has not gone; one that went is told', () => {
  const ring = createEventHistory();
  ring.add(sample(0, 0, new Map([['eth1 0000.0000.0002', true]])), 0);
  ring.add(sample(0, 0), 2_000);
  ring.add(sample(0, 0, new Map()), 4_000);
  assert.deepEqual(ring.history(5_000).events, [
    { agoMs: 1_000, kind: 'adjacency', subject: 'eth1 0000.0000.0002', up: false, changes: 1 },
  ]);
});

test('what a host was seen to serve is told with the age of the last time, and forgotten', () => {
  const ring = createEventHistory();
  const row = { ifname: 'eth3', address: '198.19.1.10', service: 'udp' as const, port: 53 };
  ring.add({ ...sample(0, 0), services: [row] }, 0);
  ring.add({ ...sample(0, 0), services: [row] }, 4_000);
  assert.deepEqual(ring.history(6_000).services, [{ ...row, agoMs: 2_000 }]);
  ring.add(sample(0, 0), 1_000_000);
  assert.deepEqual(ring.history(1_000_000).services, []);
});
