// How long ago a time of day was, in a time zone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sinceTimeOfDayMs } from '#base/clock.ts';

const HOUR_MS = 3_600_000;
/** 2026-01-31T15:30:00Z */
const NOW_MS = Date.UTC(2026, 0, 31, 15, 30);

test('a time of day is the last one that was, by local time', () => {
  assert.equal(sinceTimeOfDayMs(NOW_MS, '14:00', 0), 1.5 * HOUR_MS);
  assert.equal(sinceTimeOfDayMs(NOW_MS, '00:00', 0), 15.5 * HOUR_MS);
  assert.equal(sinceTimeOfDayMs(NOW_MS, '16:00', 0), 23.5 * HOUR_MS, 'yesterday');
  assert.equal(sinceTimeOfDayMs(NOW_MS, '14:00', 120), 3.5 * HOUR_MS, 'it is 17:30 there');
  assert.equal(sinceTimeOfDayMs(NOW_MS, '23:00', -16 * 60), 0.5 * HOUR_MS, 'it is 23:30 of the day before there');
});
