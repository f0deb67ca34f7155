// Ids of calls and of evidence are for people to read: nothing in src takes one apart. What a call is for is in its typed purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineAt, listFiles, ROOT, readSource, type SourceFile } from '../scripts/source-files.ts';

const METHODS =
  'split|match|matchAll|startsWith|endsWith|includes|replace|replaceAll|slice|substring|indexOf|search|at|charAt';
/** A call's id under each of its names; ids of symptoms are another thing. */
const ID = String.raw`(?<!symptom\.)\b(?:id|callId|evidenceId|source)!?`;
const TAKEN_APART: readonly RegExp[] = [
  new RegExp(String.raw`${ID}\??\.(?:${METHODS})\(`, 'g'),
  new RegExp(String.raw`\.(?:exec|test)\(\s*(?:\w+\.)*${ID}\s*\)`, 'g'),
];
/** Beginnings of ids: only the one builder puts an id together. */
const WRITTEN = /['"`](?:before|probe|after|deepen)\/|(?<!\/)\/\^\(?\??:?(?:before|probe|after|deepen)[|/\\]/g;

/** Folders in which `id` is a call's or its evidence's; in all others only `callId` and `evidenceId` are. */
const FOLDERS = [
  'src/measure/',
  'src/correlate/',
  'src/agent/investigation',
  'src/fanout/',
  'src/evidence/',
  'src/agent/investigate.ts',
];

function found({ path, text }: Pick<SourceFile, 'path' | 'text'>): readonly string[] {
  const isTheirs = FOLDERS.some((folder) => path.startsWith(folder));
  const hits = [...TAKEN_APART, WRITTEN].flatMap((pattern) => [...text.matchAll(pattern)]);
  return hits
    .filter(([hit]) => isTheirs || /callId|evidenceId|['"`^]/.test(hit))
    .map(({ 0: hit, index }) => `${path}:${lineAt(text, index)}: ${hit}`);
}

test('no id of a call is taken apart, or put together beside the builder', () => {
  const files = listFiles(ROOT, ['src'], '.ts').map((path) => readSource(ROOT, path));
  assert.ok(files.length > 600);
  assert.deepEqual(files.flatMap(found), []);
});

test('each way of taking an id apart is seen', () => {
  const ways = [
    "id.split('/')",
    "entry.id.endsWith('/srv6')",
    'probe.source.endsWith(again)',
    "outcome.callId.startsWith('x')",
    'SILENT.test(entry.id)',
    'KNOWN.exec(callId)',
    'const id = `probe/$' + '{node}`',
    String.raw`/^(?:probe|deepen)\/x/`,
  ];
  for (const text of ways) assert.equal(found({ path: 'src/correlate/x.ts', text }).length, 1, text);
  const others = ['symptom.id.slice(4)', "resource.split('/')", 'known.has(id)', 'ids.includes(each)'];
  for (const text of others) assert.deepEqual(found({ path: 'src/correlate/x.ts', text }), [], text);
});
