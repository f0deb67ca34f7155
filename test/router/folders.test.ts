// The folders of src/router: which of them may import which, so that a reader can tell what runs with a privilege.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { importsOf, listFiles, ROOT, readSource } from '../../scripts/source-files.ts';

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  native: [],
  protocol: ['native'],
  helper: ['native', 'protocol'],
  config: ['protocol'],
  rollback: ['config'],
  // Of config: the bookkeeping of commits, and how texts and rules are compared; none of it needs a privilege.
  drivers: ['native', 'protocol', 'config'],
};

/** Bounds and bounded maps that these folders share; they import nothing. */
const SHARED = ['src/router/limits.ts', 'src/router/bounded-maps.ts'];

const sources = listFiles(ROOT, ['src/router'], '.ts').map((path) => readSource(ROOT, path));

/** `src/router/helper/hosts/hosts.ts` is in `helper`. */
const folderOf = (path: string) => path.split('/')[2] ?? '';
const edges = sources.flatMap((file) =>
  importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => ({ from: file.path, to: normalize(join(dirname(file.path), specifier)) })),
);

test('each folder of the router imports only those that its row lists', () => {
  const faults = edges
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !SHARED.includes(to))
    .filter(({ from, to }) => MAY_IMPORT[folderOf(from)]?.includes(folderOf(to)) !== true)
    .map(({ from, to }) => `${from} imports ${to}`);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    SHARED.flatMap((path) => importsOf(readSource(ROOT, path))),
    [],
  );
});

test('no two inner folders of the router import each other, by way of others either', () => {
  const roomOf = (path: string) => dirname(path);
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    // A file beside subfolders is a room of its own: it may use them, and what they use.
    const [one, other] = [from, to].map((path) => (ROOMS_WITH_ROOMS.has(dirname(path)) ? path : roomOf(path)));
    if (one !== other) next.set(one!, (next.get(one!) ?? new Set()).add(other!));
  }
  const reaches = (start: string): boolean => {
    const seen = new Set<string>();
    const open = [...(next.get(start) ?? [])];
    for (let room = open.pop(); room !== undefined; room = open.pop()) {
      if (room === start) return true;
      if (seen.has(room)) continue;
      seen.add(room);
      open.push(...(next.get(room) ?? []));
    }
    return false;
  };
  assert.deepEqual([...next.keys()].filter(reaches), []);
});

test('every folder of the router that has a row says in a README what lives there', () => {
  const folders = ['', ...Object.keys(MAY_IMPORT), 'drivers/linux-frr', 'drivers/netconf', 'drivers/embedded'];
  assert.deepEqual(
    folders.filter((folder) => !existsSync(join(ROOT, 'src/router', folder, 'README.md'))),
    [],
  );
});

/** Folders in which files lie beside subfolders. */
const ROOMS_WITH_ROOMS = new Set(
  sources.map(({ path }) => dirname(dirname(path))).filter((folder) => folder.startsWith('src/router')),
);
