// Segments in a folder: appended to, begun anew, removed from the front; a disk that refuses stops nothing.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '#base/log.ts';
import { decodeSegment, encodeLine } from '#router/drivers/linux-frr/memory/store/segment.ts';
import { openSegments, type SegmentBounds } from '#router/drivers/linux-frr/memory/store/segment-files.ts';

const DAY_MS = 86_400_000;
const record = (atMs: number) => encodeLine(`{"k":"stop","atMs":${atMs}}`);

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'parley-memory-'));
  try {
    await work(join(parent, 'memory'));
  } finally {
    await rm(parent, { recursive: true });
  }
}

async function opened(dir: string, bounds?: SegmentBounds) {
  const said: string[] = [];
  const log = createLog({ level: 'debug', sink: (line) => said.push(JSON.parse(line).message), now: () => 0 });
  const lines: string[] = [];
  const files = await openSegments({ dir, log, ...(bounds === undefined ? {} : { bounds }) }, (read) =>
    lines.push(...read),
  );
  return { files, lines, said };
}

test('what was appended is read back by the next, which appends to the same segment', () =>
  inFolder(async (dir) => {
    const first = await opened(dir);
    assert.equal(first.files.isFull(0), true);
    await first.files.write([record(1), record(2)], 1);
    assert.equal(first.files.isFull(1), false);
    await first.files.write([record(3)], 3);
    const second = await opened(dir);
    assert.deepEqual(
      second.lines.map((line) => JSON.parse(line).atMs),
      [1, 2, 3],
    );
    assert.equal(second.files.isFull(4), false);
    await second.files.write([record(4)], 4);
    assert.deepEqual(await readdir(dir), ['00000001.log']);
    assert.equal((await opened(dir)).lines.length, 4);
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
    assert.equal((await stat(join(dir, '00000001.log'))).mode & 0o777, 0o600);
  }));

test('a torn last record is cut off and said, and what follows is written behind the last whole one', () =>
  inFolder(async (dir) => {
    const first = await opened(dir);
    await first.files.write([record(1), record(2)], 1);
    const path = join(dir, '00000001.log');
    await writeFile(path, (await readFile(path)).subarray(0, -5));
    const second = await opened(dir);
    assert.equal(second.lines.length, 1);
    assert.deepEqual(second.said, ['the last record of a segment of the memory of days is torn and was cut off']);
    await second.files.write([record(3)], 3);
    const segment = decodeSegment(await readFile(path));
    assert.deepEqual(segment.kind === 'read' && segment.lines.map((line) => JSON.parse(line).atMs), [1, 3]);
  }));

test('a segment is full at its size, after a day, and where the clock was set back', () =>
  inFolder(async (dir) => {
    const { files } = await opened(dir, { segmentBytes: 100, allBytes: 10_000 });
    await files.write([record(5)], 5);
    assert.equal(files.isFull(5), false);
    assert.equal(files.isFull(5 + DAY_MS), true);
    assert.equal(files.isFull(4), true);
    await files.write([record(6), record(7)], 6);
    assert.equal(files.isFull(6), true);
    await files.write([record(8)], 8);
    assert.deepEqual(await readdir(dir), ['00000001.log', '00000002.log']);
  }));

test('the oldest segments go first, of whichever version, and all together stay within their bound', () =>
  inFolder(async (dir) => {
    await mkdir(dir);
    const later = encodeLine('{"parley":"memory","version":9,"atMs":1}');
    await writeFile(join(dir, '00000001.log'), later + 'x'.repeat(500));
    const { files, said } = await opened(dir, { segmentBytes: 300, allBytes: 1_500 });
    assert.deepEqual(said, ['a segment of the memory of days has another version and was not read']);
    await files.write([record(2)], 2);
    assert.ok((await readdir(dir)).includes('00000001.log'));
    for (let turn = 3; turn < 100; turn++) await files.write([record(turn)], turn);
    const names = await readdir(dir);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
    assert.equal(names.includes('00000001.log'), false);
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 1_500);
    const { lines } = await opened(dir);
    assert.equal(JSON.parse(lines.at(-1)!).atMs, 99);
  }));

test('a segment of another version stays as it is, and is not appended to', () =>
  inFolder(async (dir) => {
    await mkdir(dir);
    const later = encodeLine('{"parley":"memory","version":9,"atMs":1}');
    await writeFile(join(dir, '00000004.log'), later);
    const { files } = await opened(dir);
    await files.write([record(1)], 1);
    assert.deepEqual(await readdir(dir), ['00000004.log', '00000005.log']);
    assert.equal(await readFile(join(dir, '00000004.log'), 'utf8'), later);
  }));

test('a folder that was removed meanwhile is made anew', () =>
  inFolder(async (dir) => {
    const { files } = await opened(dir);
    await files.write([record(1)], 1);
    await rm(dir, { recursive: true });
    await assert.rejects(files.write([record(2)], 2));
    assert.equal(files.isFull(3), true);
    await files.write([record(3)], 3);
    assert.deepEqual(
      (await opened(dir)).lines.map((line) => JSON.parse(line).atMs),
      [3],
    );
  }));

test('a write that fails is rejected, and the next one begins where the last good one ended', () =>
  inFolder(async (dir) => {
    // A file stands where the folder should be: as root, a folder that may not be written to can be.
    await writeFile(dir, '');
    const { files, lines } = await opened(dir);
    assert.deepEqual(lines, []);
    await assert.rejects(files.write([record(1)], 1));
    await rm(dir);
    await files.write([record(2)], 2);
    assert.deepEqual(
      (await opened(dir)).lines.map((line) => JSON.parse(line).atMs),
      [2],
    );
  }));
