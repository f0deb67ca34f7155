// Names that a node hears its name servers give to others, and asks for itself: which of them it tells as lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeptNames } from '#router/drivers/linux-frr/host-monitor/dns-record-history.ts';

const NAME = { ifname: 'eth3', address: '198.19.1.10', name: 'www.lab.example' };
const OTHER = { ...NAME, name: 'inside.lab.example' };
const TAKEN = { ...NAME, taken: true } as const;

test('a name that a host was given, and later was not, is lost, also when this node was never given it', () => {
  const names = createKeptNames();
  names.heard([NAME], 1_000);
  names.asked(NAME, false, 4_000);
  names.heard([TAKEN], 5_000);
  assert.deepEqual(names.lost(9_000), [{ ...NAME, okAgoMs: 8_000, lostAgoMs: 4_000 }]);
  assert.deepEqual(names.all(), [NAME]);
});

test('one that this node knew is told as soon as a host is denied it, and as known again when this node gets it', () => {
  const names = createKeptNames();
  names.heard([NAME], 1_000);
  names.asked(NAME, true, 2_000);
  assert.deepEqual(names.lost(3_000), []);
  names.heard([TAKEN], 4_000);
  assert.deepEqual(names.lost(5_000), [{ ...NAME, okAgoMs: 3_000, lostAgoMs: 1_000 }]);
  names.asked(NAME, true, 6_000);
  assert.deepEqual(names.lost(7_000), [{ ...NAME, okAgoMs: 1_000, lostAgoMs: 3_000 }]);
});

test('a host that is given it again has not lost it; that it had is told once this node gets it too', () => {
  const names = createKeptNames();
  names.heard([NAME], 1_000);
  names.heard([TAKEN], 3_000);
  names.heard([NAME], 5_000);
  assert.deepEqual(names.lost(6_000), []);
  names.asked(NAME, true, 7_000);
  assert.deepEqual(names.lost(8_000), [{ ...NAME, okAgoMs: 1_000, lostAgoMs: 5_000 }]);
});

test('what others were given and this node is not is told apart, until the server is seen to choose', () => {
  const names = createKeptNames();
  names.heard([NAME, OTHER], 1_000);
  names.asked(NAME, false, 4_000);
  assert.deepEqual(names.lost(5_000), [{ ...NAME, okAgoMs: 4_000, lostAgoMs: 1_000, othersOnly: true }]);
  // It may have passed before this node asked.
  names.heard([NAME], 6_000);
  assert.deepEqual(names.lost(7_000), [{ ...NAME, okAgoMs: 1_000, lostAgoMs: 3_000, othersOnly: true }]);
  names.heard([], 8_000);
  names.heard([NAME], 9_000);
  names.asked(OTHER, false, 10_000);
  assert.deepEqual(names.lost(11_000), []);
});

test('what was given and never asked for here, or given here, is not told', () => {
  const names = createKeptNames();
  names.heard([NAME], 1_000);
  assert.deepEqual(names.lost(2_000), []);
  names.asked(NAME, false, 3_000);
  names.asked(NAME, true, 4_000);
  assert.deepEqual(names.lost(5_000), []);
  names.asked(OTHER, false, 6_000);
  assert.deepEqual(names.all(), [NAME]);
});

test('after a quarter of an hour what was lost is forgotten; nothing that is lost makes room', () => {
  const names = createKeptNames();
  names.heard([NAME], 1_000);
  names.heard([TAKEN], 2_000);
  for (let turn = 0; turn < 40; turn++) names.heard([{ ...NAME, name: `n${turn}.lab.example` }], 3_000);
  assert.equal(names.all().length, 32);
  assert.equal(names.lost(3_000).length, 1);
  names.forget(2_000 + 900_000);
  assert.equal(names.lost(903_000).length, 1);
  names.forget(2_001 + 900_000);
  assert.deepEqual(names.lost(903_000), []);
});
