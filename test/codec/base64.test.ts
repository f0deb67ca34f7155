// RFC 4648: the RFC's vectors, one spelling each, fuzzed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '#codec/base64.ts';
import { decodeHex, encodeHex } from '#codec/hex.ts';

/** RFC 4648 §10. */
const VECTORS: readonly (readonly [text: string, base64: string])[] = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
];

test('gives and takes the vectors of RFC 4648 §10', () => {
  for (const [text, base64] of VECTORS) {
    assert.equal(encodeBase64(Buffer.from(text)), base64);
    assert.deepEqual(decodeBase64(base64), { ok: true, value: new Uint8Array(Buffer.from(text)) });
  }
});

test('refuses every other spelling of the same bytes', () => {
  const spellings = [
    'Zg',
    'Zg=',
    'Zh==',
    'Zm9=',
    'Zm9v\n',
    ' Zm9v',
    'Zm9v====',
    'Zg==Zg==',
    'Zm-v',
    'Zm_v',
    'Z===',
    '====',
    'Zm9vY===',
    'Zgé=',
    'Zm9\u0100',
  ];
  for (const text of spellings) assert.equal(decodeBase64(text).ok, false, text);
  assert.deepEqual(decodeBase64('Zm9vZh=='), {
    ok: false,
    reason: 'expected canonical base64, got something else',
    offset: 5,
  });
});

test('hex has one spelling', () => {
  assert.deepEqual(decodeHex('00ff1a'), { ok: true, value: Uint8Array.of(0, 255, 26) });
  assert.equal(encodeHex(Uint8Array.of(0, 255, 26)), '00ff1a');
  for (const text of ['0', 'FF', '0x00', 'zz', ' 00', '00\n']) assert.equal(decodeHex(text).ok, false, text);
  assert.equal(decodeHex('00ff', 2).ok, true);
  assert.equal(decodeHex('00ff', 3).ok, false);
});

test('round-trips any bytes, and takes a text only if it is the one that encoding gives', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.string({ maxLength: 24 }),
      fc.base64String(),
      (bytes, text, base64) => {
        assert.deepEqual(decodeBase64(encodeBase64(bytes)), { ok: true, value: bytes });
        assert.deepEqual(decodeHex(encodeHex(bytes)), { ok: true, value: bytes });
        for (const input of [text, base64]) {
          const decoded = decodeBase64(input);
          if (decoded.ok) assert.equal(encodeBase64(decoded.value), input);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('decodes a view without its surroundings', () => {
  assert.equal(encodeBase64(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)), 'AgM=');
});
