// Reports that are too old go also where no new ones come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportRetention } from '#agent/parts/report-retention.ts';
import { silentLog } from '#base/log.ts';
import { createFakeClock } from '../../fakes/clock.ts';

const SIX_HOURS_MS = 21_600_000;

test('the store is swept every six hours until the agent stops, also after a sweep that failed', async () => {
  const clock = createFakeClock();
  let sweeps = 0;
  const sweep = async () => {
    sweeps += 1;
    if (sweeps === 1) throw new Error('the disk is gone');
    return 1;
  };
  const part = createReportRetention({ store: { sweep }, clock, log: silentLog });
  await part.start();
  await clock.advance(SIX_HOURS_MS - 1);
  assert.equal(sweeps, 0);
  await clock.advance(1);
  assert.equal(sweeps, 1);
  await clock.advance(SIX_HOURS_MS);
  assert.equal(sweeps, 2);
  await part.stop();
  await clock.advance(SIX_HOURS_MS);
  assert.equal(sweeps, 2);
});
