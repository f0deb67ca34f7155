// Which unit tests share a process. A process for each file spends most of its time on starting and loading the sources: files that keep nothing
// for a whole file (no hooks at the top, nothing of the process changed) are loaded by one process for each folder of src; the others keep one each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

export type TestGroups = {
  /** Absolute paths of what the runner is to start, a process each: groups first, they last longest. */
  readonly files: readonly string[];
  /** Absolute paths of the test files inside groups: each must be heard of. */
  readonly shared: readonly string[];
};

/** Hooks at the top of a file would be run for every file of the process; so would its changes of the process. */
const KEEPS_STATE =
  /^(?:before|after|beforeEach|afterEach)\(|\bmock\.|process\.(?:chdir|on|once|exitCode|env\[[^\]]+\] *\??\??=[^=])/m;

/** @param paths test files, relative to the root of the project */
export function inSharedProcesses(paths: readonly string[]): TestGroups {
  const groups = Map.groupBy(paths, (path) => (keepsState(ROOT, path) ? '' : path.split('/').slice(0, 2).join('/')));
  const alone = groups.get('') ?? [];
  groups.delete('');
  const home = mkdtempSync(join(tmpdir(), 'parley-test-groups-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const loaders = [...groups].map(([folder, members]) => {
    const loader = join(home, `${folder.replaceAll('/', '-')}.test.mjs`);
    writeFileSync(loader, members.map((path) => `import ${JSON.stringify(join(ROOT, path))};\n`).join(''));
    return loader;
  });
  return {
    files: [...loaders, ...alone.map((path) => join(ROOT, path))],
    shared: [...groups.values()].flat().map((path) => join(ROOT, path)),
  };
}

/** True for a test file that needs a process of its own. */
export function keepsState(root: string, path: string): boolean {
  return KEEPS_STATE.test(readFileSync(join(root, path), 'utf8'));
}
