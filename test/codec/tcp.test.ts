// Connection requests and the answers to them, as a kernel sent and answered them; and neighbour solicitations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { advertisedTarget, encodeSolicitation } from '#codec/icmp.ts';
import { decodeSynAnswer, encodeSyn } from '#codec/tcp.ts';
import { addressBytes } from '#router/native/addresses.ts';

const octets = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
/** RFC 1071 over a pseudo-header and what follows: zero where the checksum is right. */
const remainder = (bytes: Uint8Array): number => {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += bytes[index]! * 256 + (bytes[index + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
};

test('a SYN has the ports and the sequence number it was given, and a right checksum in either family', () => {
  for (const [source, destination] of [
    ['198.18.0.0', '198.18.0.1'],
    ['fd00:1::', 'fd00:1::1'],
  ] as const) {
    const ends = { source: addressBytes(source)!, destination: addressBytes(destination)! };
    const segment = encodeSyn(ends, { from: 61_441, to: 9_514 }, 0xfffffff0);
    const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
    assert.deepEqual(
      [view.getUint16(0), view.getUint16(2), view.getUint32(4), segment[12]! >> 4, segment[13]],
      [61_441, 9_514, 0xfffffff0, 6, 0x02],
    );
    const pseudo = [...ends.source, ...ends.destination, 0, segment.length, 0, 6];
    assert.equal(remainder(Uint8Array.from([...pseudo, ...segment])), 0);
  }
});

test('a SYN that is answered by SYN and ACK met a listener, one by RST and ACK a closed port', () => {
  // Ports 9514 to 61441; the acknowledged number is one after that of the SYN.
  const opened = octets('252a f001 11223344 00000001 6012 fd5c 0000 0000 02040218');
  assert.deepEqual(decodeSynAnswer(opened), { from: 9_514, to: 61_441, sequence: 0, opens: true });
  const refused = octets('252a f001 00000000 00000000 5014 0000 0000 0000');
  assert.deepEqual(decodeSynAnswer(refused), { from: 9_514, to: 61_441, sequence: 0xffffffff, opens: false });
});

test('what is no answer to a SYN is none, whatever it holds', () => {
  assert.equal(decodeSynAnswer(octets('252a f001 11223344 00000001 5010 fd5c 0000 0000')), undefined, 'a mere ACK');
  assert.equal(decodeSynAnswer(octets('252a f001 11223344 00000001 5004 0000 0000 0000')), undefined, 'RST alone');
  fc.assert(fc.property(fc.uint8Array({ maxLength: 19 }), (bytes) => decodeSynAnswer(bytes) === undefined));
});

test('a solicitation asks the solicited-node group from the link-local address, and an advertisement says whose address it is', () => {
  const [own, target] = [addressBytes('fe80::1')!, addressBytes('fd00:c:3::1')!];
  const mac = octets('02 00 00 00 03 03');
  const frame = encodeSolicitation(mac, own, target);
  assert.equal(Buffer.from(frame.subarray(0, 14)).toString('hex'), '3333ff00000102000000030386dd');
  assert.deepEqual([frame[21], frame[54], Uint8Array.from(frame.subarray(62, 78))], [255, 135, target]);
  const pseudo = [...frame.subarray(22, 54), 0, 0, 0, 32, 0, 0, 0, 58];
  assert.equal(remainder(Uint8Array.from([...pseudo, ...frame.subarray(54)])), 0);
  assert.equal(advertisedTarget(frame), undefined);
  const answer = Buffer.from(frame);
  answer[54] = 136;
  assert.deepEqual(Uint8Array.from(advertisedTarget(answer)!), target);
  assert.equal(advertisedTarget(answer.subarray(0, 70)), undefined);
});
