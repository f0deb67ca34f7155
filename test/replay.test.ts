// Kept cases of real FRR networks, each with what was diagnosed of it: the same evidence is diagnosed the same (docs/replay.md).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { caseFiles } from '../scripts/replay/case-files.ts';
import { replayFile, type Wanted } from '../scripts/replay/run.ts';
import { linesOf } from '../scripts/replay/summary.ts';
import { ROOT } from '../scripts/source-files.ts';

const WANTED = JSON.parse(readFileSync(join(ROOT, 'scripts/replay/wanted.json'), 'utf8')) as Wanted;
const files = caseFiles([join(ROOT, 'test/replay/cases')]);

test('there are cases of every verdict', () => {
  const verdicts = new Set(files.map((file) => basename(file).split('-')[0]));
  assert.deepEqual([...verdicts].sort(), ['fault', 'healthy', 'inconclusive']);
});

for (const file of files) {
  test(`${basename(file, '.json.br')} is diagnosed as it was [TS-17]`, () => {
    const replayed = replayFile(file, {}, WANTED);
    if (replayed.state !== 'wanted') assert.deepEqual(linesOf(replayed), []);
  });
}
