// Which unit tests share a process: none is lost, none runs twice, and what keeps something for its whole file runs alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { listFiles, ROOT } from '../scripts/source-files.ts';
import { inSharedProcesses } from '../scripts/test-groups.ts';

test('files of one folder share a process, but for those with hooks at the top', () => {
  const { files, shared } = inSharedProcesses([
    'test/codec/arp.test.ts',
    'test/codec/dns.test.ts',
    'test/cli/report/diff.test.ts',
  ]);
  assert.deepEqual(
    files.map((path) => basename(path)),
    ['test-codec.test.mjs', 'diff.test.ts'],
  );
  assert.deepEqual(shared, [join(ROOT, 'test/codec/arp.test.ts'), join(ROOT, 'test/codec/dns.test.ts')]);
  assert.equal(readFileSync(files[0]!, 'utf8'), shared.map((path) => `import ${JSON.stringify(path)};\n`).join(''));
});

test('every file is run, and once', () => {
  const all = listFiles(ROOT, ['test'], '.test.ts');
  const { files, shared } = inSharedProcesses(all);
  const alone = files.filter((path) => path.startsWith(ROOT));
  assert.deepEqual([...shared, ...alone].sort(), all.map((path) => join(ROOT, path)).sort());
});
