// What a power cut leaves of a trail: sectors of the last write in any order, files that were to be removed, names that were not durable yet.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAuditTrail } from '#audit/trail.ts';
import { listAuditFiles, verifyAudit } from '#audit/verify.ts';
import { createFakeClock } from '../fakes/clock.ts';

const clock = createFakeClock();
const folder = async (t: TestContext) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-torn-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
const record = (number: number) => ({ event: `e${number}`, detail: { padding: 'x'.repeat(400) } });

/** Of one file; the last three records are in the write that the power cut. */
async function written(dir: string, count: number): Promise<{ path: string; bytes: Buffer; ends: number[] }> {
  const trail = await openAuditTrail({ dir, clock, reserveBytes: 1 });
  for (let number = 1; number <= count; number++) await trail.append(record(number));
  await trail.close();
  const [path = ''] = await listAuditFiles(dir);
  const bytes = await readFile(path);
  const ends = [...bytes.entries()].flatMap(([at, octet]) => (octet === 0x0a ? [at + 1] : []));
  return { path, bytes, ends };
}

test('sectors that were never written are cut off with what is behind them, kept beside, and said [TS-31]', async (t) => {
  const dir = await folder(t);
  const { path, bytes, ends } = await written(dir, 6);
  // A whole sector within the fourth record's write reads as zeros; the fifth and sixth record are there.
  const sector = Math.ceil(ends[2]! / 512) * 512;
  await writeFile(path, Buffer.from(bytes).fill(0, sector, sector + 512));
  assert.equal(
    (await verifyAudit(dir)).firstBreak?.offset,
    ends.findLast((end) => end <= sector),
  );
  const trail = await openAuditTrail({ dir, clock, reserveBytes: 1 });
  await trail.append(record(7));
  await trail.close();
  const verified = await verifyAudit(dir);
  assert.deepEqual([verified.ok, verified.tornBytes], [true, 0]);
  const good = ends.findLast((end) => end <= sector)!;
  const text = await readFile(path, 'utf8');
  assert.match(text, new RegExp(`"bytes":${bytes.length - good}`));
  assert.equal((await readFile(join(dir, 'torn'))).length, bytes.length - good);
});

test('a damage that is no missing sector is left as it is, and said to be a break [TS-31]', async (t) => {
  const damages = [
    // Another octet; a zero in the middle of a sector; a sector that is not zero to its end.
    (bytes: Buffer, at: number) => bytes.fill(0x21, at + 100, at + 101),
    (bytes: Buffer, at: number) => bytes.fill(0, at + 100, at + 101),
    (bytes: Buffer, at: number) => bytes.fill(0, at, at + 500),
  ];
  for (const damage of damages) {
    const dir = await folder(t);
    const { path, bytes, ends } = await written(dir, 6);
    await writeFile(path, damage(Buffer.from(bytes), Math.ceil(ends[2]! / 512) * 512));
    const before = await readFile(path);
    await (await openAuditTrail({ dir, clock, reserveBytes: 1 })).close();
    assert.deepEqual(await readFile(path), before);
    assert.equal((await verifyAudit(dir)).ok, false);
  }
});

test('a file that retention was removing as the power went is part of the trail again, also a later one than the first [TS-31]', async (t) => {
  const dir = await folder(t);
  const init = { dir, clock, fileBytes: 1_200, reserveBytes: 1, retention: { keepBytes: 4_000, keepMs: 1e12 } };
  const trail = await openAuditTrail(init);
  let removed = new Map<string, Buffer>();
  for (let number = 1; number <= 40; number++) {
    const files = await listAuditFiles(dir);
    const kept = new Map(await Promise.all(files.map(async (path) => [path, await readFile(path)] as const)));
    await trail.append(record(number));
    const left = new Set(await listAuditFiles(dir));
    const gone = [...kept].filter(([path]) => !left.has(path));
    if (gone.length > 0) removed = new Map(gone);
  }
  await trail.close();
  assert.equal(removed.size, 1);
  const [[path, bytes]] = [...removed] as [[string, Buffer]];
  assert.doesNotMatch(path, /0{14}1\.jsonl$/, 'the first file was removed before');
  assert.equal((await verifyAudit(dir)).ok, true);
  await writeFile(path, bytes);
  assert.equal((await verifyAudit(dir)).ok, true);
});

test('the name of a file that is gone on with is made durable before its next record [TS-31]', async (t) => {
  const dir = await folder(t);
  await written(dir, 1);
  const synced: string[] = [];
  const trail = await openAuditTrail({
    dir,
    clock,
    reserveBytes: 1,
    syncNames: async (path) => void synced.push(path),
  });
  await trail.append(record(2));
  await trail.append(record(3));
  await trail.close();
  assert.deepEqual(synced, [dir]);
});
