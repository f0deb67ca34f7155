// Files are read as a whole or not at all, and never beyond the bound.
import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readWhole } from '#base/files.ts';

test('a file within the bound is read as a whole, a larger one not at all, without holding it [TS-22]', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-read-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'list');
  await writeFile(file, 'x'.repeat(100_000));
  assert.equal((await readWhole(file, 100_000))?.length, 100_000);
  assert.equal(await readWhole(file, 99_999), undefined);
  assert.equal(await readWhole(join(folder, 'none'), 10), undefined);
  // Says no size, and has some.
  assert.match((await readWhole('/proc/self/status', 100_000)) ?? '', /^Name:/);
  // A GiB of nothing: a reader that held it would show.
  await truncate(file, 1_073_741_824);
  const before = process.memoryUsage().rss;
  assert.equal(await readWhole(file, 4_194_304), undefined);
  assert.ok(process.memoryUsage().rss - before < 100_000_000);
});
