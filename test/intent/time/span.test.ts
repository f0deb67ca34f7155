// A stretch of time by the asked node's clock: how long ago it began and ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from '#intent/time/span.ts';

const HOUR_MS = 3_600_000;
/** A Tuesday, 10:30 in a time zone that is two hours ahead of UTC. */
const NOW = { nowMs: Date.parse('2026-11-24T08:30:00Z'), offsetMinutes: 120 };

const SPANS: readonly (readonly [when: string, sinceHours: number, untilHours: number])[] = [
  ['10m', 1 / 6, 0],
  ['today', 10.5, 0],
  ['this-morning', 10.5, 0],
  ['yesterday', 34.5, 10.5],
  ['last-night', 16.5, 4.5],
  ['since-yesterday', 34.5, 0],
  ['since-09:30', 1, 0],
  ['since-11:00', 23.5, 0],
  ['at-03:00', 7.75, 7.25],
  ['between-02:00-03:30', 8.5, 7],
  ['monday', 34.5, 10.5],
  ['since-monday', 34.5, 0],
  ['tuesday', 10.5, 0],
  ['weekend', 82.5, 34.5],
  ['this-week', 34.5, 0],
  ['last-week', 202.5, 34.5],
  ['on-2026-11-20', 106.5, 82.5],
];

for (const [when, sinceHours, untilHours] of SPANS)
  test(`${when} began ${sinceHours} h ago and ended ${untilHours} h ago`, () => {
    const { sinceMs, untilMs = 0 } = spanOf(when, NOW)!;
    assert.deepEqual([sinceMs / HOUR_MS, untilMs / HOUR_MS], [sinceHours, untilHours]);
  });

test('a name that stands for no time has no span', () => assert.equal(spanOf('noon-ish', NOW), undefined));

test('a time of day on a day is on that day; on a weekday that is today it was a week ago if it has not come', () => {
  const hours = (when: string) => {
    const { sinceMs, untilMs = 0 } = spanOf(when, NOW)!;
    return [sinceMs / HOUR_MS, untilMs / HOUR_MS];
  };
  assert.deepEqual(hours('since-18:00-on-yesterday'), [16.5, 0]);
  assert.deepEqual(hours('between-02:00-04:00-on-yesterday'), [32.5, 30.5]);
  assert.deepEqual(hours('between-23:00-01:00-on-yesterday'), [11.5, 9.5]);
  assert.deepEqual(hours('at-18:00-on-yesterday'), [16.75, 16.25]);
  assert.deepEqual(hours('since-20:00-on-monday'), [14.5, 0]);
  assert.deepEqual(hours('since-09:00-on-tuesday'), [1.5, 0]);
  assert.deepEqual(hours('since-20:00-on-tuesday'), [7 * 24 - 9.5, 0]);
  assert.deepEqual(hours('since-22:00-on-2026-11-20'), [84.5, 0]);
  assert.deepEqual(hours('since-20:00-on-2026-11-20-utc'), [84.5, 0]);
});

test('a date that has not come has no span', () => {
  for (const when of ['on-2026-12-01', 'since-2026-11-25', 'since-11:00-on-2026-11-24'])
    assert.equal(spanOf(when, NOW), undefined, when);
});
