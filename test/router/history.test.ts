// The node's ring of samples keeps former states of its protocols: each once, with its age, the present one never among them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ControlSample, createRing, type Sample } from '#router/drivers/linux-frr/history.ts';

const control = (asn: number, established: number): ControlSample => ({
  bgp: { asn, networks: [], redistribute: [], ownPrefixes: [], sessions: [session(established)] },
  adjacencies: [],
});
const session = (established: number) => ({
  ...{ peer: '198.18.1.1', remoteAs: 65_001, localAs: 65_002, state: 'Established', shutdown: false, password: false },
  ...{ established, dropped: 0, policies: [] },
});
const sample = (entry?: ControlSample): Sample => ({
  ...{ carriers: new Map(), adjacencies: undefined, sessions: undefined, heard: undefined },
  ...(entry === undefined ? {} : { control: entry }),
});

test('a state of the protocols that is over is told with its age, counters apart', () => {
  const ring = createRing();
  ring.add(sample(control(65_002, 1)), 0);
  ring.add(sample(control(65_002, 2)), 4_000);
  ring.add(sample(), 6_000);
  ring.add(sample(control(65_222, 2)), 8_000);
  ring.add(sample(control(65_002, 3)), 12_000);
  const past = ring.history(20_000, true).past!;
  assert.deepEqual(
    past.map((entry) => [entry.bgp?.asn, entry.fromAgoMs, entry.untilAgoMs]),
    [
      [65_002, 20_000, 16_000],
      [65_222, 12_000, 12_000],
    ],
  );
  assert.equal(ring.history(20_000).past, undefined);
});

test('former states are few, and forgotten with age', () => {
  const ring = createRing();
  for (let turn = 0; turn < 40; turn++) ring.add(sample(control(turn, 0)), turn * 1_000);
  const past = ring.history(40_000, true).past!;
  assert.deepEqual([past.length, past[0]!.bgp!.asn, past.at(-1)!.bgp!.asn], [8, 31, 38]);
  ring.add(sample(control(39, 0)), 2_000_000);
  assert.deepEqual(ring.history(2_000_000, true).past, []);
});
