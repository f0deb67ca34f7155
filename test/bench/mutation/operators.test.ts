// What the mutation benchmark changes in a source, and what it leaves alone: texts for people, types, imports, names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProgram, mutantsOf, withChange } from '../../../bench/mutation/mutants.ts';

/** Every change of this source, as the operator and the source after it. */
function changed(source: string): string[] {
  return mutantsOf('src/a.ts', source).map((mutant) => `${mutant.operator}: ${withChange(source, mutant)}`);
}

const CASES: readonly (readonly [source: string, ...changed: string[]])[] = [
  ['a < b;', 'boundary: a <= b;'],
  ['a >= b;', 'boundary: a > b;'],
  ['a === b;', 'equality: a !== b;'],
  ['a != b;', 'equality: a == b;'],
  ['a && b;', 'logic: a || b;'],
  ['a || b;', 'logic: a && b;'],
  ['a + b;', 'arithmetic: a - b;'],
  ['a * b;', 'arithmetic: a / b;'],
  ['a -= b;', 'arithmetic: a += b;'],
  ['a++;', 'arithmetic: a--;'],
  ['--a;', 'arithmetic: ++a;'],
  ['f = true;', 'boolean: f = false;'],
  ['f = !a;', 'negation: f = a;'],
  ['if (a) b = c;', 'condition: if (!(a)) b = c;'],
  ['a = 7;', 'plus-one: a = 8;', 'zero: a = 0;'],
  ['a = 0;', 'plus-one: a = 1;'],
  ['a = 1_000n;', 'plus-one: a = 1001n;', 'zero: a = 0n;'],
  ['{ a = b; }', 'empty-block: {}'],
  ['f(a);', 'no-call: ;'],
  ['await f(a);', 'no-call: ;'],
  ['void f(a);', 'no-call: ;'],
  ["a = 'pe1';", "empty-string: a = '';"],
  ['a = `$' + '{b}--$' + '{c}`;', "empty-string: a = '';"],
  ['a = b.some(c);', 'method: a = b.every(c);'],
  ['a = Math.min(b, c);', 'method: a = Math.max(b, c);'],
  ['a = b.filter(c);', 'no-method: a = b;'],
  ['a = b?.c;', 'no-chaining: a = b.c;'],
  ['a = b?.[c];', 'no-chaining: a = b[c];'],
  ['a = b?.(c);', 'no-chaining: a = b(c);'],
  ['a = b ?? c;', 'no-default: a = b;', 'default-only: a = c;'],
  ['a = b ? c : d;', 'ternary: a = b ? d : c;'],
];

for (const [source, ...expected] of CASES) {
  test(`changes ${source}`, () => assert.deepEqual(changed(source), expected));
}

test('an exit that alone follows a condition is left out', () => {
  const source = 'function f() {\n  if (a === b) return c;\n  return d;\n}';
  assert.ok(changed(source).includes('no-exit: function f() {\n  if (a === b) {}\n  return d;\n}'));
  assert.equal(changed(source).filter((line) => line.startsWith('no-exit')).length, 1);
  assert.ok(changed('if (a !== b) {\n  throw c;\n}').includes('no-exit: if (a !== b) {\n  {}\n}'));
  assert.deepEqual(
    changed('if (a === b) {\n  c = d;\n  throw c;\n}').filter((line) => line.startsWith('no-exit')),
    [],
  );
});

test('texts for people, log lines, imports, names and types stay', () => {
  for (const source of [
    "import { a } from 'b';",
    "a = 'two words';",
    'a = `two words $' + '{b}`;',
    "a = { description: 'word' };",
    "log.info('word');",
    "parts.log.info('word', b);",
    "a = { 'b-c': d };",
    "type A = 'word' | 1;",
    'let a: { readonly [key: string]: 2 };',
    "a = '';",
    'a = b;',
    "a = 'b' + c;",
  ]) {
    const strings = changed(source).filter((line) => !line.startsWith('empty-string') || source.includes('+ c'));
    assert.deepEqual(strings, source.includes('+ c') ? ["empty-string: a = '' + c;"] : [], source);
  }
});

test('in a typed source a change stands where the source says', () => {
  const source = [
    '// Umlauts and others: ä, →, 🎉.',
    "type Way = 'left' | 'right';",
    'export function far<T extends object>(this: void, a: number, b?: T): b is T {',
    '  return (a as number) > (3 satisfies number) && b! !== undefined;',
    '}',
  ].join('\n');
  const found = mutantsOf('src/a.ts', source);
  for (const mutant of found) {
    assert.equal(source.slice(mutant.start, mutant.end), mutant.was);
    assert.ok(isProgram(source, mutant), mutant.id);
  }
  assert.deepEqual(
    found.map(({ id, was }) => `${id} ${was.split('\n')[0]}`),
    [
      'src/a.ts:3:77:empty-block {',
      'src/a.ts:4:47:logic &&',
      'src/a.ts:4:24:boundary >',
      'src/a.ts:4:27:plus-one 3',
      'src/a.ts:4:27:zero 3',
      'src/a.ts:4:53:equality !==',
    ],
  );
});

test('two changes of one kind at one place have two names', () => {
  const ids = mutantsOf('src/a.ts', 'x = a ?? b ?? c;').map(({ id }) => id);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(ids.slice(-1), ['src/a.ts:1:5:default-only.2']);
});

test('a change that leaves no program is known as such', () => {
  assert.equal(isProgram('a = 1;', { start: 4, end: 5, text: '' }), false);
  assert.equal(isProgram('a = 1;', { start: 4, end: 5, text: '2' }), true);
});
