// Captures without their payloads: headers stay as they were, what follows them is gone, and nothing makes it throw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutPayloads } from '#codec/pcap-headers.ts';

const FILE = Buffer.from('d4c3b2a1020004000000000000000000000004000100'.padEnd(48, '0'), 'hex');

function capture(...packets: readonly Buffer[]): Buffer {
  const records = packets.flatMap((packet) => {
    const head = Buffer.alloc(16);
    head.writeUInt32LE(packet.length, 8);
    head.writeUInt32LE(packet.length, 12);
    return [head, packet];
  });
  return Buffer.concat([FILE, ...records]);
}

const ETHER4 = Buffer.from('0200000000020200000000010800', 'hex');
const ETHER6 = Buffer.from('02000000000202000000000186dd', 'hex');
/** 198.18.0.1 to 198.18.0.2, TCP. */
const IP4 = Buffer.from('450000000000400040060000c6120001c6120002', 'hex');
/** Ports 40000 and 179, SYN, four octets of options. */
const TCP = Buffer.from('9c4000b30000000000000000600200000000000002040000', 'hex');
const SECRET = Buffer.from('GET /patient/4711');

/** fd00::1 to fd00::2 with a segment routing header of one segment, then UDP. */
const IP6 = Buffer.from('6000000000002b40fd000000000000000000000000000001fd000000000000000000000000000002', 'hex');
const SRH = Buffer.from('1102040000000000fd000000000000000000000000000002', 'hex');
const UDP = Buffer.from('9c40003500190000', 'hex');

test('a TCP segment keeps its headers with their options, and its length as it was on the wire [TS-32]', () => {
  const packet = Buffer.concat([ETHER4, IP4, TCP, SECRET]);
  const kept = Buffer.from(withoutPayloads(capture(packet)));
  assert.equal(kept.readUInt32LE(24 + 8), 58);
  assert.equal(kept.readUInt32LE(24 + 12), packet.length);
  assert.deepEqual(kept.subarray(40), Buffer.concat([ETHER4, IP4, TCP]));
  assert.doesNotMatch(kept.toString('latin1'), /patient/);
});

test('an IPv4 header that says it is shorter than one ends what is kept, and tunnels in tunnels are followed to the last [TS-32]', () => {
  const lengthOf = (...parts: readonly Buffer[]) =>
    Buffer.from(withoutPayloads(capture(Buffer.concat([ETHER4, ...parts, SECRET])))).readUInt32LE(24 + 8);
  const tunnel = Buffer.from(IP4);
  tunnel[9] = 4;
  for (const words of [0, 4]) {
    const short = Buffer.from(tunnel);
    short[0] = 0x40 | words;
    assert.equal(lengthOf(short), 14);
    assert.equal(lengthOf(tunnel, short), 14 + 20);
  }
  assert.equal(lengthOf(...Array.from({ length: 3_000 }, () => tunnel), IP4, TCP), 14 + 20 * 3_001 + 24);
});

test('what is tunnelled, and what is not known, loses its payload too [TS-32]', () => {
  const fragment = Buffer.from(IP4);
  fragment.writeUInt16BE(0x0010, 6);
  const unknown = Buffer.from('0200000000020200000000018999', 'hex');
  const tunnel = Buffer.from(IP6);
  tunnel[6] = 41;
  const inner = Buffer.from(IP6);
  inner[6] = 17;
  const sizes = [
    [Buffer.concat([ETHER6, tunnel, inner, UDP, SECRET]), 14 + 40 + 40 + 8],
    [Buffer.concat([ETHER4, fragment, SECRET]), 14 + 20],
    [Buffer.concat([unknown, SECRET]), 14],
  ] as const;
  const kept = Buffer.from(withoutPayloads(capture(...sizes.map(([packet]) => packet))));
  let at = 24;
  for (const [packet, size] of sizes) {
    assert.equal(kept.readUInt32LE(at + 8), size);
    assert.deepEqual(kept.subarray(at + 16, at + 16 + size), packet.subarray(0, size));
    at += 16 + size;
  }
  assert.equal(at, kept.length);
});

test('a segment routing header is a header [TS-32]', () => {
  const kept = Buffer.from(withoutPayloads(capture(Buffer.concat([ETHER6, IP6, SRH, UDP, SECRET]))));
  assert.deepEqual(kept.subarray(40), Buffer.concat([ETHER6, IP6, SRH, UDP]));
});

test('whatever comes, it ends, keeps no more than came, and a file of another kind becomes an empty one', () => {
  assert.equal(withoutPayloads(Buffer.from('no capture')).length, 0);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, framed) => {
      const kept = withoutPayloads(framed ? capture(Buffer.from(noise)) : Buffer.concat([FILE, noise]));
      assert.ok(kept.length <= FILE.length + 16 + noise.length);
    }),
  );
});
