// Codes as people spell them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.equal(formatCode(makeCode(counting)), '789AB-CDEFG-HJKMZ');
  assert.equal(parsed('789AB-CDEFG-HJKMZ'), '789AB CDEFGHJKM');
});

test('case, blanks, hyphens, and letters that look like digits do not matter', () => {
  assert.equal(parsed(' 789ab cdefg hjkmz\n'), '789AB CDEFGHJKM');
  assert.equal(parsed('789ABCDEFGHJKMZ'), '789AB CDEFGHJKM');
  assert.equal(parsed('ooooo-OOOOO-ooooo'), '00000 000000000');
  const ones = formatCode({ id: '11111', secret: '111111111' });
  assert.equal(parsed(ones.replaceAll('1', 'l')), '11111 111111111');
  assert.equal(parsed(ones.replaceAll('1', 'I')), '11111 111111111');
});

test('says what is wrong, and never shows the code', () => {
  assert.match(parsed('789AB-CDEFG'), /15 symbols .*, got 10$/);
  assert.match(parsed('789AB-CDEFG-HJKMU'), /letters without U/);
  assert.match(parsed('789AB-CDEFG-HJKNZ'), /check the spelling/);
  for (const text of ['789AB-CDEFG-HJKNZ', '789AB-CDEFG-HJKM', '789AB-CDEFG-HJKM-9$'])
    assert.doesNotMatch(parsed(text), /CDEFG/);
});

test('finds each wrong symbol and each swap of two symbols, in every place', () => {
  const alphabet = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
  const isFound = (symbols: readonly string[]) => /check the spelling/.test(parsed(symbols.join('')));
  const codes = [makeCode(zeros), makeCode(counting), ...Array.from({ length: 20 }, () => makeCode(systemRandom))];
  for (const code of codes) {
    const symbols = [...formatCode(code).replaceAll('-', '')];
    for (const [at, right] of symbols.entries()) {
      const slips = alphabet.filter((symbol) => symbol !== right);
      assert.deepEqual(
        slips.filter((slip) => !isFound(symbols.with(at, slip))),
        [],
      );
      for (const [other, symbol] of symbols.entries())
        if (symbol !== right)
          assert.ok(isFound(symbols.with(at, symbol).with(other, right)), `${symbols} ${at} ${other}`);
    }
  }
});

// One code of each pair of neighbours: the sum is linear, so what holds for these holds beside any other symbols.
test('finds each pair of neighbours that change places, in every place', () => {
  const alphabet = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
  for (let at = 0; at < 13; at++) {
    for (const one of alphabet) {
      for (const other of alphabet.filter((symbol) => symbol !== one)) {
        const body = Array.from({ length: 14 }, () => '0')
          .with(at, one)
          .with(at + 1, other)
          .join('');
        const symbols = [...formatCode({ id: body.slice(0, 5), secret: body.slice(5) }).replaceAll('-', '')];
        const swapped = symbols
          .with(at, other)
          .with(at + 1, one)
          .join('');
        assert.match(parsed(swapped), /check the spelling/);
      }
    }
  }
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
