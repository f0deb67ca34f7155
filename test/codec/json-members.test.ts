// Members of JSON text: found where they are, and changed without touching any other byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberSpans, memberText, withMember } from '#codec/json-members.ts';

const object = fc
  .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 })
  .filter((value) => !Object.hasOwn(value, '__proto__'));
const spacing = fc.constantFrom(undefined, 1, '\t');

test('each member of an object is found with the text of its value', () => {
  fc.assert(
    fc.property(object, spacing, (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const found = [...memberSpans(text)].map(([name, { start, end }]) => [name, JSON.parse(text.slice(start, end))]);
      assert.deepEqual(found, Object.entries(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test('a member is set, and the others stay byte for byte', () => {
  assert.equal(withMember('{"a": 1.0, "b":18446744073709551615}', 'a', '2'), '{"a": 2, "b":18446744073709551615}');
  assert.equal(withMember('{ "a":1 }', 'b', '[]'), '{"b":[], "a":1 }');
  assert.equal(withMember('{}', 'a', 'null'), '{"a":null}');
  assert.equal(memberText('{"a":"}\\"{", "b":[{"a":2}]}', 'b'), '[{"a":2}]');
});

test('a set member is read back', () => {
  fc.assert(
    fc.property(object, fc.string(), fc.jsonValue(), (value, name, next) => {
      fc.pre(name !== '__proto__');
      const text = withMember(JSON.stringify(value), name, JSON.stringify(next));
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify({ ...value, [name]: next })));
    }),
    { numRuns: 500 },
  );
});
