// The audit trail: durable before it answers, chained, bounded, and honest about what a crash did.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AuditFile, openAuditFile } from '#audit/file.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { verifyAudit } from '#audit/verify.ts';
import { createFakeClock, settle, until } from '../fakes/clock.ts';

const clock = createFakeClock();
const folder = async (t: { after(fn: () => Promise<void>): void }) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-audit-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
const FIRST = 'audit-000000000000001.jsonl';
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ event: `e${index + 1}` }));

test('writes one line a record with sequence, time and the hash before it [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock });
  await trail.append({ event: 'session/opened', party: 'p2', sessionId: 'dom-1', detail: { port: 9514 } });
  await trail.append({ event: 'call', method: 'tools/call', direction: 'in', status: 'answered' });
  await trail.close();
  const lines = (await readFile(join(dir, FIRST), 'utf8')).trimEnd().split('\n');
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    { ...first, hash: '' },
    {
      detail: { port: 9514 },
      event: 'session/opened',
      hash: '',
      party: 'p2',
      previous: '0000000000000000000000000000000000000000000000000000000000000000',
      sequence: 1,
      sessionId: 'dom-1',
      time: '2026-01-01T00:00:00.000Z',
    },
  );
  assert.equal(second.previous, first.hash);
  assert.equal(second.sequence, 2);
  const verified = await verifyAudit(dir);
  assert.deepEqual([verified.ok, verified.records, verified.head?.hash], [true, 2, second.hash]);
});

test('takes over no field that the record type does not name, and forges no line [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock });
  const record = {
    event: 'a\n{"event":"forged"}',
    reason: 'x'.repeat(5_000),
    password: 'hunter2',
    detail: { big: 'y'.repeat(20_000) },
  };
  await trail.append(record);
  await trail.append({ event: 'lone', reason: '\ud800' });
  await trail.close();
  const text = await readFile(join(dir, FIRST), 'utf8');
  assert.equal(text.split('\n').length, 3);
  assert.equal(text.includes('hunter2'), false);
  const first = JSON.parse(text.split('\n')[0] ?? '');
  assert.equal(first.reason.length, 2_000);
  assert.deepEqual(first.detail, { omittedBytes: 20_010 });
  assert.equal((await verifyAudit(dir)).ok, true);
});

test('synchronises records that wait together once [TS-31]', async (t) => {
  const dir = await folder(t);
  let syncs = 0;
  const openFile = async (path: string): Promise<AuditFile> => {
    const file = await openAuditFile(path);
    return {
      ...file,
      datasync: () => {
        syncs += 1;
        return file.datasync();
      },
    };
  };
  const trail = await openAuditTrail({ dir, clock, openFile });
  await Promise.all(numbered(100).map((record) => trail.append(record)));
  assert.equal(syncs, 1);
  assert.equal(trail.head.sequence, 100);
  await trail.close();
  assert.equal((await verifyAudit(dir)).records, 100);
});

test('goes on in a new file at its size and carries the chain over, also across a restart [TS-31]', async (t) => {
  const dir = await folder(t);
  for (const records of [numbered(6), numbered(6)]) {
    const trail = await openAuditTrail({ dir, clock, fileBytes: 600 });
    for (const record of records) await trail.append(record);
    await trail.close();
  }
  assert.deepEqual((await readdir(dir)).sort(), [
    'audit-000000000000001.jsonl',
    'audit-000000000000004.jsonl',
    'audit-000000000000007.jsonl',
    'audit-000000000000010.jsonl',
    'reserve',
  ]);
  const whole = await verifyAudit(dir);
  assert.deepEqual([whole.ok, whole.records], [true, 12]);
  await rm(join(dir, 'audit-000000000000007.jsonl'));
  const holed = await verifyAudit(dir);
  assert.equal(holed.ok, false);
  assert.match(holed.firstBreak?.file ?? '', /audit-000000000000010\.jsonl$/);
  assert.equal(holed.firstBreak?.reason, 'expected record 7, got 10');
});

test('keeps its size and age, and what is left still verifies from where it begins [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock, fileBytes: 600, retention: { keepBytes: 1_500, keepMs: 1e15 } });
  for (const record of numbered(30)) await trail.append(record);
  await trail.close();
  const files = (await readdir(dir)).filter((name) => name.startsWith('audit-')).sort();
  assert.deepEqual(files, [
    'audit-000000000000022.jsonl',
    'audit-000000000000025.jsonl',
    'audit-000000000000028.jsonl',
  ]);
  const kept = await verifyAudit(dir);
  assert.deepEqual([kept.ok, kept.records, kept.head?.sequence], [true, 9, 30]);
  await rm(join(dir, 'audit-000000000000022.jsonl'));
  assert.equal((await verifyAudit(dir)).firstBreak?.reason, 'expected record 22, got 25');
  await rm(join(dir, 'start.json'));
  assert.equal((await verifyAudit(dir)).firstBreak?.reason, 'expected record 1, got 25');
});

test('removes a file a year after its last record, and never the one that is written to [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock, fileBytes: 600 });
  for (const record of numbered(9)) await trail.append(record);
  await trail.close();
  const long = new Date(clock.nowMs() - 366 * 86_400_000);
  for (const name of await readdir(dir)) await utimes(join(dir, name), long, long);
  const again = await openAuditTrail({ dir, clock, fileBytes: 600 });
  await again.close();
  assert.deepEqual((await readdir(dir)).sort(), ['audit-000000000000007.jsonl', 'reserve', 'start.json']);
  assert.deepEqual((await verifyAudit(dir)).ok, true);
});

test('finds a change of any octet, and a line that was removed or moved [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock });
  for (const record of numbered(3)) await trail.append(record);
  await trail.close();
  const path = join(dir, FIRST);
  const good = await readFile(path);
  for (let offset = 0; offset < good.length - 1; offset++) {
    const changed = Buffer.from(good);
    changed[offset] = (changed[offset] ?? 0) ^ 0x01;
    await writeFile(path, changed);
    assert.equal((await verifyAudit(path)).ok, false, `offset ${offset}`);
  }
  const [one, two, three] = good.toString().trimEnd().split('\n');
  for (const lines of [
    [one, three],
    [two, one, three],
    [one, two, two, three],
  ]) {
    await writeFile(path, `${lines.join('\n')}\n`);
    assert.equal((await verifyAudit(path)).ok, false);
  }
});

test('cuts a torn tail off at start, wherever the crash came, and says so [TS-31]', async (t) => {
  const dir = await folder(t);
  const path = join(dir, FIRST);
  const trail = await openAuditTrail({ dir, clock });
  for (const record of numbered(3)) await trail.append(record);
  await trail.close();
  const good = await readFile(path);
  const firstEnd = good.indexOf('\n') + 1;
  const secondEnd = good.indexOf('\n', firstEnd) + 1;
  for (let size = firstEnd + 1; size < secondEnd; size += 7) {
    await writeFile(path, good);
    await truncate(path, size);
    const again = await openAuditTrail({ dir, clock });
    assert.equal(again.head.sequence, 2, `size ${size}`);
    await again.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(JSON.parse(lines[1] ?? '').event, 'audit/torn-tail-cut');
    assert.deepEqual(JSON.parse(lines[1] ?? '').detail, { bytes: size - firstEnd });
    assert.equal((await verifyAudit(dir)).ok, true);
  }
});

test('goes on behind a broken chain in a new file and leaves the break to be seen [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock });
  for (const record of numbered(3)) await trail.append(record);
  await trail.close();
  const path = join(dir, FIRST);
  await writeFile(path, (await readFile(path, 'utf8')).replace('"e2"', '"eX"'));
  const again = await openAuditTrail({ dir, clock });
  await again.append({ event: 'goes on' });
  await again.close();
  const verified = await verifyAudit(dir);
  assert.deepEqual(verified.firstBreak && { line: verified.firstBreak.line, reason: verified.firstBreak.reason }, {
    line: 2,
    reason: 'the content does not have the hash it names',
  });
  const newest =
    (await readdir(dir))
      .filter((name) => name.startsWith('audit-'))
      .sort()
      .at(-1) ?? '';
  assert.match(await readFile(join(dir, newest), 'utf8'), /audit\/break-found[\s\S]*goes on/);
});

test('does not write over a file that is broken from its first line on [TS-31]', async (t) => {
  const dir = await folder(t);
  const broken = `${'x'.repeat(50)}\n`;
  await writeFile(join(dir, FIRST), broken);
  const trail = await openAuditTrail({ dir, clock });
  await trail.close();
  assert.equal(await readFile(join(dir, FIRST), 'utf8'), broken);
});

test('cuts off a tail that is longer than what follows, and chains a file without a whole line to the one before [TS-31]', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock, fileBytes: 600 });
  for (const record of numbered(4)) await trail.append(record);
  await trail.close();
  const second = join(dir, 'audit-000000000000004.jsonl');
  await writeFile(second, 'z'.repeat(5_000));
  const again = await openAuditTrail({ dir, clock });
  assert.equal(again.head.sequence, 4);
  await again.close();
  const verified = await verifyAudit(dir);
  assert.deepEqual([verified.ok, verified.records, verified.tornBytes], [true, 4, 0]);
});

test('finds a record of another trail with the right number [TS-31]', async (t) => {
  const dir = await folder(t);
  const other = await folder(t);
  for (const [where, event] of [
    [dir, 'a'],
    [other, 'b'],
  ] as const) {
    const trail = await openAuditTrail({ dir: where, clock });
    await trail.append({ event });
    await trail.append({ event });
    await trail.close();
  }
  const [mine] = (await readFile(join(dir, FIRST), 'utf8')).split('\n');
  const [, theirs] = (await readFile(join(other, FIRST), 'utf8')).split('\n');
  await writeFile(join(dir, FIRST), `${mine}\n${theirs}\n`);
  assert.equal((await verifyAudit(dir)).firstBreak?.reason, 'does not follow the record before');
});

/** A file whose next operations fail as told. */
const failing = (fault: { datasync?: boolean; hang?: Promise<void> }) => async (path: string) => {
  const file = await openAuditFile(path);
  return {
    ...file,
    datasync: async () => {
      if (fault.datasync) throw new Error('EIO: i/o error, fdatasync');
      await fault.hang;
      await file.datasync();
    },
  };
};

test('after a failed synchronisation nothing is claimed to be durable any more [TS-31]', async (t) => {
  const dir = await folder(t);
  const fault = { datasync: true };
  const trail = await openAuditTrail({ dir, clock, openFile: failing(fault) });
  await assert.rejects(trail.append({ event: 'one' }), { code: 'us/audit-unwritable' });
  fault.datasync = false;
  await assert.rejects(trail.append({ event: 'two' }), { code: 'us/audit-unwritable' });
  await trail.close();
});

test('a disk that does not answer is an error after two seconds, not a hang [TS-31]', async (t) => {
  const dir = await folder(t);
  const ticking = createFakeClock();
  let release = () => {};
  const hang = new Promise<void>((resolve) => {
    release = resolve;
  });
  const trail = await openAuditTrail({ dir, clock: ticking, openFile: failing({ hang }) });
  const first = assert.rejects(trail.append({ event: 'one' }), { code: 'us/audit-stalled' });
  await until(() => ticking.sleepers === 1, 'the write begins');
  const second = assert.rejects(trail.append({ event: 'two' }), { code: 'us/audit-stalled' });
  await ticking.advance(2_000);
  await first;
  await second;
  await assert.rejects(trail.append({ event: 'three' }), { code: 'us/audit-stalled' });
  release();
  await settle();
  await until(
    () =>
      trail.append({ event: 'four' }).then(
        () => true,
        () => false,
      ),
    'the disk answers again',
  );
  await trail.close();
  assert.equal((await verifyAudit(dir)).ok, true);
});

test('refuses more waiting records than it may hold, and records after its end', async (t) => {
  const dir = await folder(t);
  const trail = await openAuditTrail({ dir, clock });
  const all = await Promise.allSettled(numbered(10_001).map((record) => trail.append(record)));
  assert.deepEqual(
    all.filter((each) => each.status === 'rejected').map((each) => each.reason.code),
    ['us/audit-overloaded'],
  );
  await trail.close();
  await trail.close();
  await assert.rejects(trail.append({ event: 'late' }), { code: 'us/audit-closed' });
});

test('keeps every record that was acknowledged when the process is killed [TS-31]', async (t) => {
  const dir = await folder(t);
  const script = `
    import { openAuditTrail } from '#audit/trail.ts';
    import { createSystemClock } from '#base/clock.ts';
    const trail = await openAuditTrail({ dir: ${JSON.stringify(dir)}, clock: createSystemClock() });
    for (let n = 1; ; n++) { await trail.append({ event: 'e' + n }); process.stdout.write(n + '\\n'); }`;
  const child = spawn(process.execPath, ['--conditions=parley-source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  child.stdout.on('data', (text: Buffer) => {
    acknowledged = Number(text.toString().trimEnd().split('\n').at(-1)) || acknowledged;
  });
  await until(() => acknowledged > 50, 'records are acknowledged');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const trail = await openAuditTrail({ dir, clock });
  await trail.close();
  const verified = await verifyAudit(dir);
  assert.equal(verified.ok, true);
  assert.ok(verified.records >= acknowledged, `${verified.records} of ${acknowledged}`);
});
