// The folders of src: inner folders import each other in one direction, none is crowded, and each has a README that is true.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findCycle, folderOfFile, foldersOf, roomEdges } from '../scripts/import-graph.ts';
import { listFiles, ROOT, readSource, sourceOf } from '../scripts/source-files.ts';

const sources = listFiles(ROOT, ['src'], '.ts').map((path) => readSource(ROOT, path));

/** Folders with more files than a reader takes in at a glance. */
function crowded(files: readonly { readonly path: string }[]): string[] {
  const counts = Map.groupBy(files, folderOfFile);
  return [...counts].flatMap(([folder, { length }]) => (length > 25 ? [`${folder}: ${length} files, at most 25`] : []));
}

/** Files that a README of src names in backticks and that are not there; `name.ts` and `folder/` are meant from its folder or from src. */
function namesIn(readme: string, text: string): string[] {
  const names = [...text.matchAll(/`([\w./-]+(?:\.ts|\.md|\.yaml|\/))`/g)].map((match) => match[1] ?? '');
  const places = [dirname(readme), 'src', '.'];
  return names.filter((name) => !places.some((place) => existsSync(join(ROOT, place, name))));
}

test('no inner folder of src imports itself by way of other folders', () => {
  assert.equal(findCycle(roomEdges(sources))?.join(' -> '), undefined);
});

test('no folder of src has more than 25 files', () => {
  assert.deepEqual(crowded(sources), []);
});

test('every folder of src has a README of at most 25 lines, and the files that it names exist', () => {
  const faults = [...foldersOf(sources)].flatMap((folder) => {
    const path = `${folder}/README.md`;
    if (!existsSync(join(ROOT, path))) return [`${path} is missing`];
    const text = readFileSync(join(ROOT, path), 'utf8');
    const lineCount = text.split('\n').length - 1;
    const long = lineCount > 25 ? [`${path}: ${lineCount} lines, at most 25`] : [];
    return [...long, ...namesIn(path, text).map((name) => `${path} names ${name}, which does not exist`)];
  });
  assert.deepEqual(faults, []);
});

test('the checks of folders find what they are for', () => {
  const rooms = [
    sourceOf('src/mcp/server.ts', "import './http/a.ts';"),
    sourceOf('src/mcp/http/a.ts', "import '../wire/b.ts';"),
    sourceOf('src/mcp/http/c.ts', "import './a.ts';"),
    sourceOf('src/mcp/wire/b.ts', "import '../http/c.ts';"),
  ];
  assert.deepEqual(findCycle(roomEdges(rooms)), ['src/mcp/http', 'src/mcp/wire', 'src/mcp/http']);
  assert.equal(findCycle(roomEdges(rooms.slice(0, 3))), undefined);
  const many = Array.from({ length: 26 }, (_, index) => ({ path: `src/mcp/${index}.ts` }));
  assert.deepEqual(crowded(many), ['src/mcp: 26 files, at most 25']);
  assert.deepEqual(namesIn('src/mcp/README.md', '`server.ts`, `http/` and `gone.ts`'), ['gone.ts']);
});
