// Which mutants are drawn, which characters count as executed, and which tests are chosen for a mutant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseTests } from '../../../bench/mutation/choose-tests.ts';
import { executedIn, isExecuted, joined } from '../../../bench/mutation/executed.ts';
import { sampleOf } from '../../../bench/mutation/mutants.ts';
import { syntaxOf } from '../../../bench/mutation/syntax.ts';
import { usesOf } from '../../../bench/mutation/uses.ts';
import { figures } from '../../../bench/mutation.ts';

const numbers = Array.from({ length: 1_000 }, (_, index) => index);
const any = () => true;

test('the same seed draws the same, another seed others, none twice', () => {
  const drawn = sampleOf(numbers, 50, 7, any);
  assert.deepEqual(sampleOf(numbers, 50, 7, any), drawn);
  assert.notDeepEqual(sampleOf(numbers, 50, 8, any), drawn);
  assert.equal(new Set(drawn).size, 50);
});

test('a file is drawn as often as it has mutants', () => {
  const mutants = numbers.map((index) => ({ file: index < 800 ? 'large' : 'small' }));
  const large = sampleOf(mutants, 500, 3, any).filter(({ file }) => file === 'large').length;
  assert.ok(large > 360 && large < 440, String(large));
});

test('what is not good is drawn again, and what is not there is not drawn', () => {
  const even = sampleOf(numbers, 600, 1, (number) => number % 2 === 0);
  assert.equal(even.length, 500);
  assert.ok(even.every((number) => number % 2 === 0));
});

test('the innermost block decides whether a character was executed', () => {
  const block = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
  const ranges = executedIn({
    url: '',
    functions: [
      { ranges: [block(40, 60, 1)] },
      { ranges: [block(0, 100, 1)] },
      { ranges: [block(20, 80, 0), block(30, 35, 2)] },
    ],
  });
  assert.deepEqual(ranges, [
    [0, 20],
    [30, 35],
    [40, 60],
    [80, 100],
  ]);
  assert.deepEqual(
    [19, 20, 30, 35, 99, 100].map((offset) => isExecuted(ranges, offset)),
    [true, false, true, false, true, false],
  );
});

test('what two processes executed is joined', () => {
  assert.deepEqual(
    joined(
      [
        [0, 10],
        [30, 40],
      ],
      [
        [5, 20],
        [40, 50],
      ],
    ),
    [
      [0, 20],
      [30, 50],
    ],
  );
});

test('a constant at the top counts as executed where a function uses it, by way of another constant too', () => {
  const code = 'const A = 3;\nconst B = A + 1;\nfunction f() {\n  return B;\n}\nfunction g() {\n  return 5;\n}\n';
  const syntax = syntaxOf(code);
  assert.deepEqual(usesOf(syntax, code.indexOf('3')), [code.indexOf('B;')]);
  assert.deepEqual(usesOf(syntax, code.indexOf('5')), [code.indexOf('5')]);
  assert.deepEqual(usesOf(syntaxOf('export const A = 3;\n'), 17), []);
});

test('tests that name the file, or are of its folder, go first, then others that execute most of the file; what is left out is counted', () => {
  const covered = (name: string, ms: number, passed = true, end = 20) => ({
    test: name,
    ms,
    passed,
    loaded: {},
    executed: { 'src/a.ts': [[10, end] as const] },
  });
  const all = [
    covered('far', 1),
    covered('near', 9),
    covered('nearer', 5),
    covered('farther', 3),
    covered('red', 0, false),
    covered('slow', 30_001),
  ];
  const names = (name: string) => name.startsWith('near');
  const chosen = (offsets: readonly number[], most: number) => {
    const { near, far, leftOut } = chooseTests(all, { file: 'src/a.ts', offsets }, names, most);
    return [...near.map((each) => each.test), '|', ...far.map((each) => each.test), leftOut];
  };
  assert.deepEqual(chosen([15], 2), ['nearer', 'near', '|', 'far', 'farther', 1]);
  assert.deepEqual(chosen([15], 1), ['nearer', '|', 'far', 3]);
  assert.deepEqual(chosen([25], 2), ['|', 0]);
  assert.deepEqual(chosen([25, 11], 1), ['nearer', '|', 'far', 3]);
  assert.deepEqual(chosen([], 1), ['nearer', '|', 'far', 3]);
  all.push(covered('whole', 7, true, 24));
  assert.deepEqual(chosen([15], 1), ['nearer', '|', 'whole', 4]);
  assert.deepEqual(chosen([15], 2), ['nearer', 'near', '|', 'far', 'whole', 2]);
  const own = { ...covered('test/sign/x.test.ts', 1), executed: { 'src/sign/a.ts': [[10, 20] as const] } };
  assert.deepEqual(chooseTests([own], { file: 'src/sign/a.ts', offsets: [15] }, names, 1).near, [own]);
  const slow = { ...covered('test/sign/x.test.ts', 30_001), executed: { 'src/sign/b/a.ts': [[10, 20] as const] } };
  assert.deepEqual(chooseTests([slow], { file: 'src/sign/b/a.ts', offsets: [15] }, names, 1).far, [slow]);
});

test('the share counts what tests or the time noticed; uncovered mutants are survivors', () => {
  const judged = (id: string, fate: 'killed' | 'timed-out' | 'survived' | 'uncovered') => ({
    id: `src/${id}`,
    fate,
    was: '<',
    now: '<=',
    operator: 'boundary',
    tests: 2,
    leftOut: 1,
  });
  const { survivors, ...counts } = figures([
    judged('sign/a', 'killed'),
    judged('sign/b', 'timed-out'),
    judged('mtls/c', 'survived'),
    judged('mtls/d', 'uncovered'),
    judged('mtls/e', 'killed'),
  ]);
  assert.deepEqual(
    [counts.run, counts.killed, counts.timedOut, counts.survived, counts.uncovered, counts.share],
    [5, 2, 1, 1, 1, 0.6],
  );
  assert.deepEqual(counts.shareByFolder, { 'src/sign': '2/2', 'src/mtls': '1/3' });
  assert.deepEqual(counts.shareByOperator, { boundary: '3/5' });
  assert.deepEqual(
    survivors.map(({ id }) => id),
    ['src/mtls/c', 'src/mtls/d'],
  );
});
