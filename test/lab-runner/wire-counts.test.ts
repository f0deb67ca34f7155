// Frames that a cable lost, from readings of its two ends that are never of one moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BracketedCounts, isPerfect, lossWords, lostBetween, slackOf } from '../../simulations/lab/wire-counts.ts';

/** Both ends at rest: each sent `tx`, of which the other received all but `lost`. */
const still = (tx: number, lost = 0): BracketedCounts => ({
  a: [
    { tx, rx: tx },
    { tx, rx: tx },
  ],
  b: [
    { tx, rx: tx - lost },
    { tx, rx: tx - lost },
  ],
});

/** `sent` frames leave each end between its two readings; the other end is read when `arrived` of them are there. */
const underLoad = (tx: number, sent: number, arrived: number, lost = 0): BracketedCounts => ({
  a: [
    { tx, rx: tx },
    { tx: tx + sent, rx: tx + arrived },
  ],
  b: [
    { tx, rx: tx + arrived - lost },
    { tx: tx + sent, rx: tx + sent - lost },
  ],
});

test('counters that rise while both ends are read are no loss', () => {
  const lost = lostBetween(still(100), underLoad(14_000, 7, 3));
  assert.equal(isPerfect(lost), true);
  assert.equal(slackOf(lost), 7);
});

test('one frame that is lost at rest is seen', () => {
  const lost = lostBetween(still(100), still(14_000, 1));
  assert.equal(isPerfect(lost), false);
  assert.equal(lossWords(lost), 'tx and rx differ by 1 forward and 0 backward');
});

test('more lost frames than were sent during both readings are seen under load', () => {
  const lost = lostBetween(underLoad(100, 2, 1), underLoad(14_000, 3, 1, 9));
  assert.equal(isPerfect(lost), false);
  assert.equal(lossWords(lost), 'tx and rx differ by 7 to 12 forward and -2 to 3 backward');
});

test('frames that arrive twice are seen', () => {
  assert.equal(isPerfect(lostBetween(still(100), still(14_000, -2))), false);
});

test('what was lost before the first reading does not count', () => {
  assert.equal(isPerfect(lostBetween(still(100, 5), still(14_000, 5))), true);
});
