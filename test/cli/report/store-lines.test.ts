// What operators see of the report store: how full it is, what it lost, and what they delete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportsCheck } from '#cli/doctor/doctor.ts';
import { deletionOf } from '#cli/report/delete.ts';
import { storeLines } from '#cli/report/store-lines.ts';

const STORE = { count: 12, bytes: 1_400_000, mostCount: 10_000, mostBytes: 268_435_456, lost: [] };
const NOW = Date.parse('2026-01-10T00:00:00Z');
const lost = (kind: 'fault' | 'healthy', reason: 'room' | 'age' | 'refused', last: string, count = 3) => ({
  ...{ kind, reason, count, last },
});

test('the list of reports ends with how full the store is and what was lost', () => {
  assert.deepEqual(storeLines(undefined), []);
  assert.deepEqual(storeLines(STORE), ['', '12 reports, 1.4 of 268.4 MB']);
  const full = { ...STORE, count: 9_500, lost: [lost('fault', 'room', '2026-01-09T00:00:00.000Z', 1)] };
  assert.deepEqual(storeLines(full).slice(1), [
    '9500 reports of at most 10000, 1.4 of 268.4 MB',
    'lost        1 report (of faults) removed to make room, and no controller had it; last on 2026-01-09T00:00:00.000Z',
  ]);
  assert.match(
    storeLines({ ...STORE, lost: [lost('healthy', 'refused', 'then')] })[2] ?? '',
    /3 reports \(healthy\) not kept because they found no room themselves/,
  );
});

test('the doctor fails for a week after a fault was lost, and not for what went by age or was healthy', () => {
  assert.equal(reportsCheck(STORE, NOW).detail, '12 reports, 1.4 of 268.4 MB');
  assert.match(reportsCheck(undefined, NOW).detail, /earlier version/);
  for (const reason of ['room', 'refused'] as const)
    assert.throws(
      () => reportsCheck({ ...STORE, lost: [lost('fault', reason, '2026-01-03T00:00:00.001Z')] }, NOW),
      /3 reports \(of faults\) .*reports\.quotaBytes/,
    );
  const old = { ...STORE, lost: [lost('fault', 'room', '2026-01-03T00:00:00.000Z')] };
  assert.match(reportsCheck(old, NOW).detail, /^12 reports, 1\.4 of 268\.4 MB; 3 reports \(of faults\) removed/);
  const harmless = [
    lost('fault', 'age', '2026-01-09T00:00:00.000Z'),
    lost('healthy', 'room', '2026-01-09T00:00:00.000Z'),
  ];
  assert.equal(reportsCheck({ ...STORE, lost: harmless }, NOW).detail, '12 reports, 1.4 of 268.4 MB');
});

test('a deletion names ids, or an age and a verdict, and never nothing', () => {
  assert.deepEqual(deletionOf({}, ['a', 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/b']), { ids: ['a', 'b'] });
  assert.deepEqual(deletionOf({ olderThan: '30d', verdict: 'healthy' }, []), {
    verdict: 'healthy',
    olderThanMs: 2_592_000_000,
  });
  assert.deepEqual(deletionOf({ olderThan: '90m' }, []), { olderThanMs: 5_400_000 });
  assert.deepEqual(deletionOf({ olderThan: '12h' }, []), { olderThanMs: 43_200_000 });
  assert.throws(() => deletionOf({}, []), { code: 'caller/usage', message: /expected ids, --older-than or --verdict/ });
  assert.throws(() => deletionOf({ verdict: 'fault' }, ['a']), { code: 'caller/usage', message: /got both/ });
  for (const olderThan of ['30', '-1d', '1w', '99999d', ''])
    assert.throws(() => deletionOf({ olderThan }, []), { code: 'caller/usage' }, olderThan);
});
