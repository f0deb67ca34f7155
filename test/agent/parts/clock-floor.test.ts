// The time on disk is at most an hour old while an agent runs, however the agent ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClockFloor } from '#agent/parts/clock-floor.ts';
import { silentLog } from '#base/log.ts';
import { createFakeClock } from '../../fakes/clock.ts';

test('the time is on disk from the start on, every hour and at the end, also after a failure [TS-24]', async () => {
  const clock = createFakeClock();
  const kept: number[] = [];
  const persist = async () => {
    kept.push(clock.monotonicMs());
    if (kept.length === 2) throw new Error('no space left');
  };
  const floor = createClockFloor({ trust: { persist }, clock, log: silentLog });
  await floor.start();
  assert.deepEqual(kept, [0]);
  await clock.advance(2 * 3_600_000);
  assert.deepEqual(kept, [0, 3_600_000, 7_200_000]);
  await floor.stop();
  await clock.advance(3_600_000);
  // Once more at the end.
  assert.deepEqual(kept, [0, 3_600_000, 7_200_000, 7_200_000]);
});
