// The folder in which FRR's programs find a text: two who check at once never see each other's.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createStaging } from '#router/config/staged-text.ts';

test('two validations at once each find their own text, and a failed one hinders nobody [NET-15]', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-staged-'));
  t.after(() => rm(folder, { recursive: true }));
  const check = createStaging(join(folder, 'check'));
  const look = async (file: string) => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return readFile(file, 'utf8');
  };
  const failed = assert.rejects(
    check('router isis one\n', () => Promise.reject(new Error('the program failed'))),
    /the program failed/,
  );
  assert.deepEqual(await Promise.all([check('interface eth0\n', look), check('interface eth1\n', look)]), [
    'interface eth0\n',
    'interface eth1\n',
  ]);
  await failed;
});
