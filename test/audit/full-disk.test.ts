// The audit trail on a full disk: its last words, what it refuses and counts, and how it goes on once there is room.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AuditFile, openAuditFile } from '#audit/file.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { verifyAudit } from '#audit/verify.ts';
import { createFakeClock } from '../fakes/clock.ts';

const clock = createFakeClock();
const folder = async (t: { after(fn: () => Promise<void>): void }) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-full-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

/** A file that takes no write as long as the disk is full. */
const failing = (fault: { write: boolean }) => async (path: string) => {
  const file = await openAuditFile(path);
  return {
    ...file,
    write: async (bytes: Uint8Array, offset: number) => {
      await file.write(bytes, offset);
      if (fault.write) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
  };
};

test('on a full disk the trail says so in the room of its reserve, refuses, and says later what it lacks [TS-31]', async (t) => {
  const dir = await folder(t);
  const fault = { write: false };
  const openFile = async (path: string) => (path.endsWith('reserve') ? openAuditFile(path) : failing(fault)(path));
  const trail = await openAuditTrail({ dir, clock, openFile, reserveBytes: 65_536 });
  await trail.append({ event: 'before' });
  fault.write = true;
  // The first finds the room that the reserve leaves: the next ones do not.
  const later = await readdir(dir);
  assert.equal(later.includes('reserve'), true);
  await trail.append({ event: 'in the room of the reserve' });
  await trail.close();
  const again = await openAuditTrail({ dir, clock, openFile: failing(fault), reserveBytes: 65_536 });
  fault.write = true;
  await rm(join(dir, 'reserve'), { force: true });
  const full = { code: 'us/audit-full' };
  await assert.rejects(again.append({ event: 'lost', reason: 'x'.repeat(1_000) }), full);
  await assert.rejects(again.append({ event: 'lost' }), full);
  fault.write = false;
  await again.append({ event: 'after' });
  await again.close();
  const verified = await verifyAudit(dir);
  const events = await eventsOf(dir);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['before', 'audit/disk-full', 'in the room of the reserve', 'audit/disk-has-room', 'after'],
  );
  assert.equal(events[3].detail.unrecorded, 2);
  assert.deepEqual([verified.ok, verified.records, verified.tornBytes], [true, 5, 0]);
  assert.equal((await readdir(dir)).includes('reserve'), true);
});

/** The events of a trail, in their order. */
async function eventsOf(dir: string) {
  const files = (await readdir(dir)).filter((name) => name.startsWith('audit-')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8')));
  const lines = texts.join('').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

for (const code of ['ENOSPC', 'EDQUOT'])
  test(`a synchronisation without room (${code}) costs what waits for it, and the trail goes on behind what is durable [TS-31]`, async (t) => {
    const dir = await folder(t);
    const fault = { fails: 0 };
    const openFile = async (path: string): Promise<AuditFile> => {
      const file = await openAuditFile(path);
      const datasync = async () => {
        if (fault.fails-- <= 0) return file.datasync();
        throw Object.assign(new Error(`${code}: fdatasync`), { code });
      };
      return { ...file, datasync };
    };
    const trail = await openAuditTrail({ dir, clock, openFile, reserveBytes: 65_536 });
    await trail.append({ event: 'before' });
    fault.fails = 1;
    // The reserve has room for the last words and, behind them, for this record.
    await trail.append({ event: 'beside the last words' });
    await trail.append({ event: 'after' });
    // Without any room: neither for the last words nor for the record.
    fault.fails = 3;
    await assert.rejects(trail.append({ event: 'lost' }), { code: 'us/audit-full' });
    fault.fails = 0;
    await trail.append({ event: 'at last' });
    await trail.close();
    const events = await eventsOf(dir);
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'before',
        'audit/disk-full',
        'beside the last words',
        'audit/disk-has-room',
        'after',
        'audit/disk-has-room',
        'at last',
      ],
    );
    assert.equal(events[5].detail.unrecorded, 1);
    const { ok, records, tornBytes } = await verifyAudit(dir);
    assert.deepEqual([ok, records, tornBytes], [true, 7, 0]);
  });

test('a reserve that has become a file of the trail stays one, also where its name is not durable at once [TS-31]', async (t) => {
  const dir = await folder(t);
  const fault = { datasync: 0, names: 0 };
  const full = () => Object.assign(new Error('ENOSPC: fsync'), { code: 'ENOSPC' });
  const openFile = async (path: string): Promise<AuditFile> => {
    const file = await openAuditFile(path);
    const datasync = async () => {
      if (fault.datasync-- > 0) throw full();
      await file.datasync();
    };
    return { ...file, datasync };
  };
  let named = 0;
  const syncNames = async () => {
    if (fault.names-- > 0) throw full();
    named += 1;
  };
  const trail = await openAuditTrail({ dir, clock, openFile, syncNames, reserveBytes: 65_536 });
  await trail.append({ event: 'before' });
  fault.datasync = 1;
  fault.names = 1;
  named = 0;
  await assert.rejects(trail.append({ event: 'lost' }), { code: 'us/audit-full' });
  assert.equal(named, 0);
  assert.equal(trail.head.sequence, 2, 'the last words are the end of the trail');
  await trail.append({ event: 'after' });
  assert.equal(named, 1, 'the name is durable before a record in it is');
  await trail.close();
  const events = await eventsOf(dir);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['before', 'audit/disk-full', 'audit/disk-has-room', 'after'],
  );
  assert.equal((await verifyAudit(dir)).ok, true);
});

test('a trail that was left on a full disk says after the restart that an unknown number of records is missing [TS-31]', async (t) => {
  const dir = await folder(t);
  const fault = { write: false };
  const openFile = async (path: string) => (path.endsWith('reserve') ? openAuditFile(path) : failing(fault)(path));
  const trail = await openAuditTrail({ dir, clock, openFile, reserveBytes: 65_536 });
  await trail.append({ event: 'before' });
  fault.write = true;
  await trail.append({ event: 'in the room of the reserve' });
  await trail.close();
  for (const event of ['started', 'started again']) {
    const again = await openAuditTrail({ dir, clock, reserveBytes: 65_536 });
    await again.append({ event });
    await again.close();
  }
  const events = await eventsOf(dir);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['before', 'audit/disk-full', 'in the room of the reserve', 'audit/disk-has-room', 'started', 'started again'],
  );
  assert.deepEqual(
    [events[3].reason, events[3].detail],
    [
      'how many records are missing from before the last start is not known',
      { fullSince: events[1].time, unrecorded: 0 },
    ],
  );
});
