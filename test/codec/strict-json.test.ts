// What the strict decoder lets through and what it refuses, with the byte offset; fuzzed for totality.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '#base/json.ts';
import { DEFAULT_BOUNDS, decodeStrictJson } from '#codec/strict-json.ts';
import { processorMsOf } from '../processor-time.ts';

const decode = (text: string) => decodeStrictJson(Buffer.from(text));

test('decodes every kind of JSON value', () => {
  const text = ' {"a":[1,-2.5e3,"\\u00e9\\ud83d\\ude00é",true,false,null,{},[]],"b":{"a":0}} \n';
  assert.deepEqual(decode(text), {
    ok: true,
    value: { a: [1, -2500, 'é😀é', true, false, null, {}, []], b: { a: 0 } },
  });
  assert.deepEqual(decode('7'), { ok: true, value: 7 });
});

const REFUSED: readonly (readonly [fact: string, bytes: string | Uint8Array, offset: number | undefined])[] = [
  ['an empty text', '', 0],
  ['white space alone', '  ', 2],
  ['a byte order mark', '\ufeff{}', 0],
  ['UTF-16', Uint8Array.of(0x7b, 0x00, 0x7d, 0x00), 1],
  ['an invalid sequence', Uint8Array.of(0x22, 0xc3, 0xa9, 0xff, 0x22), 3],
  ['a surrogate in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 1],
  ['an overlong form behind a genuine U+FFFD', Uint8Array.of(0x22, 0xef, 0xbf, 0xbd, 0xc0, 0x80, 0x22), 4],
  ['a duplicate name', '{"a":1,"b":2,"a":3}', 13],
  ['a duplicate name in another spelling', '{"a":1,"\\u0061":2}', 7],
  ['a duplicate name deep inside, after two-byte characters', '{"é":[{"x":1,"x":2}]}', 14],
  ['__proto__', '{"__proto__":{"admin":true}}', 1],
  ['__proto__ in disguise', '{"a":{"\\u005f_proto__":1}}', 6],
  ['a lone high surrogate', '["\\ud800"]', 1],
  ['a lone low surrogate as a name', '{"\\udc00":1}', 1],
  ['a number beyond a double', '[1,1e400]', 3],
  ['a long number beyond a double', `[-${'9'.repeat(400)}]`, 1],
  ['something behind the value', '{} x', 3],
  ['a second value', '1 2', 2],
  ['a trailing comma', '[1,]', undefined],
  ['a comment', '[/**/]', undefined],
  ['a single quote', "{'a':1}", 1],
  ['an unfinished string', '["abc', 5],
  ['an unfinished escape', '["abc\\"]', 8],
  ['an unknown escape', '["\\x"]', 3],
  ['a raw control character in a string', '["\u0001"]', 2],
  ['a leading zero', '[01]', 2],
  ['NaN', '[NaN]', undefined],
  ['the wrong closing bracket', '[1}', 2],
];

for (const [fact, input, offset] of REFUSED) {
  test(`refuses ${fact}`, () => {
    const result = decodeStrictJson(typeof input === 'string' ? Buffer.from(input) : input);
    assert.equal(result.ok, false);
    if (!result.ok) assert.equal(result.offset, offset, result.reason);
  });
}

test('bounds nesting before anything is built, and names where it was left', () => {
  assert.equal(decode('['.repeat(64) + ']'.repeat(64)).ok, true);
  const deep = decode(`{"a":${'['.repeat(100_000)}`);
  assert.deepEqual(deep, { ok: false, reason: 'expected nesting of at most 64, got deeper', offset: 68 });
  assert.equal(decodeStrictJson(Buffer.from('[[1]]'), { ...DEFAULT_BOUNDS, depth: 1, arrayItems: 10 }).ok, false);
});

test('bounds the items of each array', () => {
  const items = (count: number) => `[${Array(count).fill('0').join(',')}]`;
  assert.equal(decode(items(10_000)).ok, true);
  assert.equal(decode(items(10_001)).ok, false);
  assert.equal(decodeStrictJson(Buffer.from('[[1,2],[3,4]]'), { ...DEFAULT_BOUNDS, depth: 2, arrayItems: 2 }).ok, true);
  assert.equal(
    decodeStrictJson(Buffer.from('[[1,2],[3,4,5]]'), { ...DEFAULT_BOUNDS, depth: 2, arrayItems: 2 }).ok,
    false,
  );
});

test('bounds the values of a whole text, nested arrays and members alike', () => {
  const bounds = { ...DEFAULT_BOUNDS, values: 6 };
  const decodeBounded = (text: string) => decodeStrictJson(Buffer.from(text), bounds);
  assert.equal(decodeBounded('[[1,2],[3]]').ok, true);
  assert.deepEqual(decodeBounded('[[1,2],[3,4]]'), {
    ok: false,
    reason: 'expected at most 6 values, got more',
    offset: 9,
  });
  assert.equal(decodeBounded('{"a":1,"b":2,"c":3,"d":4,"e":5}').ok, true);
  assert.equal(decodeBounded('{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}').ok, false);
});

test('takes the same name in two objects, and brackets and commas inside strings', () => {
  assert.equal(decode('[{"a":1},{"a":2},{"b":{"a":",]}{[\\"a\\":"}}]').ok, true);
});

test('takes time linear in the text, also for many escapes and many strings', () => {
  const many = `[${Array(9_998).fill('"x"').join(',')},"${'\\\\'.repeat(200_000)}","\\u0041"]`;
  assert.ok(processorMsOf(() => assert.equal(decode(many).ok, true)) < 1_000);
});

test('agrees with JSON.parse on every text that JSON.stringify makes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, spaced) => {
      const text = JSON.stringify(value, null, spaced ? 1 : undefined);
      fc.pre(!text.includes('"__proto__"'));
      const result = decode(text);
      assert.ok(result.ok);
      assert.deepEqual(result.value, JSON.parse(text));
    }),
    { numRuns: 400 },
  );
});

test('never throws, and never takes what JSON.parse refuses', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"\\u',
    '1',
    '-',
    'e9',
    'null',
    ' ',
    '\ud83d',
  );
  const soup = fc.array(token, { maxLength: 12 }).map((parts) => Buffer.from(parts.join('')));
  fc.assert(
    fc.property(fc.oneof(soup, fc.uint8Array({ maxLength: 40 })), (bytes) => {
      const result = decodeStrictJson(bytes);
      if (result.ok) assert.deepEqual(result.value, JSON.parse(Buffer.from(bytes).toString()) as JsonValue);
      else assert.ok((result.offset ?? 0) <= bytes.length);
    }),
    { numRuns: 3_000 },
  );
});
