// The DER walker and its values: accepted forms, refused BER forms, bounds, totality.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DerNode, decodeDer } from '#codec/der.ts';
import {
  decodeBoolean,
  decodeIntegerHex,
  decodeNamedBits,
  decodeOid,
  decodeSmallInteger,
  decodeText,
  decodeTime,
} from '#codec/der-values.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

function node(hex: string): DerNode {
  const result = decodeDer(bytes(hex));
  assert.ok(result.ok, hex);
  return result.value;
}

test('walks nested elements', () => {
  const root = node('30 08 30 03 020105 04 01 ff');
  assert.equal(root.tag, 0x30);
  assert.deepEqual(
    root.children.map((child) => [child.tag, child.offset, child.bytes.length]),
    [
      [0x30, 2, 5],
      [0x04, 7, 3],
    ],
  );
  assert.deepEqual(root.children[0]?.children[0]?.content, bytes('05'));
});

const REFUSED_DER: readonly (readonly [fact: string, hex: string, offset: number])[] = [
  ['no bytes', '', 0],
  ['a tag without length', '30', 0],
  ['the indefinite length of BER', '3080 0000', 1],
  ['a long form where the short one is enough', '04 81 01 00', 1],
  ['a length with leading zeros', `04 82 0080 ${'00'.repeat(128)}`, 1],
  ['a length of five octets', '04 85 0000000001 00', 1],
  ['a length that is cut off', '04 82 01', 1],
  ['content that is cut off', '04 03 0000', 2],
  ['a child that leaves its parent', '30 03 04 02 00 00', 4],
  ['a tag of more octets', '1f 81 00 00', 0],
  ['bytes behind the element', '05 00 00', 2],
];
for (const [fact, hex, offset] of REFUSED_DER) {
  test(`refuses ${fact}`, () => {
    const result = decodeDer(bytes(hex));
    assert.equal(result.ok, false);
    if (!result.ok) assert.equal(result.offset, offset, result.reason);
  });
}

test('bounds depth and number of elements', () => {
  const wrap = (inner: Uint8Array, times: number): Uint8Array =>
    times === 0 ? inner : wrap(Uint8Array.of(0x30, inner.length, ...inner), times - 1);
  assert.equal(decodeDer(wrap(new Uint8Array(0), 24)).ok, true);
  assert.equal(decodeDer(wrap(new Uint8Array(0), 25)).ok, false);
  const flat = (count: number) =>
    Uint8Array.of(0x30, 0x82, (count * 2) >> 8, (count * 2) & 255, ...Array(count).fill([5, 0]).flat());
  assert.equal(decodeDer(flat(4_095)).ok, true);
  assert.equal(decodeDer(flat(4_096)).ok, false);
});

test('reads object identifiers in their shortest form', () => {
  assert.deepEqual(decodeOid(node('06 08 2a8648ce3d040302')), { ok: true, value: '1.2.840.10045.4.3.2' });
  assert.deepEqual(decodeOid(node('06 03 551d11')), { ok: true, value: '2.5.29.17' });
  assert.deepEqual(decodeOid(node('06 03 883703')), { ok: true, value: '2.999.3' });
  for (const hex of ['06 00', '06 02 8001', '06 02 2a86', '04 01 2a', '06 0a 2affffffffffffffff7f']) {
    assert.equal(decodeOid(node(hex)).ok, false, hex);
  }
});

test('reads integers, booleans and named bits in their one form', () => {
  assert.deepEqual(decodeIntegerHex(node('02 02 00ff')), { ok: true, value: '00ff' });
  assert.deepEqual(decodeSmallInteger(node('02 02 00ff')), { ok: true, value: 255 });
  for (const hex of ['02 00', '02 02 0001', '02 02 ff80', '04 01 01'])
    assert.equal(decodeIntegerHex(node(hex)).ok, false, hex);
  for (const hex of ['02 01 ff', '02 06 010000000000']) assert.equal(decodeSmallInteger(node(hex)).ok, false, hex);
  assert.deepEqual(decodeBoolean(node('01 01 ff')), { ok: true, value: true });
  for (const hex of ['01 01 01', '01 00', '01 02 ffff']) assert.equal(decodeBoolean(node(hex)).ok, false, hex);
  assert.deepEqual(decodeNamedBits(node('03 02 0780')), { ok: true, value: [0] });
  assert.deepEqual(decodeNamedBits(node('03 03 078080')), { ok: true, value: [0, 8] });
  assert.deepEqual(decodeNamedBits(node('03 01 00')), { ok: true, value: [] });
  for (const hex of ['03 00', '03 02 0080', '03 02 0881', '03 02 0600', '03 01 01'])
    assert.equal(decodeNamedBits(node(hex)).ok, false, hex);
});

test('reads times as RFC 5280 wants them', () => {
  const time = (tag: number, text: string) =>
    decodeTime(node(Buffer.from([tag, text.length, ...Buffer.from(text)]).toString('hex')));
  assert.deepEqual(time(0x17, '491231235959Z'), { ok: true, value: 2_524_607_999_000 });
  assert.deepEqual(time(0x17, '500101000000Z'), { ok: true, value: -631_152_000_000 });
  assert.deepEqual(time(0x18, '20500101000000Z'), { ok: true, value: 2_524_608_000_000 });
  const refused: readonly (readonly [number, string])[] = [
    [0x17, '260230000000Z'],
    [0x17, '261301000000Z'],
    [0x17, '260101240000Z'],
    [0x17, '2601010000Z'],
    [0x17, '260101000000+0100'],
    [0x18, '20260101000000Z'],
    [0x18, '20500101000000.5Z'],
    [0x17, '260101000000Z\n'],
    [0x04, '260101000000Z'],
  ];
  for (const [tag, text] of refused) assert.equal(time(tag, text).ok, false, text);
});

test('reads plain strings only', () => {
  assert.equal(decodeText(node('0c 03 70c3a9')), 'pé');
  assert.equal(decodeText(node('13 03 706531')), 'pe1');
  assert.equal(decodeText(node('13 02 7000')), undefined);
  assert.equal(decodeText(node('0c 01 ff')), undefined);
  assert.equal(decodeText(node('1e 02 0070')), undefined);
});

test('never throws on any bytes', () => {
  const tagged = fc.array(
    fc.constantFrom(0x30, 0x31, 0x02, 0x06, 0x03, 0x17, 0x80, 0x81, 0x00, 0x01, 0x02, 0x05, 0xff),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        tagged.map((list) => Uint8Array.from(list)),
      ),
      (input) => {
        const result = decodeDer(input);
        if (!result.ok) return;
        for (const each of [result.value, ...result.value.children]) {
          decodeOid(each);
          decodeTime(each);
          decodeNamedBits(each);
          decodeSmallInteger(each);
          decodeText(each);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
