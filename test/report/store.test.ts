// The report store: durable before it answers, off the event loop, and forgetful only where it may be.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { makeCountersignature, reportDigest } from '#report/countersign.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { openReportStore } from '#report/store.ts';
import { verifySealedReport } from '#report/verify.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { controller, fileOf, pe1, ROOMY, smallReport } from './fixture.ts';

const DAY_MS = 86_400_000;
const KEEP = { healthy: 30 * DAY_MS, inconclusive: 60 * DAY_MS, fault: 90 * DAY_MS, acknowledged: 90 * DAY_MS };
const folder = async (t: { after(fn: () => Promise<void>): void }) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-reports-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
const numbered = (id: string) => {
  const report = smallReport({ id, uri: `urn:ietf:params:xml:ns:yang:ietf-mcp/report/${id}` });
  return { id, sealed: sealReport(report, pe1.signer), summary: summaryOf(report) };
};
const idsOf = (reports: readonly { readonly id: string }[]) => reports.map((each) => each.id);

test('gives back what was put, also after it was opened again, newest first [CARD-6] [CARD-8]', async (t) => {
  const dir = await folder(t);
  const clock = createFakeClock();
  const first = await openReportStore({ dir, clock, limits: ROOMY });
  const { sealed, summary } = numbered('a1');
  await first.put('a1', sealed, summary);
  await first.put('a2', numbered('a2').sealed, numbered('a2').summary);
  await first.close();
  await first.close();
  const again = await openReportStore({ dir, clock, limits: ROOMY });
  t.after(() => again.close());
  assert.deepEqual(await again.get('a1'), sealed);
  assert.equal(await again.get('a9'), undefined);
  assert.deepEqual(idsOf(await again.list()), ['a2', 'a1']);
  assert.deepEqual((await again.list())[1], summary);
  await assert.rejects(again.put('a1', sealed, summary), { code: 'us/report-store' });
});

test('pages through the list with a cursor, and through what one controller has not acknowledged [CARD-8]', async (t) => {
  const dir = await folder(t);
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) {
    const { sealed, summary } = numbered(id);
    await store.put(id, sealed, summary);
  }
  const one = await store.page({ limit: 2 });
  assert.deepEqual(idsOf(one.reports), ['a5', 'a4']);
  const two = await store.page({ limit: 2, cursor: one.nextCursor ?? '' });
  assert.deepEqual(idsOf(two.reports), ['a3', 'a2']);
  const three = await store.page({ limit: 2, cursor: two.nextCursor ?? '' });
  assert.deepEqual([idsOf(three.reports), three.nextCursor], [['a1'], undefined]);
  const whole = await store.page({ limit: 5 });
  assert.deepEqual([whole.reports.length, 'nextCursor' in whole], [5, false], 'a full page that is the last one');
  await assert.rejects(store.page({ cursor: "1' OR 1" }), { code: 'caller/report-cursor' });
  assert.equal(await store.acknowledge('a3', 'noc', null), true);
  assert.equal(await store.acknowledge('a9', 'noc', null), false);
  assert.deepEqual(idsOf((await store.page({ notAcknowledgedBy: 'noc' })).reports), ['a5', 'a4', 'a2', 'a1']);
  assert.equal((await store.page({ notAcknowledgedBy: 'other' })).reports.length, 5);
  assert.deepEqual((await store.list())[2]?.acknowledgedBy, ['noc']);
});

test('a receipt becomes part of the file, which still verifies; the first one stands [CARD-8]', async (t) => {
  const dir = await folder(t);
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  const { sealed, summary } = numbered('a1');
  await store.put('a1', sealed, summary);
  const receipt = (nowMs: number) =>
    makeCountersignature({
      signer: controller.signer,
      role: 'controller',
      chain: controller.chain,
      reportSha256: reportDigest(sealed) ?? '',
      nowMs,
    });
  await store.acknowledge('a1', 'noc', JSON.parse(JSON.stringify(receipt(1_767_225_700_000))));
  await store.acknowledge('a1', 'noc', JSON.parse(JSON.stringify(receipt(1_767_225_800_000))));
  const stored = await store.get('a1');
  assert.equal(stored?.countersignatures.length, 1);
  const verification = await verifySealedReport(fileOf(stored!), { verifyChain: fakeVerifyChain });
  assert.equal(verification.ok, true);
  assert.match(verification.notProven[2] ?? '', /noc at 2026-01-01T00:01:40\.000Z/);
});

test('a sweep removes acknowledged reports beyond the bounds, the oldest first, and none within them [CARD-8]', async (t) => {
  const dir = await folder(t);
  const clock = createFakeClock();
  const opened = async (count: number) =>
    openReportStore({ dir, clock, limits: { count, bytes: 1_000_000, keepMs: KEEP } });
  const wide = await opened(4);
  for (const id of ['a1', 'a2', 'a3', 'a4']) {
    await wide.put(id, numbered(id).sealed, numbered(id).summary);
    if (id !== 'a2') await wide.acknowledge(id, 'noc', null);
  }
  assert.equal(await wide.sweep(), 0, 'as many as there may be');
  await wide.close();
  const narrow = await opened(2);
  t.after(() => narrow.close());
  assert.equal(await narrow.sweep(), 2);
  assert.deepEqual(idsOf(await narrow.list()), ['a4', 'a2']);
});

test('a database that cannot be opened is an error, not a crash or a hang', async (t) => {
  const dir = await folder(t);
  await writeFile(join(dir, 'reports.sqlite'), 'this is not a database, whatever its name says'.repeat(50));
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  await assert.rejects(store.list(), { code: 'us/report-store', message: /not a database/ });
  await assert.rejects(store.close(), { code: 'us/report-store' });
});

test('writes never hold the event loop up', async (t) => {
  const dir = await folder(t);
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  await store.list();
  const reports = Array.from({ length: 100 }, (_, index) => numbered(`r${index}`));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const { id, sealed, summary } of reports) await store.put(id, sealed, summary);
  delay.disable();
  // The median: single peaks belong to other processes of the machine.
  assert.ok(delay.percentile(50) / 1e6 < 10, `${delay.percentile(50) / 1e6} ms`);
});

test('keeps every report that was answered for when the process is killed [CARD-6]', async (t) => {
  const dir = await folder(t);
  const script = `
    import { openReportStore } from '#report/store.ts';
    import { createSystemClock } from '#base/clock.ts';
    const store = await openReportStore({ dir: ${JSON.stringify(dir)}, clock: createSystemClock(), limits: ${JSON.stringify(ROOMY)} });
    const sealed = { schemaVersion: 1, report: { payloadType: 'parley/report/v1', payload: 'e30=', signature: '' }, creatorChain: [], countersignatures: [] };
    for (let n = 1; ; n++) { await store.put('r' + n, sealed, { id: 'r' + n }); process.stdout.write(n + '\\n'); }`;
  const child = spawn(process.execPath, ['--conditions=parley-source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answered = 0;
  child.stdout.on('data', (text: Buffer) => {
    answered = Number(text.toString().trimEnd().split('\n').at(-1)) || answered;
  });
  await until(() => answered > 20, 'reports are stored');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  assert.ok((await store.list()).length >= answered);
  assert.notEqual(await store.get(`r${answered}`), undefined);
});

test('a controller acknowledges what is there, once, and is named in lists [CARD-8]', async (t) => {
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  const { sealed, summary } = numbered('a1');
  await store.put('a1', sealed, summary);
  assert.equal(await store.acknowledge('a9', 'noc', null), false);
  assert.equal(await store.acknowledge('a1', 'noc', null), true);
  assert.equal(await store.acknowledge('a1', 'eve', { by: 'x' }), true);
  assert.deepEqual(await store.list(), [{ ...summary, acknowledgedBy: ['eve', 'noc'] }]);
  assert.deepEqual(await store.get('a1'), sealed, 'what is no countersignature does not become part of the file');
  assert.deepEqual((await store.page({ notAcknowledgedBy: 'noc' })).reports, []);
  assert.equal((await store.page({ notAcknowledgedBy: 'other' })).reports.length, 1);
});

test('a page is at most 200 reports, and a cursor is one of ours [CARD-8]', async (t) => {
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  const { sealed, summary } = numbered('a0');
  for (let at = 0; at < 201; at++) await store.put(`a${at}`, sealed, { ...summary, id: `a${at}` });
  const pages = [await store.page(), await store.page({ limit: 500 }), await store.page({ limit: 200 })];
  assert.deepEqual(
    pages.map(({ reports, nextCursor }) => [reports.length, nextCursor]),
    [
      [200, '2'],
      [200, '2'],
      [200, '2'],
    ],
  );
  assert.deepEqual(idsOf((await store.page({ cursor: '2' })).reports), ['a0']);
  assert.equal((await store.list()).length, 201);
  for (const cursor of ['0', '01', 'x', '-1', '1'.repeat(16)])
    await assert.rejects(store.page({ cursor }), { code: 'caller/report-cursor' }, cursor);
});

/** The threads that are started until the end of the test. */
function threadsOf(t: { after(fn: () => void): void }): readonly Worker[] {
  const started: Worker[] = [];
  const onWorker = (message: unknown) => void started.push((message as { readonly worker: Worker }).worker);
  subscribe('worker_threads', onWorker);
  t.after(() => unsubscribe('worker_threads', onWorker));
  return started;
}

test('a thread that is lost fails what it was asked, and is replaced by the next request', async (t) => {
  const started = threadsOf(t);
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  const { sealed, summary } = numbered('a1');
  await store.put('a1', sealed, summary);
  /** From now on the thread hears nothing, so that it answers nothing before it is lost. */
  const deafen = (thread: Worker) => {
    thread.postMessage = () => {};
  };
  deafen(started[0]!);
  const lost = store.list();
  await started[0]!.terminate();
  await assert.rejects(lost, { code: 'us/report-store', message: 'report store: the thread ended' });
  assert.deepEqual(idsOf(await store.list()), ['a1'], 'what was answered for is still there');
  assert.equal(started.length, 2);
  deafen(started[1]!);
  const broken = store.list();
  started[1]!.emit('error', new Error('out of memory'));
  await assert.rejects(broken, { code: 'us/report-store', message: 'report store: out of memory' });
  const next = store.list();
  await started[1]!.terminate();
  assert.deepEqual(idsOf(await next), ['a1'], 'the end of a thread fails nothing that another was asked');
  assert.equal(started.length, 3);
});

test('requests that are made at once each get their own answer', async (t) => {
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  t.after(() => store.close());
  const reports = ['a1', 'a2', 'a3'].map(numbered);
  await Promise.all(reports.map(({ id, sealed, summary }) => store.put(id, sealed, summary)));
  const found = await Promise.all([...reports.map(({ id }) => store.get(id)), store.get('a9')]);
  assert.ok(
    [...reports.map(({ sealed }) => sealed), undefined].every((each, at) => isDeepStrictEqual(found[at], each)),
  );
});

test('a store that waits for nothing keeps no process alive, and one that is asked does', async (t) => {
  const dir = await folder(t);
  const script = `
    import { openReportStore } from '#report/store.ts';
    import { createSystemClock } from '#base/clock.ts';
    const store = await openReportStore({ dir: ${JSON.stringify(dir)}, clock: createSystemClock(), limits: ${JSON.stringify(ROOMY)} });
    for (let time = 0; time < 3; time++) {
      await store.list();
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.stdout.write('answered');`;
  const child = spawn(process.execPath, ['--conditions=parley-source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual([said, code], ['answered', 0]);
});

test('a store that was never asked starts no thread', async (t) => {
  const started = threadsOf(t);
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  await store.close();
  assert.equal(started.length, 0);
});

test('a closed store leaves no thread behind', async (t) => {
  const started = threadsOf(t);
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  await store.list();
  assert.deepEqual([started.length, started[0]!.threadId > 0], [1, true]);
  await store.close();
  assert.equal(started[0]!.threadId, -1);
});

test('a closed store answers nothing, and closes once', async (t) => {
  const store = await openReportStore({ dir: await folder(t), clock: createFakeClock(), limits: ROOMY });
  await store.close();
  await assert.rejects(store.list(), {
    code: 'us/report-store',
    message: 'expected an open report store, got a closed one',
  });
  await store.close();
});

test('a report that was changed in the database is said to be damaged', async (t) => {
  const dir = await folder(t);
  const clock = createFakeClock();
  const first = await openReportStore({ dir, clock, limits: ROOMY });
  await first.put('a1', numbered('a1').sealed, numbered('a1').summary);
  await first.close();
  const database = new DatabaseSync(join(dir, 'reports.sqlite'));
  database.exec("UPDATE report SET text = 'x', packed = NULL");
  database.close();
  const again = await openReportStore({ dir, clock, limits: ROOMY });
  t.after(() => again.close());
  await assert.rejects(again.get('a1'), { code: 'us/report-damaged', message: /^expected a report in the store, / });
});

test('the folder of reports is for its owner only [CARD-6]', async (t) => {
  const dir = join(await folder(t), 'made');
  const store = await openReportStore({ dir, clock: createFakeClock(), limits: ROOMY });
  await store.close();
  assert.equal((await stat(dir)).mode & 0o777, 0o700);
});
