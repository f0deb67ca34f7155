// The gate of the requirements: what is marked done or partial has a citing test, no test cites an unknown id, and
// docs/requirements.md is what the table and the tests say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { missingLines, ROOT, sourceOf } from '../scripts/source-files.ts';
import {
  citationsOf,
  collectCitations,
  faultsBetween,
  parseTable,
  REQUIREMENTS,
  renderRequirements,
} from './requirements.ts';

const COUNTS = { CARD: 11, TS: 36, NET: 20, AX: 21 };

test('the table lists every requirement of the drafts and of the outline', () => {
  for (const [family, count] of Object.entries(COUNTS)) {
    const numbers = REQUIREMENTS.filter(({ id }) => id.startsWith(`${family}-`)).map(({ id }) =>
      id.slice(family.length + 1),
    );
    assert.equal(numbers.length, count, family);
    const whole = numbers.filter((number) => !number.endsWith('a')).map(Number);
    assert.deepEqual(
      whole,
      Array.from(whole, (_, index) => index + 1),
      family,
    );
  }
  const lettered = REQUIREMENTS.map(({ id }) => id).filter((id) => id.endsWith('a'));
  assert.deepEqual(lettered, ['TS-7a', 'TS-14a', 'AX-13a']);
});

test('every requirement that is done or partial is cited by a test, and every cited id is known', () => {
  assert.deepEqual(faultsBetween(REQUIREMENTS, collectCitations()), []);
});

test('docs/requirements.md is what npm run requirements writes', () => {
  const written = readFileSync(join(ROOT, 'docs/requirements.md'), 'utf8');
  const stale = missingLines(written, renderRequirements(REQUIREMENTS, collectCitations()));
  assert.deepEqual(stale, [], 'stale, run npm run requirements');
});

test('the gate finds missing, unknown, doubled and ill-described requirements', () => {
  const table = parseTable(
    'TS-1 | must | done | a\nTS-2 | must | partial | b\nTS-3 | may | open | c\nTS-3 | may | open | c',
  );
  const citations = [{ id: 'TS-99', file: 'test/a.test.ts', line: 7, name: 'x [TS-99]' }];
  assert.deepEqual(faultsBetween(table, citations), [
    'TS-1 is done, but no test cites it',
    'TS-2 is partial, but no test cites it',
    'TS-2 is partial: only a partial one says what is missing',
    'TS-3 is listed twice',
    'test/a.test.ts:7 cites TS-99, which is not in the table',
  ]);
  assert.throws(() => parseTable('TS-1 | must | finished | a'), /expected "id \| level/);
});

test('citations are read from the names of tests and from nowhere else', () => {
  const text =
    "// [TS-1]\nconst a = '[TS-2]';\ntest('b [TS-13, CARD-2]', f);\n  await t.test(\n    `c [NET-14] d [0-9]`, f);\ntext('[TS-3]');";
  const citations = citationsOf(sourceOf('test/a.test.ts', text));
  assert.deepEqual(
    citations.map(({ id, line }) => `${id}@${line}`),
    ['TS-13@3', 'CARD-2@3', 'NET-14@4'],
  );
});
