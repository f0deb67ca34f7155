// Arguments that go into headers as well: which schemas may ask for it, and what is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paramHeaders, readParamHeaders } from '#aggregate/modern/param-headers.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';

const at = (header: JsonValue, type: JsonValue = 'string'): JsonObject => ({ type, 'x-mcp-header': header });
const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

test('a header is asked for at strings, integers and booleans, however deep in properties [AX-1]', () => {
  const read = readParamHeaders(
    schema({ a: at('Region'), b: schema({ c: at('Deep', 'integer') }), d: at('On', 'boolean') }),
  );
  assert.deepEqual(read, {
    ok: true,
    value: [
      { path: ['a'], header: 'mcp-param-region' },
      { path: ['b', 'c'], header: 'mcp-param-deep' },
      { path: ['d'], header: 'mcp-param-on' },
    ],
  });
  assert.deepEqual(readParamHeaders(undefined), { ok: true, value: [] });
});

const REFUSED: Readonly<Record<string, JsonObject>> = {
  'an empty name': schema({ a: at('') }),
  'a name with a space': schema({ a: at('My Region') }),
  'a name with a line break': schema({ a: at('Region\r\nEvil: 1') }),
  'a name that is no text': schema({ a: at(1) }),
  'an object': schema({ a: at('A', 'object') }),
  'a number that need not be whole': schema({ a: at('A', 'number') }),
  'no type': schema({ a: { 'x-mcp-header': 'A' } }),
  'the same name twice, in other letters': schema({ a: at('Region'), b: at('REGION') }),
  'the arguments themselves': { ...at('A', 'object') },
  'an item of a list': schema({ a: { type: 'array', items: at('A') } }),
  'one of several forms': schema({ a: { oneOf: [at('A')] } }),
  'a form by a name': schema({}, { $defs: { a: at('A') } }),
};
for (const [what, inputSchema] of Object.entries(REFUSED)) {
  test(`a tool that asks for a header at ${what} is not used [AX-1]`, () => {
    assert.equal(readParamHeaders(inputSchema).ok, false);
  });
}

test('a property of that name, and values that look like one, ask for nothing [AX-1]', () => {
  const read = readParamHeaders(
    schema({ 'x-mcp-header': { type: 'string' }, a: { type: 'object', default: at('A'), enum: [at('B')] } }),
  );
  assert.deepEqual(read, { ok: true, value: [] });
});

test('values go as text, encoded where HTTP would change or refuse them; null and absent ones do not [AX-1]', () => {
  const declared = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => ({
    path: [name],
    header: `mcp-param-${name}`,
  }));
  const args = { a: 'us west', b: 42, c: false, d: 'Hello, 世界', e: ' padded', f: 'line1\r\nEvil: 1', g: null };
  assert.deepEqual(paramHeaders(declared, args), {
    'mcp-param-a': 'us west',
    'mcp-param-b': '42',
    'mcp-param-c': 'false',
    'mcp-param-d': '=?base64?SGVsbG8sIOS4lueVjA==?=',
    'mcp-param-e': '=?base64?IHBhZGRlZA==?=',
    'mcp-param-f': '=?base64?bGluZTENCkV2aWw6IDE=?=',
  });
});
