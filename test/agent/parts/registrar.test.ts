// What a registrar writes into the audit trail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorder } from '#agent/parts/registrar.ts';
import { silentLog } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import { MTLS_LIMITS } from '#mtls/limits.ts';

test('runs against a code of this registrar are recorded one by one, also in a flood of others', () => {
  const records: AuditRecord[] = [];
  const onOutcome = recorder({
    clock: { monotonicMs: () => 0 },
    log: silentLog,
    record: (record) => records.push(record),
  });
  for (let run = 0; run < 2 * MTLS_LIMITS.refusalReportsPerMinute; run++)
    onOutcome({ outcome: 'unknown-code', code: 'AAAAA' }, '192.0.2.1');
  assert.equal(records.length, MTLS_LIMITS.refusalReportsPerMinute);
  records.length = 0;
  for (let run = 0; run < 10; run++) onOutcome({ outcome: 'no-proof', code: 'K7QM3', party: 'node/pe7' }, '192.0.2.2');
  assert.deepEqual(
    records.map(({ event, reason, party, detail }) => [event, reason, party, detail]),
    Array.from({ length: 10 }, () => [
      'enrolment-refused',
      'enrolment: no-proof',
      'node/pe7',
      { code: 'K7QM3', remoteAddress: '192.0.2.2' },
    ]),
  );
});
