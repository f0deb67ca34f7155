// ARP frames by the layout of RFC 826, the probe of RFC 5227, and echoes: exact octets, and no frame that throws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBytes, decodeArp, encodeArpProbe, macText } from '#codec/arp.ts';
import { answersLinkEcho, decodeEchoReply, encodeEcho, encodeEcho6, encodeLinkEcho } from '#codec/icmp.ts';

const MAC = Uint8Array.from([0x02, 0x11, 0x22, 0x33, 0x44, 0x55]);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

test('an ARP probe asks for an address and claims none (RFC 5227 §2.1.1)', () => {
  const frame = 'ffffffffffff 021122334455 0806 0001 0800 06 04 0001 021122334455 00000000 000000000000 c613010a';
  assert.equal(hex(encodeArpProbe(MAC, '198.19.1.10')), frame.replaceAll(' ', ''));
});

test('a reply says who has an address', () => {
  const frame = bytes(
    '021122334455 02aabbccddee 0806 0001 0800 06 04 0002 02aabbccddee c613010a 021122334455 00000000',
  );
  assert.deepEqual(decodeArp(frame), {
    operation: 'reply',
    senderMac: '02:aa:bb:cc:dd:ee',
    senderAddress: '198.19.1.10',
    targetAddress: '0.0.0.0',
  });
});

test('what is no ARP over Ethernet and IPv4 is nothing', () => {
  const good = encodeArpProbe(MAC, '198.19.1.10');
  for (const [at, octet] of [
    [12, 0x86],
    [15, 6],
    [16, 0x86],
    [18, 8],
    [19, 16],
    [21, 9],
  ] as const) {
    const bad = Uint8Array.from(good);
    bad[at] = octet;
    assert.equal(decodeArp(bad), undefined, String(at));
  }
  assert.equal(decodeArp(good.subarray(0, 41)), undefined);
});

test('no octets make a decoder throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 90 }), (frame) => {
      decodeArp(frame);
      decodeEchoReply(frame, 1);
      answersLinkEcho(frame, 1);
    }),
  );
});

test('an echo carries the checksum of RFC 1071, and only its own reply is one', () => {
  assert.equal(hex(encodeEcho(0x1234, 2)), '0800e5c9123400020000000000000000');
  const reply = bytes('45000024 00000000 4001 0000 c613010a c613ff01 0000 edc9 1234 0002 0000000000000000');
  assert.equal(decodeEchoReply(reply, 0x1234), '198.19.1.10');
  assert.equal(decodeEchoReply(reply, 0x1235), undefined);
});

test('an echo is as long as asked for, its data zero, with the checksum of the short one', () => {
  const long = encodeEcho(0x1234, 2, 1_480);
  assert.deepEqual([long.length, hex(long.subarray(0, 16))], [1_480, hex(encodeEcho(0x1234, 2))]);
  assert.ok(long.subarray(8).every((octet) => octet === 0));
  assert.equal(encodeEcho(0x1234, 2, -20).length, 16, 'never shorter than its header');
  assert.equal(encodeEcho6(0x1234, 2, 1_460).length, 1_460);
  assert.equal(hex(encodeEcho(0x1234, 2, 1_481).subarray(0, 16)), hex(encodeEcho(0x1234, 2)), 'an odd length');
});

test('an echo to all nodes of a link goes to their multicast address and is recognised when it comes back', () => {
  const linkLocal = Uint8Array.from([0xfe, 0x80, ...new Array<number>(13).fill(0), 1]);
  const frame = encodeLinkEcho(MAC, linkLocal, 0x0a0b);
  assert.equal(hex(frame.subarray(0, 14)), '33330000000102112233445586dd');
  assert.equal(frame.length, 70);
  const reply = Uint8Array.from(frame);
  reply[54] = 129;
  assert.deepEqual([answersLinkEcho(frame, 0x0a0b), answersLinkEcho(reply, 0x0a0b)], [false, true]);
  assert.equal(macText(MAC), '02:11:22:33:44:55');
  assert.deepEqual([...addressBytes('198.19.1.10')], [198, 19, 1, 10]);
});
