// Folders and files that are still there after a power cut: made from above, each name durable before the next.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder } from '#base/files.ts';

const dir = mkdtempSync(join(tmpdir(), 'parley-files-'));
after(() => rmSync(dir, { recursive: true }));

test('folders are made down to the last, with their mode, and a second time nothing is wrong', async () => {
  const path = join(dir, 'one/two/three');
  await makeFolder(path, 0o700);
  await makeFolder(path, 0o700);
  for (const each of ['one', 'one/two', 'one/two/three']) assert.equal(statSync(join(dir, each)).mode & 0o777, 0o700);
});

test('a file in the way is said', async () => {
  writeFileSync(join(dir, 'file'), '');
  await assert.rejects(makeFolder(join(dir, 'file')), { code: 'EEXIST' });
  await assert.rejects(makeFolder(join(dir, 'file/below')), { code: 'ENOTDIR' });
});
