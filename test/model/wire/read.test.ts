// Decoders that are made from schemas: rows that are right are kept, everything else is left out, nothing throws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { count, counter64, filledRows, flag, mark, neededRows, rows, someRows, text } from '#model/wire/fields.ts';
import { readerOf, rowsOf } from '#model/wire/read.ts';

const row = z.object({
  name: text,
  packets: counter64.exactOptional(),
  kind: z.enum(['one', 'other']).catch('other'),
  up: flag,
  negated: mark,
  tags: rows(text, 2),
  seen: someRows(count),
  hops: filledRows(text),
  pair: z.tuple([count, count]).exactOptional(),
  whole: z.array(count).max(3).exactOptional(),
  rtt: z
    .object({ min: z.number(), max: z.number() })
    .refine(({ min, max }) => min <= max)
    .nullable()
    .catch(null),
});
const read = readerOf(row);
const BARE = { name: 'a', kind: 'other', up: false, tags: [], rtt: null };

test('a row with all members right is kept as it is, without members that the schema does not name', () => {
  const full = {
    ...{ name: 'a', packets: '18446744073709551615', kind: 'one', up: true, negated: true, tags: ['x'], seen: [] },
    ...{ hops: ['h'], pair: [1, 2], whole: [1, 2, 3], rtt: { min: 1, max: 2 } },
  };
  assert.deepEqual(read({ ...full, more: 'text' }), full);
});

test('a malformed member is left out, or is what the schema says in its stead; a missing one too', () => {
  const wrong = {
    ...{ name: 'a', packets: '1e9', kind: 'third', up: 'yes', negated: false, tags: 'x', seen: 7, hops: [] },
    ...{ pair: [1, 2, 3], whole: [1, 'x'], rtt: { min: 3, max: 2 } },
  };
  assert.deepEqual(read(wrong), BARE);
  assert.deepEqual(read({ name: 'a' }), BARE);
  assert.deepEqual(read({ name: 'a', pair: [1, -2], whole: [1, 2, 3, 4], rtt: 7, hops: [7] }), BARE);
});

test('a row without a member that it needs is none', () => {
  for (const value of [undefined, null, 7, 'a', [], {}, { name: 7 }]) assert.equal(read(value), undefined);
});

test('lists leave out malformed rows and those beyond their bound', () => {
  assert.deepEqual(read({ name: 'a', tags: [7, 'x', null, 'y', 'z'], seen: [1, -1, 1.5, 2] }), {
    ...BARE,
    tags: ['x', 'y'],
    seen: [1, 2],
  });
  const few = rowsOf(row, 2);
  assert.deepEqual(
    few([7, { name: 'a' }, { name: 3 }, { name: 'b' }, { name: 'c' }]).map(({ name }) => name),
    ['a', 'b'],
  );
  for (const value of [undefined, null, 7, {}]) assert.deepEqual(few(value), []);
});

test('a list that is needed makes its row none where it is missing, and not where its rows are wrong', () => {
  const outer = readerOf(z.object({ rows: neededRows(row) }));
  assert.equal(outer({}), undefined);
  assert.deepEqual(outer({ rows: [7] }), { rows: [] });
});

test('a record keeps the entries whose value is right', () => {
  assert.deepEqual(readerOf(z.record(z.string(), counter64))({ a: '1', b: 2, c: 'x' }), { a: '1' });
});

test('any JSON at all is read or left out, never thrown at', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      read(value);
      read({ name: 'a', tags: value, pair: value, rtt: value, whole: value });
    }),
    { numRuns: 300, seed: 20261122 },
  );
});
