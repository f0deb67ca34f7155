// Tools that ask for arguments in headers: which schemas may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddHeader } from '#aggregate/modern/odd-header.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';

const at = (header: JsonValue, type: JsonValue = 'string'): JsonObject => ({ type, 'x-mcp-header': header });
const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

test('a header is asked for at strings, integers and booleans, however deep in properties [AX-1]', () => {
  const deep = schema({ c: at('Deep', 'integer') });
  assert.equal(oddHeader(schema({ a: at('Region'), b: deep, d: at('On', 'boolean') })), undefined);
  assert.equal(oddHeader(undefined), undefined);
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
    assert.match(String(oddHeader(inputSchema)), /^expected /);
  });
}

test('a property of that name, and values that look like one, ask for nothing [AX-1]', () => {
  const odd = oddHeader(
    schema({ 'x-mcp-header': { type: 'string' }, a: { type: 'object', default: at('A'), enum: [at('B')] } }),
  );
  assert.equal(odd, undefined);
});
