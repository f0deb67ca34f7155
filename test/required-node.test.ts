// What an npm script says where the Node that it needs was not installed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const { engines, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};

/** As Node `version` would run it: the file reads nothing but the version. */
function runAs(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`;
  const required = join(ROOT, 'scripts/required-node.js');
  const args = [`--import=data:text/javascript,${encodeURIComponent(pretend)}`, `--import=${required}`, '-e', '0'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr };
}

test('an older Node ends with 1 and says how the right one is installed; from the version of `engines` on nothing is said', () => {
  for (const version of ['20.20.2', '22.19.0', '24.11.9']) {
    const { status, stderr } = runAs(version);
    assert.equal(status, 1, version);
    assert.equal(
      stderr,
      `expected Node 24.12 or later, got ${version}: the binary of the package "node" is not installed. npm ci installs it, and npm ci --ignore-scripts does not; to add it: npm rebuild node\n`,
    );
  }
  for (const version of ['24.12.0', '25.0.0']) assert.deepEqual(runAs(version), { status: 0, stderr: '' });
  assert.equal(engines.node, '>=24.12');
});

test('every npm script that runs a TypeScript file looks at the version first', () => {
  const parts = Object.values(scripts).flatMap((script) => script.split(' && '));
  const unchecked = parts.filter((part) => /^node\b.*\.ts\b/.test(part) && !part.includes('scripts/required-node.js'));
  assert.deepEqual(unchecked, []);
});
