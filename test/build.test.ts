// The build that is installed on routers: compiled into a temporary folder, it runs on plain Node, where `#folder/x.ts`
// resolves to JavaScript through the default condition of package.json.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { copyPages } from '../scripts/copy-pages.ts';
import { ROOT } from '../scripts/source-files.ts';

const exec = promisify(execFile);
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-build-'));
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await exec(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], {
    cwd: ROOT,
  });
  await copyPages(join(folder, 'dist'));
});

after(() => rm(folder, { recursive: true, force: true }));

function node(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return exec(process.execPath, [...args], { cwd: folder });
}

test('the command runs from the build without conditions or type stripping [CARD-10, CARD-11]', async () => {
  const { stdout } = await node(['--no-strip-types', 'dist/main.js', '--help']);
  assert.match(stdout, /^Usage: parley /m);
});

test('the public API loads from the build under the name of the package', async () => {
  const { stdout } = await node([
    '--no-strip-types',
    '--input-type=module',
    '-e',
    "console.log(Object.keys(await import('parley')).length)",
  ]);
  assert.ok(Number(stdout) > 0, stdout);
});

test('the build holds a file for each source and no TypeScript but declarations', async () => {
  const built = await readdir(join(folder, 'dist'), { recursive: true });
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true })).filter((path) => path.endsWith('.ts'));
  assert.deepEqual(
    sources.map((path) => path.replace(/\.ts$/, '.js')).filter((path) => !built.includes(path)),
    [],
  );
  assert.deepEqual(
    built.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')),
    [],
  );
  const main = await readFile(join(folder, 'dist/main.js'), 'utf8');
  assert.doesNotMatch(main, /from '\.\/[^']*\.ts'/);
});

test('the build serves every file of the operators’ page, modules of the verifier included [TS-12]', async () => {
  const { stdout } = await node([
    '--no-strip-types',
    '--input-type=module',
    '-e',
    `const { createAssets } = await import('./dist/console/assets.js');
    const assets = createAssets();
    for (const path of assets.paths) console.log(path, (await assets.load(path)).text.length > 100);`,
  ]);
  const lines = stdout.trim().split('\n');
  assert.ok(lines.includes('/ true') && lines.includes('/console/sign/portable/ed25519.js true'), stdout);
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(' true')),
    [],
  );
});
