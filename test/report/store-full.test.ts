// A store that fills up: what goes first, what is said about it, and that a report of a fault finds room.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openReportStore } from '#report/store.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { pe1, smallReport } from './fixture.ts';

test('a store full of healthy reports that no controller fetched still takes the report of a fault [CARD-6] [TS-20]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-full-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const limits = { count: 3, bytes: 1_000_000, ageMs: 90 * 86_400_000 };
  const store = await openReportStore({ dir, clock: createFakeClock(), limits });
  t.after(() => store.close());
  const put = async (id: string, verdict: 'healthy' | 'fault') => {
    const report = smallReport({ id, uri: `urn:ietf:params:xml:ns:yang:ietf-mcp/report/${id}`, verdict: { kind: verdict, reasons: [] } });
    await store.put(id, sealReport(report, pe1.signer), summaryOf(report));
  };
  for (const id of ['h1', 'h2', 'h3']) await put(id, 'healthy');
  await put('f1', 'fault');
  assert.deepEqual((await store.list()).map(({ id }) => id), ['f1', 'h3', 'h2']);
});
