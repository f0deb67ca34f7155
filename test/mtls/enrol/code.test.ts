// Codes as people spell them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '#base/random.ts';
import { formatCode, makeCode, parseCode } from '#mtls/enrol/code.ts';

const zeros = { bytes: (count: number) => new Uint8Array(count) };
const counting = { bytes: (count: number) => Uint8Array.from({ length: count }, (_, index) => index + 7) };
const parsed = (text: string) => {
  const code = parseCode(text);
  return code.ok ? `${code.value.id} ${code.value.secret}` : code.reason;
};

test('a code is three groups of five symbols, the last of which checks the others', () => {
  assert.equal(formatCode(makeCode(zeros)), '00000-00000-00000');
  assert.equal(formatCode(makeCode(counting)), '789AB-CDEFG-HJKM2');
  assert.equal(parsed('789AB-CDEFG-HJKM2'), '789AB CDEFGHJKM');
});

test('case, blanks, hyphens, and letters that look like digits do not matter', () => {
  assert.equal(parsed(' 789ab cdefg hjkm2\n'), '789AB CDEFGHJKM');
  assert.equal(parsed('789ABCDEFGHJKM2'), '789AB CDEFGHJKM');
  assert.equal(parsed('ooooo-OOOOO-ooooo'), '00000 000000000');
  const ones = formatCode({ id: '11111', secret: '111111111' });
  assert.equal(parsed(ones.replaceAll('1', 'l')), '11111 111111111');
  assert.equal(parsed(ones.replaceAll('1', 'I')), '11111 111111111');
});

test('says what is wrong, and never shows the code', () => {
  assert.match(parsed('789AB-CDEFG'), /15 symbols .*, got 10$/);
  assert.match(parsed('789AB-CDEFG-HJKMU'), /letters without U/);
  assert.match(parsed('789AB-CDEFG-HJKN2'), /check the spelling/);
  for (const text of ['789AB-CDEFG-HJKN2', '789AB-CDEFG-HJKM', '789AB-CDEFG-HJKM-9$'])
    assert.doesNotMatch(parsed(text), /CDEFG/);
});

test('finds each swap of two neighbours and all but one in 31 wrong symbols', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12 }), (at) => {
      const code = formatCode(makeCode(systemRandom)).replaceAll('-', '');
      const swapped = [...code];
      [swapped[at], swapped[at + 1]] = [swapped[at + 1]!, swapped[at]!];
      // The values 0 and 31 are one to the check.
      if (swapped.join('') === code || /^[0Z]{2}$/.test(swapped.slice(at, at + 2).join(''))) return;
      assert.match(parsed(swapped.join('')), /check the spelling/);
    }),
  );
  let found = 0;
  for (const symbol of '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
    if (
      parsed(`7${symbol}9AB-CDEFG-HJKM2`) !== '789AB CDEFGHJKM' &&
      !parsed(`7${symbol}9AB-CDEFG-HJKM2`).includes(' CDEFG')
    )
      found += 1;
  assert.equal(found, 31);
});

test('codes are random in every symbol', () => {
  const seen = Array.from({ length: 14 }, () => new Set<string>());
  for (let made = 0; made < 2_000; made++) {
    const { id, secret } = makeCode(systemRandom);
    for (const [at, symbol] of [...`${id}${secret}`].entries()) seen[at]!.add(symbol);
  }
  assert.deepEqual(
    seen.map(({ size }) => size),
    Array.from({ length: 14 }, () => 32),
  );
});
