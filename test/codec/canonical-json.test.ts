// RFC 8785: the RFC's own samples, the refusals, and agreement with an independent sorter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParleyError } from '#base/error.ts';
import type { JsonValue } from '#base/json.ts';
import { canonicalJsonText, encodeCanonicalJson } from '#codec/canonical-json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';

test('gives the text of the sample in RFC 8785 §3.2.3 [TS-16]', () => {
  const sample = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  ) as JsonValue;
  assert.equal(
    canonicalJsonText(sample),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  assert.equal(
    Buffer.from(encodeCanonicalJson(sample)).toString('hex'),
    '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a' +
      '5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d3237' +
      '5d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
  );
});

test('sorts member names by UTF-16 code units, not by code points or by number (RFC 8785 §3.2.3)', () => {
  const sample = { '€': 5, '\r': 1, '\ufb33': 7, '1': 2, '😀': 6, '\u0080': 3, ö: 4 };
  assert.equal(canonicalJsonText(sample), '{"\\r":1,"1":2,"\u0080":3,"ö":4,"€":5,"😀":6,"\ufb33":7}');
  assert.equal(canonicalJsonText({ '9': 1, '10': 2, b: 3, a: 4 }), '{"10":2,"9":1,"a":4,"b":3}');
});

/** RFC 8785 appendix B: IEEE 754 bits and their text. */
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

test('writes the numbers of RFC 8785 appendix B', () => {
  for (const [bits, text] of NUMBERS) assert.equal(canonicalJsonText(Buffer.from(bits, 'hex').readDoubleBE()), text);
});

test('refuses what has no canonical form', () => {
  const nested = (depth: number): JsonValue => (depth === 0 ? 0 : [nested(depth - 1)]);
  assert.equal(canonicalJsonText(nested(64)).length, 129);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const refused: readonly unknown[] = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '\ud800',
    { '\udc00': 1 },
    undefined,
    { a: undefined },
    [undefined],
    Array(2),
    1n,
    () => 1,
    new Date(0),
    new Map(),
    nested(65),
    circular,
  ];
  for (const value of refused) {
    assert.throws(
      () => encodeCanonicalJson(value as JsonValue),
      (error) => error instanceof ParleyError && error.code === 'us/not-canonical',
    );
  }
});

test('does not call toJSON: what is signed is what the caller sees', () => {
  assert.throws(() => canonicalJsonText({ toJSON: () => 'other' } as unknown as JsonValue), {
    code: 'us/not-canonical',
  });
});

const jsonValue = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

test('is a fixed point: decoding and encoding again gives the same bytes', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__"'));
      const bytes = encodeCanonicalJson(value);
      const decoded = decodeStrictJson(bytes);
      assert.ok(decoded.ok);
      assert.deepEqual(encodeCanonicalJson(decoded.value), bytes);
    }),
    { numRuns: 300 },
  );
});

test('does not depend on the order in which members were set', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      assert.equal(canonicalJsonText(turned), canonicalJsonText(value));
    }),
    { numRuns: 200 },
  );
});
