// The mutation benchmark on a small project of its own: what its tests notice is killed, what they do not notice survives.
// Also the hook: a change is seen by the process, by its children and its threads, and nothing on disk changes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Judged } from '../../../bench/mutation/judge.ts';
import { type MeasureInit, measure } from '../../../bench/mutation/measure.ts';
import { runTests } from '../../../bench/mutation/run-tests.ts';
import { environmentOf } from '../../../bench/mutation/served.ts';
import { HANG_MS } from '../../until-written.ts';

const SOURCE = `// A limit.
export function isFull(count: number, most: number): boolean {
  return count >= most;
}
export function rest(count: number, most: number): number {
  while (count > most) count -= 1;
  return most - count;
}
export function never(): string {
  return 'never';
}
`;
const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFull, rest } from '../../src/room/limit.ts';
test('a full room is full', () => assert.equal(isFull(3, 3), true));
test('a rest is a number', () => assert.equal(typeof rest(5, 3), 'number'));
`;
const BROKEN = `import { test } from 'node:test';
import { isFull } from '../../src/room/limit.ts';
test('always fails', () => { throw new Error(String(isFull(1, 2))); });
`;

/** A project in a temporary folder, which goes with the test. */
function project(context: { after(work: () => void): void }, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'pm-project-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function initOf(root: string, over: Partial<MeasureInit> = {}): MeasureInit {
  return {
    root,
    prefixes: ['src/room/'],
    seed: 1,
    count: 100,
    jobs: 2,
    testsEach: 12,
    far: false,
    signal: new AbortController().signal,
    known: new Map(),
    say: () => {},
    keep: () => {},
    ...over,
  };
}

test('a change that a test notices is killed, others survive; the sources stay as they are', async (t) => {
  const root = project(t, {
    'src/room/limit.ts': SOURCE,
    'test/room/limit.test.ts': TEST,
    'test/room/broken.test.ts': BROKEN,
  });
  const kept: Judged[] = [];
  const places = ['3:16:boundary', '7:15:arithmetic', '10:10:empty-string'];
  const ids = places.map((place) => `src/room/limit.ts:${place}`);
  const { judged, failing, files } = await measure(initOf(root, { ids, keep: (each) => kept.push(each) }));
  assert.deepEqual(
    judged.map(({ fate, by }) => [fate, by]),
    [
      ['killed', 'test/room/limit.test.ts: a full room is full'],
      ['survived', undefined],
      ['uncovered', undefined],
    ],
  );
  assert.deepEqual([failing, files, kept.length], [['test/room/broken.test.ts'], 1, 3]);
  assert.equal(readFileSync(join(root, 'src/room/limit.ts'), 'utf8'), SOURCE);
  await assert.rejects(measure(initOf(root, { ids: ['src/room/limit.ts:1:1:zero'] })), /expected the id of a mutant/);
});

test('a folder without files is refused', async (t) => {
  const root = project(t, { 'src/room/limit.ts': SOURCE });
  await assert.rejects(measure(initOf(root, { prefixes: ['src/room/', 'src/gone/'] })), {
    message: 'expected files whose paths begin with src/gone/, got none',
  });
});

test('coverage is measured again only for what changed', async (t) => {
  const root = project(t, { 'src/room/limit.ts': SOURCE, 'test/room/limit.test.ts': TEST });
  const ids = ['src/room/limit.ts:10:10:empty-string'];
  const cache = join(root, 'node_modules/.cache/parley-mutation');
  await measure(initOf(root, { ids }));
  const [name] = readdirSync(cache);
  const marked = { ...JSON.parse(readFileSync(join(cache, name!), 'utf8')), ms: 1 };
  const written = () => JSON.parse(readFileSync(join(cache, name!), 'utf8')).ms as number;
  writeFileSync(join(cache, name!), JSON.stringify(marked));
  await measure(initOf(root, { ids }));
  assert.equal(written(), 1);
  writeFileSync(join(root, 'src/room/limit.ts'), `${SOURCE}// changed\n`);
  await measure(initOf(root, { ids }));
  assert.ok(written() > 1);
});

test('what was judged before is not run again, and nothing is begun after the end', async (t) => {
  const root = project(t, { 'src/room/limit.ts': SOURCE, 'test/room/limit.test.ts': TEST });
  const id = 'src/room/limit.ts:3:16:boundary';
  const known = { id, fate: 'killed', was: '', now: '', operator: 'boundary', tests: 1, leftOut: 0 } as const;
  const signal = AbortSignal.abort();
  const { judged, drawn } = await measure(initOf(root, { known: new Map([[id, known]]), signal }));
  assert.deepEqual(judged, [known]);
  assert.ok(drawn > 5);
});

test('a change is seen by the process, by its children and by its threads', (t) => {
  const root = project(t, {
    'src/a.ts': 'export const far: number = 3;\n',
    'main.ts': "import { far } from './src/a.ts';\nconsole.log(far);\n",
    'parent.ts': [
      "import { execFileSync } from 'node:child_process';",
      "import { Worker } from 'node:worker_threads';",
      "const main = new URL('./main.ts', import.meta.url);",
      "process.stdout.write(execFileSync(process.execPath, [main.pathname], { encoding: 'utf8' }));",
      'new Worker(main);',
    ].join('\n'),
  });
  const served = { file: join(root, 'src/a.ts'), start: 27, end: 28, text: '4' };
  const printed = (name: string, change?: typeof served) =>
    execFileSync(process.execPath, [join(root, name)], {
      encoding: 'utf8',
      env: { ...process.env, ...environmentOf(change) },
    });
  assert.equal(printed('main.ts', served), '4\n');
  assert.equal(printed('parent.ts', served), '4\n4\n');
  assert.equal(printed('parent.ts'), '3\n3\n');
});

test('a file that does not load fails, without a name', async (t) => {
  const root = project(t, { 'test/a.test.ts': "import './missing.ts';\n" });
  const { kind, test: name } = await runTests({ root, files: ['test/a.test.ts'], timeoutMs: HANG_MS });
  assert.deepEqual([kind, name], ['failed', undefined]);
});

test('a change that never ends is ended by the time, with all that it started', async (t) => {
  const root = project(t, { 'src/room/limit.ts': SOURCE, 'test/room/limit.test.ts': TEST });
  const start = SOURCE.indexOf('-=');
  const served = { file: join(root, 'src/room/limit.ts'), start, end: start + 2, text: '+=' };
  const run = { root, files: ['test/room/limit.test.ts'], served };
  const { kind, ms } = await runTests({ ...run, timeoutMs: 4_000 });
  assert.equal(kind, 'timed-out');
  assert.ok(ms >= 3_900, `${ms} ms`);
});
