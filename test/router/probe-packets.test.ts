// The packets of probes, octet by octet, and which addresses a probe run may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeRequest } from '#model/router/probe-schema.ts';
import { checked } from '#model/wire/check.ts';
import { ipv6Bytes } from '#router/native/addresses.ts';
import { buildProbePacket } from '#router/protocol/probe-packet.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('a marked probe carries its traffic class in every IPv6 header (RFC 8200 §7)', () => {
  const addresses = {
    ...{ source: ipv6Bytes('fd00::1')!, destination: ipv6Bytes('fd00::3')!, sourcePort: 0x8001 },
    ...{ destinationPort: 9515, flowLabel: 0x12345, trafficClass: 0xb8 },
  };
  const first = (segments: readonly Uint8Array[]) =>
    hex(buildProbePacket({ ...addresses, segments }, Uint8Array.of(1))).slice(0, 8);
  assert.equal(first([]), '6b812345');
  assert.equal(first([ipv6Bytes('fd00:5a:3::d6')!]), '6b812345');
});

test('a probe packet is IPv6, SRH and IPv6 with UDP, octet by octet (RFC 8754)', () => {
  const packet = buildProbePacket(
    {
      source: ipv6Bytes('fd00::1')!,
      destination: ipv6Bytes('fd00::3')!,
      segments: [ipv6Bytes('fd00:5a:2::e')!, ipv6Bytes('fd00:5a:3::d6')!],
      sourcePort: 0x8001,
      destinationPort: 9515,
      flowLabel: 0x12345,
    },
    Uint8Array.of(1, 2, 3),
  );
  assert.equal(
    hex(packet),
    [
      '6001234500 5b2b40',
      'fd000000000000000000000000000001 fd00005a00020000000000000000000e',
      '29 04 04 01 01 00 0000',
      'fd00005a0003000000000000000000d6 fd00005a00020000000000000000000e',
      '60012345000b1140',
      'fd000000000000000000000000000001 fd000000000000000000000000000003',
      '8001252b000b 5ca4 010203',
    ]
      .join('')
      .replaceAll(' ', ''),
  );
});

test('a probe over IPv4 is one packet that no router may cut up, octet by octet (RFC 791, RFC 768)', () => {
  const packet = buildProbePacket(
    {
      ...{ source: Uint8Array.of(192, 0, 2, 1), destination: Uint8Array.of(198, 51, 100, 7), segments: [] },
      ...{ sourcePort: 0x8001, destinationPort: 9515, flowLabel: 0x12345, trafficClass: 0xb8 },
    },
    Uint8Array.of(1, 2, 3),
  );
  assert.equal(
    hex(packet),
    '45b8001f 00004000 40110000 c0000201 c6336407 8001252b000b 6a6d 010203'.replaceAll(' ', ''),
  );
});

test('a probe run has addresses of one family, and SIDs over IPv6 alone', () => {
  const run = { segments: [], count: 1, intervalMs: 1, payloadBytes: 64, lingerMs: 1 };
  const taken = (more: object) => checked(probeRequest, { ...run, ...more });
  assert.equal(taken({ destination: '192.0.2.1', source: '198.51.100.7' }).destination, '192.0.2.1');
  for (const wrong of [
    { destination: '192.0.2.1', source: 'fd00::1' },
    { destination: '192.0.2.1', segments: ['fd00:5a:2::e'] },
    { destination: 'fd00::1', source: '192.0.2.1' },
  ])
    assert.throws(() => taken(wrong), /addresses of one family, and SIDs with IPv6 alone/);
  for (const destination of ['127.0.0.1', '224.0.0.5', '0.0.0.0', ['169', '254.1.1'].join('.'), '255.255.255.255'])
    assert.throws(() => taken({ destination }), /an address of a node/);
});
