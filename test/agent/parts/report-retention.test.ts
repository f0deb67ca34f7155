// Reports that are too old go also where no new ones come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportRetention, storeLimitsOf } from '#agent/parts/report-retention.ts';
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

test('days of the configuration become milliseconds of the store', () => {
  const keepDays = { healthy: 1, inconclusive: 2, fault: 3, acknowledged: 4 };
  assert.deepEqual(storeLimitsOf({ reports: { quotaBytes: 5_000_000, keepDays } }), {
    count: 10_000,
    bytes: 5_000_000,
    keepMs: { healthy: 86_400_000, inconclusive: 172_800_000, fault: 259_200_000, acknowledged: 345_600_000 },
  });
});
