// A party that is refused again and again fills neither log nor audit trail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefusalRecorder } from '#agent/serving/refusals.ts';
import { silentLog } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import { createFakeClock } from '../../fakes/clock.ts';

test('records twenty refusals a minute of one party, and how many more there were [TS-31]', async () => {
  const clock = createFakeClock();
  const records: AuditRecord[] = [];
  const refused = createRefusalRecorder({ clock, log: silentLog, record: (record) => void records.push(record) });
  for (let count = 0; count < 300; count++) refused({ party: 'node/p2', reason: 'reset', method: 'ping' });
  refused({ party: 'operator/ann', reason: 'unknown tool' });
  assert.equal(records.length, 21);
  assert.deepEqual(records[0], { event: 'refused', party: 'node/p2', reason: 'reset', method: 'ping' });
  assert.equal(records.at(-1)?.party, 'operator/ann');
  await clock.advance(60_000);
  refused({ party: 'node/p2', reason: 'reset' });
  assert.deepEqual(records.slice(21), [
    { event: 'refused', party: 'node/p2', reason: '280 more in the same minute' },
    { event: 'refused', party: 'node/p2', reason: 'reset' },
  ]);
});
