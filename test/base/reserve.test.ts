// The reserve on a disk: really taken room, and nothing left behind by a process that ended while it made one.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createReserve } from '#base/reserve.ts';

test('a reserve cannot be compressed, and what an ended process left of one is removed', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-reserve-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'reserve');
  await writeFile(`${path}.tmp`, 'begun');
  const reserve = createReserve(path, 65_536);
  assert.equal(await reserve.keep(), true);
  assert.deepEqual(await readdir(dir), ['reserve']);
  assert.ok(gzipSync(await readFile(path)).length > 65_000);
  // Also where there is no room for another.
  await writeFile(`${path}.tmp`, 'begun');
  await reserve.release();
  const tooLarge = createReserve(path, 2 ** 60);
  assert.equal(await tooLarge.keep(), false);
  assert.deepEqual(await readdir(dir), []);
});
