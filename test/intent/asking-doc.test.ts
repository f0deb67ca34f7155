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

test('the second questions of docs/operations/asking.md are named, read or refused as it says [TS-7a]', () => {
  const bullets = PAGE.slice(PAGE.indexOf('- Of two questions in one'), PAGE.indexOf('- A part of what is named'));
  const shown = (question: string) => bullets.replace(/\s+/g, ' ').includes(question);
  const named = ['Are there errors on P-2? How many?', 'P-2 is slow, is it me', 'Is P-2 slow? And yesterday?'];
  const read = ['Is P-2 slow? Since when?', 'Are there errors on P-2? On eth1?', 'Since yesterday, is P-2 slow'];
  const refused = [
    ...['Is P-2 slow? And P-4?', 'are there errors on P-2 and loss', 'is P-2 slow and down'],
    ...[
      'P-2 was down yesterday, is it up',
      'the link to P-2 was cut. Is it up?',
      'P-2 talks to the server. Is it slow?',
    ],
    ...['We rebooted P-2. Are its neighbours up?', 'is eth1 on P-2 connected', 'is jumbo enabled on P-2'],
    'is loss expected on P-2',
  ];
  const readingOf = (question: string) => {
    const parsed = parseIntent(question, { nodes: ['PE-1', 'P-2', 'PE-3', 'P-4'], ifnames: ['eth1'] });
    return parsed.ok ? (parsed.intent.notUsed === undefined ? 'read' : 'named') : 'refused';
  };
  for (const question of [...named.slice(0, 2), ...read, ...refused]) assert.equal(shown(question), true, question);
  for (const question of named) assert.equal(readingOf(question), 'named', question);
  for (const question of read) assert.equal(readingOf(question), 'read', question);
  for (const question of refused) assert.equal(readingOf(question), 'refused', question);
});
