// Kept cases of which a part of the evidence is not there, or is of another size or age: a diagnosis always comes, and concludes what is
// recorded (`npm run replay -- --record-partial test/replay/partial.json test/replay/cases`; read what changes before it is kept).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { CASE, caseFiles } from '../../scripts/replay/case-files.ts';
import { firstOfEachKind, type PartialConclusions, partialConclusionsOf } from '../../scripts/replay/partial.ts';
import { ROOT } from '../../scripts/source-files.ts';

const RECORDED = JSON.parse(readFileSync(join(ROOT, 'test/replay/partial.json'), 'utf8')) as Readonly<
  Record<string, PartialConclusions>
>;
const FIRSTS = firstOfEachKind(caseFiles([join(ROOT, 'test/replay/cases')]));

test('there is a record for the first case of each kind, and no other', () => {
  assert.deepEqual(
    Object.keys(RECORDED),
    FIRSTS.map((file) => basename(file, CASE)),
  );
});

for (const [index, file] of FIRSTS.entries()) {
  const name = basename(file, CASE);
  test(`${name} without parts of its evidence is concluded as recorded`, () => {
    assert.deepEqual(partialConclusionsOf(file, index), RECORDED[name]);
  });
}
