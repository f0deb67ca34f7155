// The file of a backup: opened before the text is asked for, which uses up a consent, and never left behind empty.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeNew } from '#cli/commands/backup.ts';

test('asks for a backup only where it can be written, over nothing, and leaves no file without one [TS-32]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-backup-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  let asked = 0;
  const sealed = async () => {
    asked++;
    return 'sealed\n';
  };
  await assert.rejects(writeNew(join(dir, 'none/a.backup'), sealed), { code: 'caller/bad-argument' });
  const path = join(dir, 'a.backup');
  await assert.rejects(
    writeNew(path, () => Promise.reject(new Error('it waits for an admin'))),
    { message: 'it waits for an admin' },
  );
  assert.deepEqual([await readdir(dir), asked], [[], 0]);
  await writeNew(path, sealed);
  await assert.rejects(writeNew(path, sealed), { code: 'caller/bad-argument' });
  assert.deepEqual([await readFile(path, 'utf8'), asked], ['sealed\n', 1]);
});
