// YANG as far as data needs it: the syntax of RFC 7950 §6, the tree that modules define, and edits and differences of data by that tree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { differenceEdits, differenceLines } from '#codec/yang/difference.ts';
import { editTree } from '#codec/yang/edit.ts';
import { buildSchema, neededBy, type SchemaNode } from '#codec/yang/schema.ts';
import { parseYang, type YangStatement } from '#codec/yang/statements.ts';
import { parsePath } from '#model/router/yang-path.ts';

function statement(text: string): YangStatement {
  const parsed = parseYang(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value;
}

const schemaOf = (...texts: readonly string[]) => buildSchema(texts.map(statement));

/** `box/size number`, `box/row[name] list`, depth first. */
function outline(nodes: ReadonlyMap<string, SchemaNode>, above = ''): string[] {
  return [...nodes].flatMap(([name, node]) => {
    const keys = node.keys.length > 0 ? `[${node.keys.join(' ')}]` : '';
    const what = node.forms.length > 0 ? node.forms.join('|') : node.kind;
    return [`${above}${name}${keys} ${what}${node.config ? '' : ' ro'}`, ...outline(node.children, `${above}${name}/`)];
  });
}

test('reads quotes, escapes, joined strings and comments', () => {
  assert.deepEqual(statement('module m { // one\n a "x\\n\\"y\\" \\\\" + \'z\' ; /* two */ b:c d{e;} }').statements, [
    { keyword: 'a', argument: 'x\n"y" \\z', statements: [] },
    { keyword: 'b:c', argument: 'd', statements: [{ keyword: 'e', argument: '', statements: [] }] },
  ]);
});

for (const text of [
  '',
  'module',
  'module m',
  'module m {',
  'module m { a }',
  'module m { a b c; }',
  'module m { a + "b"; }',
  'module m { "a" b; }',
  'module m { a "b" + c; }',
  'module m { a "b; }',
  'module m { } }',
  'module m {} module n {}',
  'container c {}',
  `module m { ${'a {'.repeat(80)} ${'}'.repeat(80)} }`,
]) {
  test(`refuses ${JSON.stringify(text.slice(0, 40))} as a module`, () => {
    assert.equal(parseYang(text).ok, false);
  });
}

test('no text makes the YANG reader or the schema throw', () => {
  const piece = fc.constantFrom(
    'module m',
    '{',
    '}',
    ';',
    '"',
    "'",
    '+',
    '//',
    '/*',
    '*/',
    ' grouping g',
    ' uses g',
    ' list l',
    ' key "a b"',
    ' leaf a',
    ' type t',
    ' typedef t',
    ' augment "/m:l"',
    ' choice c',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const parsed = parseYang(pieces.join(''));
      if (parsed.ok) buildSchema([parsed.value]);
    }),
    { numRuns: 2_000 },
  );
});

const TYPES = `module types { namespace "urn:types"; prefix t;
  typedef percent { type uint8; }
  typedef either { type union { type percent; type identityref { base x; } type string; } }
  grouping sized { leaf size { type percent; } } }`;
const BOX = `module box { namespace "urn:box"; prefix b; import types { prefix ty; } include parts;
  identity red;
  container box { uses ty:sized; leaf any { type ty:either; } leaf on { type boolean; } leaf gone { type empty; }
    leaf big { type uint64; } leaf-list tag { type string; }
    choice how { case fast { leaf speed { type int32; } } container slow { leaf pace { type string; } } }
    list row { key "name kind"; leaf kind { type string; } leaf name { type string; } leaf note { type string; }
      leaf seen { config false; type uint32; } } } }`;
const PARTS = 'submodule parts { belongs-to box { prefix b; } container extra { leaf note { type string; } } }';
const MORE = `module more { namespace "urn:more"; prefix m; import box { prefix b; }
  augment "/b:box/b:row" { container more { leaf depth { type int8; } } }
  augment "/b:box/b:row/m:more" { leaf deeper { type string; } }
  augment "/b:box/b:how/b:slow/b:slow" { leaf why { type string; } } }`;

test('writes groupings out, puts augments in, passes choices over, and knows the forms of leaves', () => {
  // The augment of an augment comes first: its target is not there yet.
  const { roots, namespaces } = schemaOf(MORE, BOX, TYPES, PARTS);
  assert.deepEqual(outline(roots), [
    'box:box container',
    'box:box/box:size number',
    'box:box/box:any number|identity|string',
    'box:box/box:on boolean',
    'box:box/box:gone empty',
    'box:box/box:big string',
    'box:box/box:tag string',
    'box:box/box:speed number',
    'box:box/box:slow container',
    'box:box/box:slow/box:pace string',
    'box:box/box:slow/more:why string',
    'box:box/box:row[name kind] list',
    'box:box/box:row/box:kind string',
    'box:box/box:row/box:name string',
    'box:box/box:row/box:note string',
    'box:box/box:row/box:seen number ro',
    'box:box/box:row/more:more container',
    'box:box/box:row/more:more/more:depth number',
    'box:box/box:row/more:more/more:deeper string',
    'box:extra container',
    'box:extra/box:note string',
  ]);
  assert.equal(namespaces.get('more'), 'urn:more');
  assert.deepEqual(neededBy(statement(BOX)), ['types', 'parts']);
});

test('without the modules that it needs a schema has fewer nodes and text for their types, and never others', () => {
  const { roots } = schemaOf(BOX, MORE.replace('import box { prefix b; }', ''));
  assert.equal(roots.get('box:box')?.children.get('box:size'), undefined);
  assert.deepEqual(roots.get('box:box')?.children.get('box:any')?.forms, ['string']);
  assert.equal(roots.get('box:box')?.children.get('box:row')?.children.get('more:more'), undefined);
});

const { roots: ROOTS } = schemaOf(BOX, TYPES, PARTS, MORE);
const BEFORE: JsonObject = {
  'box:box': {
    size: 5,
    tag: ['a'],
    row: [
      { name: 'r1', kind: 'x', note: 'old' },
      { name: 'r2', kind: 'x' },
    ],
  },
};

function edited(path: string, operation: 'merge' | 'delete', value?: JsonValue) {
  const steps = parsePath(path);
  assert.ok(steps.ok);
  return editTree(ROOTS, BEFORE, steps.value, { operation, value });
}

test('edits a leaf, an entry that is there, one that is not, and takes them away', () => {
  assert.deepEqual(edited('/box:box/size', 'merge', 7), {
    ok: true,
    value: { 'box:box': { ...(BEFORE['box:box'] as JsonObject), size: 7 } },
  });
  const rows = (result: ReturnType<typeof edited>) => result.ok && (result.value['box:box'] as JsonObject)['row'];
  assert.deepEqual(rows(edited("/box:box/row[name='r2'][kind='x']/note", 'merge', 'new')), [
    { name: 'r1', kind: 'x', note: 'old' },
    { name: 'r2', kind: 'x', note: 'new' },
  ]);
  assert.deepEqual(rows(edited('/box:box/row=r3,y', 'merge', { note: 'third' })), [
    { name: 'r1', kind: 'x', note: 'old' },
    { name: 'r2', kind: 'x' },
    { name: 'r3', kind: 'y', note: 'third' },
  ]);
  assert.deepEqual(rows(edited("/box:box/row[name='r1'][kind='x']", 'delete')), [{ name: 'r2', kind: 'x' }]);
  assert.deepEqual(edited("/box:box/row[name='r1'][kind='x']/more:more/depth", 'merge', 3).ok, true);
});

for (const [path, operation, value, reason] of [
  ['/box:nothing', 'merge', 1, 'expected a node of box, got nothing'],
  ['/box:box/size', 'merge', 'five', 'expected number for size, got "five"'],
  ['/box:box/size', 'merge', 1.5, 'expected number for size, got 1.5'],
  ['/box:box/on', 'merge', 'true', 'expected boolean for on, got "true"'],
  ['/box:box/on', 'delete', undefined, 'expected on to be there, it is not'],
  ["/box:box/row[name='r1']", 'merge', {}, 'expected the keys name, kind of row'],
  ["/box:box/row[name='r1'][kind='x']/seen", 'merge', 1, 'expected configuration, seen is state'],
  ["/box:box/row[name='r9'][kind='x']", 'delete', undefined, 'expected this entry of row to be there, it is not'],
  ['/box:box/size/deeper', 'merge', 1, 'expected no step below size'],
  ['/box:box', 'merge', 'text', 'expected an object for box'],
] as const) {
  test(`${operation} of ${path} with ${JSON.stringify(value)} is refused`, () => {
    const result = edited(path, operation, value);
    assert.deepEqual([result.ok, result.ok || result.reason], [false, reason]);
  });
}

test('a difference names what is gone and what is new, each with the path above it', () => {
  const after: JsonObject = { 'box:box': { size: 6, tag: ['a'], row: [{ name: 'r1', kind: 'x', note: 'new' }] } };
  assert.deepEqual(differenceLines(ROOTS, BEFORE, after), [
    { sign: '-', context: '/box:box', line: 'size 5', leaf: 'size', denied: false },
    { sign: '-', context: "/box:box/row[name='r1'][kind='x']", line: 'note old', leaf: 'note', denied: false },
    { sign: '-', context: "/box:box/row[name='r2'][kind='x']", line: 'name r2', leaf: 'name', denied: false },
    { sign: '-', context: "/box:box/row[name='r2'][kind='x']", line: 'kind x', leaf: 'kind', denied: false },
    { sign: '+', context: '/box:box', line: 'size 6', leaf: 'size', denied: false },
    { sign: '+', context: "/box:box/row[name='r1'][kind='x']", line: 'note new', leaf: 'note', denied: false },
  ]);
});

test('the edits between two trees turn one into the other, and delete only what stands in the first', () => {
  const row = fc.record(
    { name: fc.constantFrom('r1', 'r2', "o'r"), kind: fc.constantFrom('x', 'y'), note: fc.string({ maxLength: 5 }) },
    { requiredKeys: ['name', 'kind'] },
  );
  const rows = fc.uniqueArray(row, { selector: ({ name, kind }) => `${name} ${kind}`, maxLength: 4 });
  const box = fc.record({ size: fc.nat(255), on: fc.boolean(), row: rows }, { requiredKeys: [] });
  fc.assert(
    fc.property(box, box, (one, other) => {
      const [from, to] = [{ 'box:box': one }, { 'box:box': other }] as unknown as [JsonObject, JsonObject];
      let tree = from;
      for (const { path, operation, value } of differenceEdits(ROOTS, from, to)) {
        const steps = parsePath(path);
        assert.ok(steps.ok, path);
        const next = editTree(ROOTS, tree, steps.value, { operation, value });
        assert.ok(next.ok, JSON.stringify({ path, next }));
        tree = next.value;
      }
      assert.deepEqual(differenceLines(ROOTS, tree, to), []);
      assert.deepEqual(differenceLines(ROOTS, to, tree), []);
    }),
  );
});

/** Parsed, and its tree built: what a module of one kilobyte may make the reader look up is bounded. */
function built(text: string) {
  const parsed = parseYang(text);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.reason);
  return buildSchema([parsed.value]);
}

test('unions of unions are read once each, and say each form once', () => {
  const types = Array.from(
    { length: 30 },
    (_, at) => `typedef t${at} { type union { type t${at + 1}; type t${at + 1}; } }`,
  );
  const { roots } = built(
    `module m { namespace "u"; prefix m; leaf l { type t0; } ${types.join(' ')} typedef t30 { type union { type string; type uint8; type int8; } } }`,
  );
  assert.deepEqual(roots.get('m:l')!.forms, ['string', 'number']);
});

test('typedefs that name each other end as strings', () => {
  const { roots } = built(
    'module m { namespace "u"; prefix m; leaf l { type a; } typedef a { type union { type b; type b; } } typedef b { type union { type a; type a; } } }',
  );
  assert.deepEqual(roots.get('m:l')!.forms, ['string']);
});

test('augments that wait for each other are tried as often as statements nest, in whichever order they stand', () => {
  const chain = (length: number) => {
    const paths = Array.from({ length }, (_, at) => Array.from({ length: at + 1 }, (_, step) => `/c${step}`).join(''));
    const augments = paths.map((path, at) => `augment ${path} { container c${at + 1}; }`).toReversed();
    const { roots } = built(`module m { namespace "u"; prefix m; container c0; ${augments.join(' ')} }`);
    let depth = 0;
    for (let node = roots.get('m:c0'); node !== undefined; node = node.children.get(`m:c${depth}`)) depth += 1;
    return depth - 1;
  };
  assert.equal(chain(40), 40);
  assert.equal(chain(300), 64);
});

test('a statement of very many words is no YANG', () => {
  assert.equal(parseYang(`module m { description ${'"x" + '.repeat(1_000)}"x"; }`).ok, true);
  assert.equal(parseYang(`module ${'m '.repeat(10_000)} { }`).ok, false);
});
