// The information of our LLDP TLV: octets both ways, what is refused, and that nothing makes the decoder throw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Descriptor, decodeDescriptor, encodeDescriptor } from '#discovery/lldp/descriptor.ts';
import { PARLEY_OUI } from '#model/peer.ts';

const THUMB = '11'.repeat(32);
const NEXT = '22'.repeat(32);
const HASH = '33'.repeat(16);
const small: Descriptor = {
  node: 'p2',
  port: 9514,
  thumbprint: THUMB,
  capabilitiesHash: HASH,
  addresses: ['fd00::2', '198.18.0.2'],
};
const SMALL_HEX = [
  '01252a',
  '01027032',
  `0220${THUMB}`,
  `0410${HASH}`,
  '0510fd000000000000000000000000000002',
  '0504c6120002',
].join('');

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (descriptor: Descriptor) => {
  const encoded = encodeDescriptor(descriptor);
  return encoded.ok ? Buffer.from(encoded.value).toString('hex') : encoded.reason;
};

test("the OUI is nobody's: locally administered and not a group address [TS-13]", () => {
  assert.equal(Number.parseInt(PARLEY_OUI.slice(0, 2), 16) & 0x03, 0x02);
});

test('encodes version, port and elements in a fixed order [TS-13]', () => {
  assert.equal(hexOf(small), SMALL_HEX);
  assert.equal(
    hexOf({ ...small, nextThumbprint: NEXT, addresses: [] }),
    `01252a010270320220${THUMB}0320${NEXT}0410${HASH}`,
  );
});

test('decodes what it encodes, with the capability list where it fits [TS-13]', () => {
  assert.deepEqual(decodeDescriptor(bytes(SMALL_HEX)), { ok: true, value: small });
  const capabilities = ['ietf-srv6-ping', 'parley-node-state', 'parley-peers'];
  const encoded = encodeDescriptor({ ...small, capabilities });
  assert.ok(encoded.ok);
  assert.deepEqual(decodeDescriptor(encoded.value), { ok: true, value: { ...small, capabilities } });
});

test('never grows beyond 200 octets: the list goes first, then the last addresses [TS-13]', () => {
  const node = 'n'.repeat(63);
  const addresses = ['fd00::1', '198.18.0.1', 'fd00::2', 'fd00::3'];
  const capabilities = Array.from({ length: 12 }, (_, index) => `parley-capability-${index}`);
  const encoded = encodeDescriptor({ ...small, node, nextThumbprint: NEXT, addresses, capabilities });
  assert.ok(encoded.ok);
  assert.equal(encoded.value.length, 196);
  const decoded = decodeDescriptor(encoded.value);
  assert.ok(decoded.ok);
  assert.deepEqual(
    [decoded.value.addresses, decoded.value.capabilities],
    [['fd00::1', '198.18.0.1', 'fd00::2'], undefined],
  );
});

test('refuses to encode what a neighbour would refuse', () => {
  const cases: readonly (readonly [Partial<Descriptor>, string])[] = [
    [{ node: 'PE-1' }, 'expected a node name'],
    [{ port: 0 }, 'expected a port of 1 to 65535'],
    [{ thumbprint: 'AB'.repeat(32) }, 'expected SHA-256 values in lower-case hex'],
    [{ capabilitiesHash: '33' }, 'expected SHA-256 values in lower-case hex'],
    [{ nextThumbprint: 'x' }, 'expected SHA-256 values in lower-case hex'],
    [{ addresses: ['fe80::1'] }, 'expected addresses that can be dialled'],
    [{ capabilities: ['a,b'] }, 'expected capability names'],
  ];
  for (const [change, reason] of cases) assert.equal(hexOf({ ...small, ...change }), reason);
});

test('rejects malformed octets with the reason and the place [TS-13]', () => {
  const head = `01252a01027032`;
  const whole = `${head}0220${THUMB}0410${HASH}`;
  const cases: readonly (readonly [string, string, number])[] = [
    ['', 'shorter than its fixed part', 0],
    ['0125', 'shorter than its fixed part', 2],
    ['02252a', 'version 2 instead of 1', 0],
    ['010000', 'port 0', 1],
    ['01252a', 'no node name', 3],
    [`${head}`, 'no thumbprint', 7],
    [`${head}0220${THUMB}`, 'no hash of the capability list', 41],
    ['01252a01', 'an element without a length', 3],
    ['01252a01057032', 'an element that runs over the end', 3],
    ['01252a0100', 'an invalid or repeated node name', 3],
    ['01252a01025032', 'an invalid or repeated node name', 3],
    ['01252a01027f32', 'an invalid or repeated node name', 3],
    [`${head}01027032`, 'an invalid or repeated node name', 7],
    [`${head}0202${'11'.repeat(2)}`, 'an invalid or repeated thumbprint', 7],
    [`${whole}0220${THUMB}`, 'an invalid or repeated thumbprint', 59],
    [`${whole}0302aabb`, 'an invalid or repeated next thumbprint', 59],
    [`${whole}0401aa`, 'an invalid or repeated capability hash', 59],
    [`${whole}0503c61200`, 'an address that cannot be dialled', 59],
    [`${whole}05047f000001`, 'an address that cannot be dialled', 59],
    [`${whole}0510fe80${'00'.repeat(13)}01`, 'an address that cannot be dialled', 59],
    [`${whole}0510${'00'.repeat(10)}ffffc6120002`, 'an address that cannot be dialled', 59],
    [`${whole}${'0504c6120002'.repeat(9)}`, 'too many addresses', 107],
    [`${whole}060141`, 'an invalid or repeated capability list', 59],
    [`${whole}0600`, 'an invalid or repeated capability list', 59],
    [`${whole}06016106016a`, 'an invalid or repeated capability list', 62],
    [`${'00'.repeat(201)}`, 'longer than a descriptor may be', 200],
  ];
  for (const [hex, reason, offset] of cases)
    assert.deepEqual(decodeDescriptor(bytes(hex)), { ok: false, reason, offset }, hex);
});

test('skips elements that it does not know [TS-13]', () => {
  assert.deepEqual(decodeDescriptor(bytes(`${SMALL_HEX}f903aabbccee00`)), { ok: true, value: small });
});

const hex = (byteCount: number) =>
  fc.uint8Array({ minLength: byteCount, maxLength: byteCount }).map((each) => Buffer.from(each).toString('hex'));
const descriptor = fc.record(
  {
    node: fc.stringMatching(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/),
    port: fc.integer({ min: 1, max: 65_535 }),
    thumbprint: hex(32),
    nextThumbprint: hex(32),
    capabilitiesHash: hex(16),
    addresses: fc.constantFrom([], ['fd00::1'], ['2001:db8::1:0:0:1', '192.0.2.1']),
  },
  { requiredKeys: ['node', 'port', 'thumbprint', 'capabilitiesHash', 'addresses'], noNullPrototype: true },
);

test('any descriptor survives the way to octets and back [TS-13]', () => {
  fc.assert(
    fc.property(descriptor, (value) => {
      const encoded = encodeDescriptor(value);
      assert.ok(encoded.ok && encoded.value.length <= 200);
      assert.deepEqual(decodeDescriptor(encoded.value), { ok: true, value });
    }),
  );
});

test('no octets make the decoder throw, and what it accepts it can say again [TS-13]', () => {
  const good = [...bytes(SMALL_HEX)];
  const mutated = fc
    .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const octets = Uint8Array.from(good);
      for (const [at, value] of changes) octets[at] = value;
      return octets;
    });
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 220 })), (octets) => {
      const decoded = decodeDescriptor(octets);
      if (!decoded.ok) return;
      const again = encodeDescriptor(decoded.value);
      assert.ok(again.ok);
      assert.deepEqual(decodeDescriptor(again.value), decoded);
    }),
    { numRuns: 3_000 },
  );
});
