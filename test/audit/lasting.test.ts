// A caller that may only read fills the audit trail until its oldest file goes: what admins did outlasts it.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLasting, withLasting } from '#audit/lasting.ts';
import { lastLines, readRecord } from '#audit/read-on.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { verifyAudit } from '#audit/verify.ts';
import { createSystemClock } from '#base/clock.ts';
import { createFakeClock } from '../fakes/clock.ts';

const CONSENT = { event: 'consent-used', party: 'operator/olaf', reason: 'agreed by operator/ann' };
/** 440 octets, as of a reading over TLS. */
const READING = {
  event: 'request',
  party: 'operator/otto',
  direction: 'in',
  method: `resources/read ${'x'.repeat(200)}`,
} as const;

async function eventsIn(dir: string): Promise<readonly string[]> {
  const lines = await lastLines(dir, 10_000);
  return lines.map(({ line }) => String(readRecord(line)?.fields['event']));
}

test('a flood of readings pushes a consent out of the trail, and not out of the lasting records [TS-31]', async (t) => {
  const state = await mkdtemp(join(tmpdir(), 'parley-lasting-'));
  t.after(() => rm(state, { recursive: true, force: true }));
  const clock = createSystemClock();
  const dirs = [join(state, 'audit'), join(state, 'lasting', 'audit')] as const;
  const retention = { keepBytes: 200_000, keepMs: 3_600_000 };
  const [main, beside] = await Promise.all(
    dirs.map((dir) => openAuditTrail({ dir, clock, retention, fileBytes: 50_000 })),
  );
  const failures: unknown[] = [];
  const trail = withLasting(main!, beside!, (error) => failures.push(error));
  await trail.append(CONSENT);
  for (let count = 0; count < 20; count++) await Promise.all(Array.from({ length: 100 }, () => trail.append(READING)));
  // What any caller can have recorded is no lasting record.
  await trail.append({ event: 'consent-asked', party: 'operator/otto' });
  await trail.append({ event: 'refused', party: 'operator/otto', reason: 'no' });
  await trail.append({ event: 'order', party: 'operator/ann' });
  await trail.append({ ...READING, status: 'approved' });
  await trail.close();
  assert.equal((await eventsIn(dirs[0])).includes('consent-used'), false);
  assert.deepEqual(await eventsIn(dirs[1]), ['consent-used', 'order', 'request']);
  const [held, lasting] = await Promise.all(dirs.map((dir) => verifyAudit(dir)));
  assert.deepEqual([held!.firstBreak, lasting!.firstBreak, lasting!.records], [undefined, undefined, 3]);
  assert.deepEqual(failures, []);
});

test('a lasting record that cannot be written is told, and the record itself stands', async (t) => {
  const state = await mkdtemp(join(tmpdir(), 'parley-lasting-'));
  t.after(() => rm(state, { recursive: true, force: true }));
  const clock = createSystemClock();
  const main = await openAuditTrail({ dir: join(state, 'audit'), clock });
  const beside = await openAuditTrail({ dir: join(state, 'lasting', 'audit'), clock });
  await beside.close();
  const failures: unknown[] = [];
  const trail = withLasting(main, beside, (error) => failures.push(error));
  await trail.append(CONSENT);
  assert.equal(failures.length, 1);
  assert.equal(trail.head.sequence, 1);
  await trail.close();
});

test('lasting records that cannot be opened are opened with a later record, and each that was not kept is told', async (t) => {
  const state = await mkdtemp(join(tmpdir(), 'parley-lasting-'));
  t.after(() => rm(state, { recursive: true, force: true }));
  const [clock, disk] = [createFakeClock(), createSystemClock()];
  const main = await openAuditTrail({ dir: join(state, 'audit'), clock: disk });
  // A file where the folder must be.
  await writeFile(join(state, 'lasting'), '');
  let tries = 0;
  const open = () => {
    tries += 1;
    return openAuditTrail({ dir: join(state, 'lasting', 'audit'), clock: disk });
  };
  const failures: unknown[] = [];
  const trail = withLasting(main, await openLasting(open, clock), (error) => failures.push(error));
  await trail.append(CONSENT);
  await rm(join(state, 'lasting'));
  await trail.append(CONSENT);
  // Not tried with every record.
  assert.deepEqual([failures.length, tries], [2, 1]);
  await clock.advance(10_000);
  await Promise.all([trail.append({ event: 'order', party: 'operator/ann' }), trail.append(READING)]);
  await trail.append(CONSENT);
  await trail.close();
  assert.deepEqual([failures.length, tries, main.head.sequence], [2, 2, 5]);
  assert.deepEqual(await eventsIn(join(state, 'lasting', 'audit')), ['order', 'consent-used']);
});
