// IS-IS codecs: the byte examples of RFC 6823, PDUs that FRR sent, round trips, and everything that can be cut or bent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { fletcherChecksum } from '#codec/isis/fletcher.ts';
import { decodeGenericInformation, encodeGenericInformation } from '#codec/isis/geninfo.ts';
import { readLspContents } from '#codec/isis/lsp-contents.ts';
import {
  decodeLspEntries,
  decodePdu,
  encodeHello,
  encodeLsp,
  encodeSequenceNumbers,
  type IsisPdu,
} from '#codec/isis/pdu.ts';
import { decodeTlvs } from '#codec/isis/tlv.ts';
import { decodeDescriptor } from '#discovery/lldp/descriptor.ts';

const PLAIN = { noNullPrototype: true } as const;
const octets = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fixtures = new Map(
  readFileSync(join(import.meta.dirname, 'fixtures/isis-pdus.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(': ') as [string, string]),
);
const fixture = (name: string) => octets(fixtures.get(name)!);
function pdu<Kind extends IsisPdu['kind']>(name: string, kind: Kind): IsisPdu & { kind: Kind } {
  const decoded = decodePdu(fixture(name));
  assert.ok(decoded.ok && decoded.value.kind === kind, name);
  return decoded.value as IsisPdu & { kind: Kind };
}

test('generic information as in RFC 6823: the S flag alone, and with both addresses [CARD-2]', () => {
  const alone = octets('01 ff01 01 05 6d63703d31');
  const item = { type: 1, value: octets('6d63703d31') };
  const information = { domainWide: true, down: false, application: 0xff01, items: [item] };
  assert.deepEqual(decodeGenericInformation(alone), { ok: true, value: information });
  assert.deepEqual(encodeGenericInformation(information), { ok: true, value: alone });
  const both = octets('0d ff01 c0000201 20010db8000000000000000000000001 01 05 6d63703d31');
  const addressed = { ...information, ipv4: octets('c0000201'), ipv6: octets('20010db8000000000000000000000001') };
  assert.deepEqual(decodeGenericInformation(both), { ok: true, value: addressed });
  assert.deepEqual(encodeGenericInformation(addressed), { ok: true, value: both });
});

test('generic information that does not fit its form is refused, with the place', () => {
  const refused: readonly [string, string, number][] = [
    ['01', 'shorter than its fixed part', 1],
    ['01 0000', 'application id 0', 1],
    ['04 ff01 c00002', 'an address that runs over the end', 3],
    ['08 ff01 20010db8', 'an address that runs over the end', 3],
    ['00 ff01 01 05 6d63', 'a TLV that runs over the end', 3],
    ['04 ff01 c0000201 01', 'a TLV without a length', 7],
  ];
  for (const [hex, reason, offset] of refused)
    assert.deepEqual(decodeGenericInformation(octets(hex)), { ok: false, reason, offset }, hex);
  const form = { domainWide: false, down: false, items: [] };
  assert.equal(encodeGenericInformation({ ...form, application: 0 }).ok, false);
  assert.equal(encodeGenericInformation({ ...form, application: 1, ipv4: octets('c0') }).ok, false);
  const item = { type: 1, value: new Uint8Array(251) };
  assert.equal(encodeGenericInformation({ ...form, application: 1, items: [item] }).ok, false);
});

test('reserved flags and unknown items change nothing', () => {
  const decoded = decodeGenericInformation(octets('f2 ff01 c8 01 00'));
  assert.ok(decoded.ok);
  assert.deepEqual([decoded.value.down, decoded.value.domainWide], [true, false]);
  assert.deepEqual(decoded.value.items, [{ type: 0xc8, value: octets('00') }]);
});

test('the hello of FRR: level 2, its area, and whom it sees', () => {
  const { circuitType, systemId, holdSeconds, tlvs } = pdu('hello, up', 'hello');
  assert.deepEqual([circuitType, systemId, holdSeconds], [2, '000000000001', 30]);
  const of = (type: number) => hexOf(tlvs.find((tlv) => tlv.type === type)!.value);
  assert.equal(of(1), '03490001');
  assert.equal(of(240), '000000000202e2f38151e700000003');
  assert.equal(fixture('hello, up').length, 1497);
});

test('the LSP of FRR: neighbours, host name, checksum', () => {
  const lsp = pdu('lsp p2', 'lsp');
  assert.deepEqual(
    [lsp.lspId, lsp.sequence, lsp.checksum, lsp.lifetimeSeconds, lsp.overload],
    ['0000000000020000', 4, 0x9564, 0x045c, false],
  );
  const contents = readLspContents(lsp.contents);
  assert.deepEqual([...contents.neighbours].sort(), ['00000000000100', '00000000000300', '0224f4545f7500']);
  assert.deepEqual([contents.hostname, contents.authenticated, contents.faults], ['p2', false, []]);
});

test('FRR floods our LSP octet by octet: the descriptor of three hops away can be read [CARD-2]', () => {
  const lsp = pdu('lsp parley-pe3', 'lsp');
  const { generic, hostname, neighbours } = readLspContents(lsp.contents);
  assert.deepEqual([hostname, neighbours, lsp.overload], ['parley-pe3', ['00000000000300'], true]);
  const decoded = decodeDescriptor(generic[0]!.items[0]!.value);
  assert.ok(decoded.ok);
  assert.deepEqual([decoded.value.node, decoded.value.port], ['pe3', 9514]);
  assert.deepEqual(decoded.value.addresses, ['fd00:0:0:3::1', '198.18.255.3']);
});

test('sequence numbers of FRR, complete and partial', () => {
  const csnp = pdu('csnp of five', 'csnp');
  assert.deepEqual([csnp.systemId, csnp.first, csnp.last], ['000000000001', '0'.repeat(16), 'f'.repeat(16)]);
  const [first] = decodeLspEntries(csnp.tlvs[0]!.value);
  assert.deepEqual(first, { lifetimeSeconds: 0x046b, lspId: '0000000000010000', sequence: 4, checksum: 0xa3a2 });
  const psnp = pdu('psnp', 'psnp');
  const [acknowledged] = decodeLspEntries(psnp.tlvs[0]!.value);
  assert.deepEqual(acknowledged, {
    lifetimeSeconds: 0x04af,
    lspId: '02e2f38151e70000',
    sequence: 0x0cf57d8d,
    checksum: 0xb639,
  });
});

test('a purge has no contents, and its checksum is not judged', () => {
  const purge = pdu('purge of parley-pe3', 'lsp');
  assert.deepEqual([purge.lifetimeSeconds, purge.lspId, purge.contents.length], [0, '02678136f8700000', 0]);
  const bent = fixture('purge of parley-pe3');
  bent[24]! ^= 0xff;
  assert.equal(decodePdu(bent).ok, true);
});

test('the checksum is that of ISO 8473, and one flipped bit is seen', () => {
  const lsp = fixture('lsp pe1');
  assert.equal(fletcherChecksum(lsp.subarray(12)), 0xa3a2);
  for (let at = 12; at < lsp.length; at++) {
    const bent = lsp.slice();
    bent[at]! ^= 0x01;
    const decoded = decodePdu(bent);
    assert.equal(decoded.ok, false, `octet ${at}`);
  }
});

test('what is encoded can be decoded again', () => {
  const id = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((each) => hexOf(each));
  const word = fc.integer({ min: 0, max: 0xffff });
  const sequence = fc.integer({ min: 0, max: 0xffff_ffff });
  const tlv = fc.record({ type: fc.integer({ min: 0, max: 255 }), value: fc.uint8Array({ maxLength: 40 }) }, PLAIN);
  const tlvs = fc.array(tlv, { maxLength: 8 });
  fc.assert(
    fc.property(id, word, sequence, tlvs, fc.boolean(), (lspId, lifetimeSeconds, number, items, overload) => {
      const encoded = encodeLsp({ lspId, lifetimeSeconds, sequence: number, overload, tlvs: items });
      assert.ok(encoded.ok);
      const decoded = decodePdu(encoded.value);
      assert.ok(decoded.ok && decoded.value.kind === 'lsp');
      const { lspId: id, sequence: seq, lifetimeSeconds: life, overload: flag } = decoded.value;
      assert.deepEqual([id, seq, life, flag], [lspId, number, lifetimeSeconds, overload]);
      assert.deepEqual(decodeTlvs(decoded.value.contents), { ok: true, value: items });
    }),
  );
  const entry = fc.record({ lifetimeSeconds: word, lspId: id, sequence, checksum: word }, PLAIN);
  fc.assert(
    fc.property(
      fc.constantFrom('csnp' as const, 'psnp' as const),
      fc.array(entry, { maxLength: 90 }),
      (kind, entries) => {
        const encoded = encodeSequenceNumbers(kind, '0200aabbccdd', entries);
        assert.ok(encoded.ok);
        assert.ok(encoded.value.length <= 1_492);
        const decoded = decodePdu(encoded.value);
        assert.ok(decoded.ok && decoded.value.kind === kind);
        assert.deepEqual(
          decoded.value.tlvs.flatMap(({ value }) => decodeLspEntries(value)),
          entries,
        );
      },
    ),
  );
});

test('what cannot be sent is refused: a long TLV, too many entries', () => {
  const tlvs = [{ type: 251, value: new Uint8Array(256) }];
  const fixed = { lspId: '0'.repeat(16), sequence: 1, lifetimeSeconds: 1, overload: true };
  assert.equal(encodeLsp({ ...fixed, tlvs }).ok, false);
  const hello = { circuitType: 2, systemId: '0200aabbccdd', holdSeconds: 30, circuitId: 1 };
  assert.equal(encodeHello({ ...hello, tlvs }).ok, false);
  const entry = { lspId: '0'.repeat(16), sequence: 1, lifetimeSeconds: 1, checksum: 1 };
  assert.equal(encodeSequenceNumbers('psnp', '0200aabbccdd', Array(91).fill(entry)).ok, false);
});

test('any octets are a value or a fault, never an exception', () => {
  const heads = [...fixtures.values()].map((hex) => octets(hex));
  const bent = fc
    .tuple(
      fc.constantFrom(...heads),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
      fc.nat(),
    )
    .map(([head, changes, cut]) => {
      const copy = head.slice(0, cut % 3 === 0 ? cut % (head.length + 1) : head.length);
      for (const [at, octet] of changes) if (copy.length > 0) copy[at % Math.min(copy.length, 240)] = octet;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), bent), (input) => {
      const decoded = decodePdu(input);
      if (!decoded.ok) assert.ok((decoded.offset ?? 0) <= Math.max(input.length, 33));
      readLspContents(input);
      decodeGenericInformation(input);
      decodeTlvs(input);
      decodeLspEntries(input);
    }),
    { numRuns: 2_000 },
  );
});

test('a fixed part that does not fit is refused with its reason', () => {
  const hello = fixture('hello, up');
  const changed = (at: number, octet: number) => {
    const copy = hello.slice();
    copy[at] = octet;
    return decodePdu(copy);
  };
  const refused: readonly [number, number, string][] = [
    [0, 0x82, 'another protocol discriminator'],
    [1, 21, 'a fixed part of another length'],
    [2, 2, 'another version'],
    [3, 8, 'system ids of another length'],
    [17, 0xff, 'a length that does not fit'],
    [17, 0, 'a TLV that runs over the end'],
  ];
  for (const [at, octet, reason] of refused) {
    const decoded = changed(at, octet);
    assert.equal(decoded.ok ? 'accepted' : decoded.reason, reason, `octet ${at}`);
  }
  assert.deepEqual(changed(4, 15), { ok: true, value: { kind: 'other', type: 15 } });
});

test('an LSP with a faulty TLV keeps what came before it', () => {
  const contents = readLspContents(octets('89 02 7032  fb 02 00ff  fb 09 00'));
  assert.deepEqual([contents.hostname, contents.generic], ['p2', []]);
  assert.deepEqual(contents.faults, ['a TLV that runs over the end', 'TLV 251: shorter than its fixed part']);
});

test('neighbours in all three forms; a link of the largest metric is none (RFC 5305)', () => {
  const wide = '16 16 000000000001 00 00000a 00  000000000002 00 ffffff 00';
  const narrow = '02 0c 00 0a808080 000000000003 00';
  const topology = 'de 0f 0002 000000000004 00 00000a 02 aabb';
  assert.deepEqual(readLspContents(octets(wide + narrow + topology)).neighbours, [
    '00000000000100',
    '00000000000300',
    '00000000000400',
  ]);
});
