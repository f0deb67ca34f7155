// Changes of settings as people read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeWords, reachWords } from '#model/settings/change-words.ts';

test('what changed, from what to what, and when', () => {
  const mtu = { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400' } as const;
  assert.equal(changeWords({ ...mtu, agoMs: 119_000 }), 'mtu eth1: 1500 → 1400, 119 s ago');
  assert.equal(changeWords({ ...mtu, agoMs: 120_000 }), 'mtu eth1: 1500 → 1400, 2 min ago');
  assert.equal(
    changeWords({ ...mtu, agoMs: 180_000, fromAgoMs: 7_300_000 }),
    'mtu eth1: 1500 → 1400, between 2 h and 3 min ago',
  );
  assert.equal(changeWords({ ...mtu, agoMs: 180_000, fromAgoMs: 181_000 }), 'mtu eth1: 1500 → 1400, 3 min ago');
});

test('how far a memory reaches; one without a record is said to have none', () => {
  assert.equal(reachWords(0), 'has recorded nothing so far');
  assert.equal(reachWords(500), 'remembers only the last 1 s');
  assert.equal(reachWords(600_000), 'remembers only the last 10 min');
});

test('what came and what went; a digest is not shown', () => {
  const filter = { kind: 'filter', subject: 'inet edge forward', setting: '0123456789abcdef' } as const;
  assert.equal(changeWords({ ...filter, is: 'drop', agoMs: 1_000 }), 'filter inet edge forward: came: drop, 1 s ago');
  const metric = { kind: 'metric', subject: 'eth1', setting: 'isis', was: '10', agoMs: 400_000_000 } as const;
  assert.equal(changeWords(metric), 'metric isis eth1: went: 10, 4 d ago');
});
