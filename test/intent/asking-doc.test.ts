// Every question that the page about asking shows is understood as it says there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operations/asking.md'), 'utf8');
const rows = [...PAGE.matchAll(/^\| `([^`]+)` \| `([a-z-]+)` \|/gm)].map(
  ([, question = '', kind]) => [question, kind] as const,
);
const structures = [...PAGE.matchAll(/^parley ask '(\{.*\})'$/gm)].map((match) => match[1] ?? '');

test('the questions of docs/operations/asking.md are of the kind that it says [TS-7a]', () => {
  assert.equal(rows.length, 33);
  for (const [question, kind] of rows) {
    const parsed = parseIntent(question);
    assert.equal(parsed.ok && parsed.intent.kind, kind, question);
  }
});

test('the structures and everyday words of docs/operations/asking.md are understood [TS-7a]', () => {
  assert.equal(structures.length, 5);
  const words = /^Many other words will do: (.*)\.$/m.exec(PAGE)?.[1]?.match(/(?<=`)[^`,]+(?=`)/g) ?? [];
  assert.equal(words.length, 4);
  for (const text of [...structures, ...words]) assert.equal(parseIntent(text).ok, true, text);
});
