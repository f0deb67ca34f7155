// Names (AX-3): one to one, the same whatever else is there, and nothing left out without a word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostNameOf, localNames, parseName } from '#aggregate/names/names.ts';

const segment = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const name = fc.array(segment, { minLength: 1, maxLength: 9 }).map((segments) => segments.join('.'));

test('names for MCP hosts are at most 64 of A-Z, a-z, 0-9, "_" and "-" [AX-3]', () => {
  fc.assert(
    fc.property(name, (each) => /^[A-Za-z0-9_-]{1,64}$/.test(hostNameOf(each))),
    { numRuns: 500 },
  );
});

test('two names never have one form for MCP hosts [AX-3]', () => {
  const confusable = fc
    .array(fc.constantFrom('a', '_', '.', '__', 'b'), { minLength: 1, maxLength: 7 })
    .map((parts) => parts.join(''))
    .filter((each) => parseName(each).ok);
  fc.assert(
    fc.property(confusable, confusable, (one, other) => one === other || hostNameOf(one) !== hostNameOf(other)),
    { numRuns: 2_000 },
  );
});

test('plain names keep their words, and long or ambiguous ones end with their digest [AX-3]', () => {
  assert.equal(hostNameOf('edge.files.read_file'), 'edge__files__read_file');
  assert.equal(hostNameOf('a.b__c'), 'a__b__c-44b440f74f86');
  assert.notEqual(hostNameOf('a__b.c'), hostNameOf('a.b__c'));
  assert.equal(hostNameOf(`${'region.'.repeat(12)}x`).length, 64);
});

test('a leaf that names its tools with dots or capitals gets names that are segments [AX-3]', () => {
  const { named, refused } = localNames(['network.cli.exec', 'getTinyImage', 'plain']);
  assert.deepEqual(Object.fromEntries(named), {
    plain: 'plain',
    network_cli_exec: 'network.cli.exec',
    gettinyimage: 'getTinyImage',
  });
  assert.deepEqual(refused, []);
});

test('names that would become the same all get a digest, in any order [AX-3]', () => {
  const one = localNames(['a.b', 'a:b', 'a_b']);
  const other = localNames(['a_b', 'a:b', 'a.b']);
  assert.deepEqual(new Map([...one.named].sort()), new Map([...other.named].sort()));
  assert.equal(one.named.get('a_b'), 'a_b');
  assert.equal(one.named.size, 3);
});

test('empty, endless and homoglyph names are refused with a reason [AX-3]', () => {
  const { named, refused } = localNames(['', 'x'.repeat(10_000), '\u0435cho', 'e cho']);
  assert.equal(named.size, 0);
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    [
      'expected a name, got an empty one',
      'expected a name of at most 1024 characters, got 10000',
      'expected a name in printable ASCII, got other characters',
      'expected a name in printable ASCII, got other characters',
    ],
  );
});

test('every name of a leaf is either listed or refused, and each listed one leads back [AX-3]', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 80 }), { maxLength: 20 }), (originals) => {
      const { named, refused } = localNames(originals);
      return named.size + refused.length === originals.length && new Set(named.values()).size === named.size;
    }),
    { numRuns: 300 },
  );
});

test('a whole name has at most 255 characters [AX-3]', () => {
  assert.equal(parseName(Array(5).fill('a'.repeat(60)).join('.')).ok, false);
  assert.equal(parseName('a..b').ok, false);
  assert.equal(parseName('a.B').ok, false);
});
