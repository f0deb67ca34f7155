// The rate of a link by the times between arrivals of a train: without its longest gap, and of its second half.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passageOf } from '#correlate/observe/train-passage.ts';

const passed = (gapsUs: readonly number[], sentUs: readonly number[] = [], packets = gapsUs.length + 1) =>
  passageOf(gapsUs, { packetBytes: 1_500, packets, sentUs });
const gaps = (count: number, us: number) => Array.from({ length: count }, () => us);

test('a single gap gives no rate, two give one', () => {
  assert.equal(passed([1_000]), undefined);
  assert.equal(passed([]), undefined);
  assert.deepEqual(passed([1_000, 1_000]), { heldMs: 1, megabits: 12, mostMegabits: 12, loose: false });
});

test('the longest gap is a pause of the machine and counts for nothing', () => {
  assert.deepEqual(passed([1_000, 90_000, 1_000])?.heldMs, 2);
  assert.equal(passed([1_000, 90_000, 1_000])?.megabits, 12);
});

test('up to three gaps count all, of more the second half alone', () => {
  assert.equal(passed([500, 1_000, 1_000])?.megabits, 16);
  const bucket = [...gaps(4, 10), ...gaps(4, 1_000)];
  assert.equal(passed(bucket)?.megabits, 12);
  assert.equal(passed(bucket)?.heldMs, 3.04);
  assert.equal(passed([10, 10, 1_000, 1_000])?.megabits, 12);
});

test('packets that arrive at once have a rate that is bounded by a microsecond', () => {
  assert.deepEqual(passed([0, 0, 0]), { heldMs: 0, megabits: 24_000, mostMegabits: 24_000, loose: false });
});

test('where packets are missing the link may have passed more', () => {
  assert.equal(passed(gaps(4, 1_000), [], 9)?.mostMegabits, 24);
  assert.equal(passed(gaps(4, 1_000), [], 2)?.mostMegabits, 12);
});

test('a train that was not sent twice as fast as it arrived may show its sender alone', () => {
  const loose = (sentUs: number) => passed(gaps(4, 1_000), gaps(4, sentUs))?.loose;
  assert.deepEqual([loose(500), loose(501), loose(10)], [false, true, false]);
});
