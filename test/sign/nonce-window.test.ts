// What a verifier accepts once: order within the window, boots, bounds; against a model that remembers everything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNonceWindow } from '#sign/nonce-window.ts';

const BOOT = `7-${'ab'.repeat(8)}`;
const OTHER = `7-${'cd'.repeat(8)}`;

test('takes each nonce once, in any order [TS-16]', () => {
  const window = createNonceWindow();
  for (const nonce of ['5', '1', '4000', '3999']) assert.equal(window.admit('pe1', BOOT, nonce).ok, true);
  for (const nonce of ['5', '1', '4000', '3999']) assert.equal(window.admit('pe1', BOOT, nonce).ok, false);
  assert.equal(window.admit('p2', BOOT, '5').ok, true);
});

test('refuses what is 4,096 or more behind', () => {
  const window = createNonceWindow();
  assert.equal(window.admit('pe1', BOOT, '5000').ok, true);
  assert.deepEqual(window.admit('pe1', BOOT, '904'), {
    ok: false,
    reason: 'expected a nonce within the window, got an older one',
  });
  assert.equal(window.admit('pe1', BOOT, '905').ok, true);
});

test('a nonce that was jumped over is free, also in a place that was used before', () => {
  const window = createNonceWindow();
  for (const nonce of ['1', '2', '4096', '4098', '4097'])
    assert.equal(window.admit('pe1', BOOT, nonce).ok, true, nonce);
});

const boot = (counter: number, random = '00') => `${counter}-${random.repeat(8)}`;
const REFUSED = {
  ok: false,
  reason: 'expected a boot newer than those forgotten, got an older one: does another agent use this identity?',
};

test('two lives of one identity do not lock each other out, replay neither, and are told once for each boot [TS-16]', () => {
  const told: string[] = [];
  const window = createNonceWindow({ onSecondLife: (signer) => told.push(signer) });
  assert.equal(window.admit('pe1', boot(100), '9').ok, true);
  assert.equal(window.admit('pe1', boot(200), '9').ok, true);
  assert.deepEqual(told, []);
  assert.equal(window.admit('pe1', boot(100), '10').ok, true);
  assert.equal(window.admit('pe1', boot(200), '10').ok, true);
  for (const [each, nonce] of [
    [100, '9'],
    [100, '10'],
    [200, '9'],
    [200, '10'],
  ] as const)
    assert.equal(window.admit('pe1', boot(each), nonce).ok, false);
  assert.deepEqual(told, ['pe1']);
});

test('a boot in use stays when others come and go; one that was forgotten never comes back [TS-16]', () => {
  const window = createNonceWindow();
  for (let count = 0; count < 20; count++) {
    assert.equal(window.admit('pe1', boot(100), String(count + 1)).ok, true);
    assert.equal(window.admit('pe1', boot(101 + count), '1').ok, true);
  }
  for (let count = 0; count < 20; count++) assert.equal(window.admit('pe1', boot(101 + count), '1').ok, false);
  assert.deepEqual(window.admit('pe1', boot(110), '2'), REFUSED);
  assert.deepEqual(window.admit('pe1', boot(110, '77'), '2'), REFUSED);
  assert.deepEqual(window.admit('pe1', boot(99), '1'), REFUSED);
  assert.equal(window.admit('pe1', boot(100), '99').ok, true);
});

test('boots of a clock that was years ahead do not displace those of our time [TS-16]', () => {
  const window = createNonceWindow({ clock: { nowMs: () => 1_800_000_000_000 } });
  const future = (count: number) => boot(2_208_988_800 + count);
  for (let count = 0; count < 9; count++) assert.equal(window.admit('pe1', future(count), '1').ok, true);
  assert.equal(window.admit('pe1', boot(1_799_999_999), '1').ok, true);
  assert.equal(window.admit('pe1', boot(1_800_086_400), '1').ok, true);
  for (let count = 0; count < 9; count++) assert.equal(window.admit('pe1', future(count), '1').ok, false);
  assert.equal(window.admit('pe1', boot(1_799_999_999), '1').ok, false);
  assert.equal(window.admit('pe1', boot(1_799_999_999), '2').ok, true);
});

test('keeps boots with one counter apart, and only four of them', () => {
  const window = createNonceWindow();
  assert.equal(window.admit('pe1', BOOT, '1').ok, true);
  assert.equal(window.admit('pe1', OTHER, '1').ok, true);
  assert.equal(window.admit('pe1', BOOT, '1').ok, false);
  for (const random of ['01', '02', '03']) assert.equal(window.admit('pe1', boot(7, random), '1').ok, true);
  assert.deepEqual(window.admit('pe1', OTHER, '2'), REFUSED);
  assert.equal(window.admit('pe1', BOOT, '2').ok, true);
});

test('remembers 2,048 signers and forgets the one heard longest ago', () => {
  const window = createNonceWindow();
  for (let signer = 0; signer < 2_048; signer++) window.admit(`n${signer}`, BOOT, '1');
  window.admit('n5', BOOT, '2');
  assert.equal(window.admit('n0', BOOT, '1').ok, false);
  window.admit('new', BOOT, '1');
  assert.equal(window.signerCount, 2_048);
  assert.equal(window.admit('n2', BOOT, '1').ok, false);
  assert.equal(window.admit('n5', BOOT, '2').ok, false);
  assert.equal(window.admit('n0', BOOT, '1').ok, false);
  assert.equal(window.admit('n1', BOOT, '1').ok, true);
});

test('refuses boots and nonces in other spellings', () => {
  const window = createNonceWindow();
  for (const nonce of ['0', '', '01', '-1', '1.0', '1e3', ' 1', '1\n', '9'.repeat(16), 'x'])
    assert.equal(window.admit('pe1', BOOT, nonce).ok, false, nonce);
  for (const boot of [
    '',
    '7',
    '0-abababababababab',
    '07-abababababababab',
    '7-ABABABABABABABAB',
    '7-ab',
    `${BOOT}\n`,
    `-${BOOT}`,
  ]) {
    assert.equal(window.admit('pe1', boot, '1').ok, false, boot);
  }
  assert.equal(window.signerCount, 0);
});

test('agrees with a memory of everything', () => {
  const step = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 20_000 }),
    fc.integer({ min: 4_000, max: 4_200 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (nonces) => {
      const window = createNonceWindow();
      const seen = new Set<number>();
      for (const nonce of nonces) {
        const expected = !seen.has(nonce) && nonce > Math.max(0, ...seen) - 4_096;
        assert.equal(window.admit('pe1', BOOT, String(nonce)).ok, expected);
        if (expected) seen.add(nonce);
      }
    }),
    { numRuns: 150 },
  );
});

test('one life of an identity is told as no second one, whatever its nonces [TS-16]', () => {
  const told: string[] = [];
  const window = createNonceWindow({ onSecondLife: (signer) => told.push(signer) });
  for (const nonce of ['1', '3', '2', '2', '9000', '1']) window.admit('pe1', boot(100), nonce);
  window.admit('pe1', boot(200), '1');
  window.admit('pe1', boot(200), '2');
  assert.deepEqual(told, []);
  window.admit('pe1', boot(100), '9000');
  assert.deepEqual(told, [], 'a replay is no sign of life');
  window.admit('pe1', boot(100), '9001');
  window.admit('p2', boot(100), '1');
  window.admit('p2', boot(100), '2');
  assert.deepEqual(told, ['pe1']);
});

const NOW_SECONDS = 1_800_000_000;
/** The latest boot counter that is of our time: a day ahead. */
const LAST = NOW_SECONDS + 86_400;

/** A window that has admitted these boots, in this order, each under a random part of its own. */
function windowAfter(counters: readonly number[]) {
  const window = createNonceWindow({ clock: { nowMs: () => NOW_SECONDS * 1_000 } });
  for (const [index, counter] of counters.entries())
    assert.equal(window.admit('pe1', boot(counter, `a${index}`), '1').ok, true, String(counter));
  return window;
}

test('a boot up to a day ahead is of our time: with it all that is older is forgotten; one further ahead takes nothing along [TS-16]', () => {
  const five = (counter: number) => windowAfter(Array<number>(5).fill(counter));
  assert.deepEqual(five(LAST).admit('pe1', boot(5), '1'), REFUSED);
  assert.equal(five(LAST + 1).admit('pe1', boot(5), '1').ok, true);
  assert.deepEqual(five(LAST + 1).admit('pe1', boot(LAST + 1, 'ff'), '1'), REFUSED);
});

test('what lies among forgotten boots is refused, from the lowest to the highest of them [TS-16]', () => {
  const admits = (counters: readonly number[], counter: number) =>
    windowAfter(counters).admit('pe1', boot(counter, 'ff'), '1').ok;
  const ahead = [20, 10, 30, 31, 32, 33].map((more) => LAST + more);
  const verdicts = [9, 10, 15, 20, 21].map((more) => admits(ahead, LAST + more));
  assert.deepEqual(verdicts, [true, false, false, false, true]);
  const timely = [100, 50, 200, 201, 202, 203];
  assert.deepEqual(
    [49, 50, 99, 100, 101].map((counter) => admits(timely, counter)),
    [false, false, false, false, true],
  );
});
