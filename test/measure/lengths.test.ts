// Lengths of packets between small and full size: how evenly few probes cover them, and how slowly they are sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headerBytes, lengthRange, lengthRun, lengthsIn, rangeAround } from '#measure/lengths.ts';

const OVER6 = { destination: 'fd00::1', segments: [] };
const OVER4 = { destination: '198.18.0.1', segments: [] };

test('no hole of a tenth of the range is missed, wherever it lies', () => {
  fc.assert(
    fc.property(fc.integer({ min: 700, max: 8_192 }), fc.double({ min: 0, max: 0.9, noNaN: true }), (most, at) => {
      const range = { least: 80, most };
      // Of what is usual on any link.
      const usual = Math.min(most, 1_472) - range.least;
      const [from, to] = [at, at + 0.1].map((part) => range.least + part * usual);
      assert.ok(lengthsIn(range).some((each) => each >= from! && each <= to!));
    }),
  );
  for (let phase = 0; phase < 1; phase += 0.1)
    for (const each of lengthsIn({ least: 80, most: 1_452 }, phase)) assert.ok(each >= 80 && each <= 1_452);
});

test('packets with all their headers are no longer than the link takes, over each IP version and along SIDs', () => {
  assert.deepEqual(lengthRange(1_280, OVER6), { least: 80, most: 1_232 });
  assert.deepEqual(lengthRange(1_300, OVER4), { least: 80, most: 1_272 });
  assert.equal(headerBytes({ ...OVER6, segments: ['fd00:a::', 'fd00:b::'] }), 48 + 48 + 2 * 16);
  assert.deepEqual(lengthRange(65_536, OVER6), { least: 80, most: 8_192 });
  assert.equal(lengthRange(0, OVER6), undefined, 'an MTU that is not known');
  assert.equal(lengthRange(220, OVER4), undefined, 'nothing between small and full size');
});

test('a run keeps to 200 kbit/s in a direction, from both ends together as well, and a link of jumbo frames gets one second, from both ends two', () => {
  const bitsPerMs = (most: number, ends: 1 | 2) => {
    const lengths = lengthsIn({ least: 80, most });
    const { count, intervalMs } = lengthRun(lengths, OVER6, ends);
    assert.equal(count, 24);
    return (ends * lengths.reduce((sum, each) => sum + each + 48, 0) * 8) / (count * intervalMs);
  };
  for (const ends of [1, 2] as const) {
    const rate = bitsPerMs(1_452, ends);
    assert.ok(rate <= 200 && rate > 180, `${rate}`);
  }
  const tail = lengthsIn({ least: 1_150, most: 1_472 });
  const { count, intervalMs } = lengthRun(tail, OVER6, 2);
  assert.ok(
    (2 * tail.reduce((sum, each) => sum + each + 48, 0) * 8) / (count * intervalMs) <= 200,
    'long ones as well',
  );
  assert.deepEqual(lengthRun(lengthsIn({ least: 7_000, most: 8_192 }), OVER6, 2), { count: 24, intervalMs: 84 });
  const jumbo = lengthsIn({ least: 80, most: 8_192 });
  assert.deepEqual(lengthRun(jumbo, OVER6, 1), { count: 32, intervalMs: 32 });
  assert.equal(jumbo.filter((each) => each > 1_472).length, 7);
});

test('the second look is between the next lengths that passed', () => {
  const tested = [128, 300, 500, 600, 700, 900, 1_500];
  assert.deepEqual(rangeAround(tested, [600, 700]), { least: 500, most: 900 });
  assert.deepEqual(rangeAround(tested, [1_500]), { least: 900, most: 1_500 });
  assert.deepEqual(rangeAround(tested, [128]), { least: 128, most: 300 });
  assert.equal(rangeAround(tested, []), undefined);
});
