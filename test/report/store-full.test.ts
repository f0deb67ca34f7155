// A store that fills up: what goes first, what is said about it, and that the report of a fault finds room.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { VerdictKind } from '#model/finding.ts';
import type { AuditRecord } from '#model/ports.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { openReportStore, type ReportStoreInit } from '#report/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { pe1, smallReport } from './fixture.ts';

const DAY_MS = 86_400_000;
const KEEP = { healthy: 30 * DAY_MS, inconclusive: 60 * DAY_MS, fault: 90 * DAY_MS, acknowledged: 10 * DAY_MS };
const ROOMY = { count: 100, bytes: 1_000_000, keepMs: KEEP };

async function setUp(t: TestContext, count: number, over: Partial<ReportStoreInit> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-full-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const clock = createFakeClock();
  const trail: AuditRecord[] = [];
  const record = async (line: AuditRecord) => void trail.push(line);
  const open = (more: Partial<ReportStoreInit> = {}) =>
    openReportStore({ dir, clock, limits: { ...ROOMY, count }, record, ...over, ...more });
  const store = await open();
  t.after(() => store.close());
  /** `says`: what it found; each fault another unless told otherwise. */
  const put = (id: string, kind: VerdictKind, says = `fault ${id}`) => {
    const uri = `urn:ietf:params:xml:ns:yang:ietf-mcp/report/${id}`;
    const report = smallReport({ id, uri, verdict: { kind, reasons: [] }, hypothesis: says });
    return store.put(id, sealReport(report, pe1.signer), summaryOf(report));
  };
  const ids = async () => (await store.list()).map(({ id }) => id);
  return { store, put, ids, clock, trail, open };
}

const idsIn = (detail: AuditRecord['detail']) => ((detail?.['reports'] ?? []) as { id: string }[]).map(({ id }) => id);

test('a store full of healthy reports that no controller fetched still takes the report of a fault [CARD-6] [TS-20]', async (t) => {
  const { put, ids } = await setUp(t, 3);
  for (const id of ['h1', 'h2', 'h3']) await put(id, 'healthy');
  assert.deepEqual(await put('f1', 'fault'), { lost: 0 });
  assert.deepEqual(await ids(), ['f1', 'h3', 'h2']);
});

test('for room go acknowledged ones first, then healthy, inconclusive, faults told again, the oldest fault [CARD-8]', async (t) => {
  const { store, put, ids } = await setUp(t, 7);
  await put('f1', 'fault');
  await put('f2', 'fault', 'one link is down');
  await put('f3', 'fault', 'one link is down');
  await put('i1', 'inconclusive');
  await put('h1', 'healthy');
  await put('h2', 'healthy');
  await put('f4', 'fault');
  await store.acknowledge('f4', 'noc', null);
  const gone: string[] = [];
  for (const id of ['f5', 'f6', 'f7', 'f8', 'f9', 'f10']) {
    const before = await ids();
    await put(id, 'fault');
    const after = await ids();
    gone.push(...before.filter((each) => !after.includes(each)));
  }
  assert.deepEqual(gone, ['f4', 'h1', 'h2', 'i1', 'f2', 'f1']);
});

test('no report makes room for itself among reports that are worth more: a flood of questions costs no fault [TS-20]', async (t) => {
  const { store, put, ids } = await setUp(t, 3);
  await put('f1', 'fault');
  await put('i1', 'inconclusive');
  await put('f2', 'fault');
  await assert.rejects(put('h1', 'healthy'), { code: 'us/report-store-full', message: /reports\.quotaBytes/ });
  assert.deepEqual(await put('i2', 'inconclusive'), { lost: 1 });
  assert.deepEqual(await ids(), ['i2', 'f2', 'f1']);
  await put('f3', 'fault');
  for (const id of ['i3', 'i4']) await assert.rejects(put(id, 'inconclusive'), { code: 'us/report-store-full' });
  assert.deepEqual(await ids(), ['f3', 'f2', 'f1']);
  const last = '2026-01-01T00:00:00.000Z';
  assert.deepEqual((await store.status()).lost, [
    { reason: 'refused', kind: 'healthy', count: 1, last },
    { reason: 'refused', kind: 'inconclusive', count: 2, last },
    { reason: 'room', kind: 'inconclusive', count: 2, last },
  ]);
});

test('a fault that no controller has goes last, and its loss is in the trail, in the counts and in the answer [CARD-8] [TS-31]', async (t) => {
  const { store, put, ids, trail, open } = await setUp(t, 2);
  await put('f1', 'fault', 'PE-1 eth1 is down');
  await put('f2', 'fault');
  assert.deepEqual(await put('f3', 'fault'), { lost: 1 });
  assert.deepEqual(await ids(), ['f3', 'f2']);
  const removed = '2026-01-01T00:00:00.000Z';
  const entry = { id: 'f1', kind: 'fault', created: removed, hypothesis: 'PE-1 eth1 is down', acknowledged: false };
  assert.deepEqual(await store.removalOf('f1'), { ...entry, reason: 'room', removed });
  assert.deepEqual((await store.status()).lost, [{ reason: 'room', kind: 'fault', count: 1, last: removed }]);
  await store.close();
  assert.deepEqual(trail, [
    {
      event: 'reports-removed',
      reason: 'the store was full',
      detail: { lost: 1, reports: [{ ...entry, removed }] },
    },
  ]);
  const again = await open();
  t.after(() => again.close());
  assert.deepEqual((await again.status()).lost, [{ reason: 'room', kind: 'fault', count: 1, last: removed }]);
});

test('a line that the trail could not take is written later, also by the next process, and once [TS-31]', async (t) => {
  const record = () => Promise.reject<void>(new Error('no space left'));
  const { store, put, trail, open } = await setUp(t, 1, { record });
  await put('f1', 'fault');
  await put('f2', 'fault');
  await store.close();
  assert.equal(trail.length, 0);
  const again = await open({ record: async (line: AuditRecord) => void trail.push(line) });
  t.after(() => again.close());
  await again.sweep();
  await again.sweep();
  await again.close();
  assert.deepEqual(
    trail.map(({ detail }) => idsIn(detail)),
    [['f1']],
  );
});

test('a report that finds no room in the end removes none on the way [CARD-8]', async (t) => {
  const { store, put, ids } = await setUp(t, 2);
  await put('h1', 'healthy');
  await put('f1', 'fault');
  await assert.rejects(put('f1', 'fault'), { code: 'us/report-store' }, 'the same id twice');
  assert.deepEqual(await ids(), ['f1', 'h1']);
  assert.deepEqual((await store.status()).lost, []);
});

test('each kind is kept for its own time, and what a controller has for another [CARD-8]', async (t) => {
  const { store, put, ids, clock } = await setUp(t, 100);
  await put('h1', 'healthy');
  await put('i1', 'inconclusive');
  await put('f1', 'fault');
  await put('f2', 'fault');
  await store.acknowledge('f2', 'noc', null);
  const after = async (days: number) => {
    clock.setWall(clock.nowMs() + days * DAY_MS);
    const atEnd = await store.sweep();
    clock.setWall(clock.nowMs() + 1);
    return [atEnd, await store.sweep(), ...(await ids())];
  };
  assert.deepEqual(await after(10), [0, 1, 'f1', 'i1', 'h1']);
  assert.deepEqual(await after(20), [1, 0, 'f1', 'i1']);
  assert.deepEqual(await after(30), [1, 0, 'f1']);
  assert.deepEqual(await after(30), [1, 0]);
  assert.deepEqual(
    (await store.status()).lost.map(({ reason, kind, count }) => [reason, kind, count]),
    [
      ['age', 'fault', 1],
      ['age', 'healthy', 1],
      ['age', 'inconclusive', 1],
    ],
  );
});

test('the bytes of all reports together stay below the quota, and one that is larger than it is refused [CARD-8]', async (t) => {
  const sized = await setUp(t, 100);
  await sized.put('f1', 'fault');
  const one = (await sized.store.status()).bytes;
  const limits = { ...ROOMY, bytes: 2 * one + 200 };
  const { store, put, ids } = await setUp(t, 100, { limits });
  for (const id of ['f1', 'f2', 'f3']) await put(id, 'fault');
  assert.deepEqual(await ids(), ['f3', 'f2']);
  const { bytes, mostBytes } = await store.status();
  assert.ok(bytes <= mostBytes && bytes > one, `${bytes} of ${mostBytes}`);
  const tiny = await setUp(t, 100, { limits: { ...ROOMY, bytes: 500 } });
  await assert.rejects(tiny.put('f1', 'fault'), {
    code: 'us/report-store-full',
    message: /larger than the whole quota/,
  });
});

test('an operator deletes by id, by verdict and by age; the trail names the operator, and nothing counts as lost [TS-31]', async (t) => {
  const { store, put, ids, trail, clock } = await setUp(t, 100);
  for (const id of ['h1', 'h2']) await put(id, 'healthy');
  await put('f1', 'fault');
  clock.setWall(clock.nowMs() + DAY_MS);
  await put('h3', 'healthy');
  await put('f2', 'fault');
  const removed = await store.remove({ ids: ['f1', 'none'] }, 'operator/alice');
  assert.deepEqual(removed, [
    {
      id: 'f1',
      kind: 'fault',
      created: '2026-01-01T00:00:00.000Z',
      acknowledged: false,
      reason: 'deleted',
      by: 'operator/alice',
      removed: '2026-01-02T00:00:00.000Z',
    },
  ]);
  await store.remove({ kind: 'healthy', beforeMs: clock.nowMs() }, 'operator/bob');
  assert.deepEqual(await ids(), ['f2', 'h3']);
  assert.deepEqual((await store.status()).lost, []);
  await store.close();
  assert.deepEqual(
    trail.map(({ party, reason, detail }) => [party, reason, idsIn(detail)]),
    [
      ['operator/alice', 'deleted by a caller', ['f1']],
      ['operator/bob', 'deleted by a caller', ['h1', 'h2']],
    ],
  );
});
