// What opens a BGP session, read from captures: SYN in and no SYN-ACK out is the sign of a filter (TS-9).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from '#correlate/network/world.ts';
import { handshakeFacts } from '#correlate/observe/handshakes.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Factual } from '../handshake-frames.ts';
import { factsFrom, frame, pcap } from '../handshake-frames.ts';

const US = '192.0.2.1';
const THEM = '192.0.2.2';
const SYN = 2;
const SYN_ACK = 18;
const RST_ACK = 20;
const counts = ({ address, syns, synAcks, resets }: Factual) => ({ address, syns, synAcks, resets });

test('SYNs that are not answered, and who was asked [TS-9]', () => {
  const lost = [1, 2, 3].map((turn) => frame(THEM, 40_000 + turn, US, 179, SYN));
  assert.deepEqual(factsFrom(pcap(1, lost), [US]).map(counts), [{ address: US, syns: 3, synAcks: 0, resets: 0 }]);
});

test('answers and refusals are told apart, and what goes out to others is no answer of ours', () => {
  const frames = [
    frame(THEM, 40_001, US, 179, SYN),
    frame(US, 179, THEM, 40_001, SYN_ACK),
    frame(THEM, 40_002, US, 179, SYN),
    frame(US, 179, THEM, 40_002, RST_ACK),
    frame(US, 40_003, THEM, 179, SYN),
  ];
  assert.deepEqual(factsFrom(pcap(1, frames), [US]).map(counts), [{ address: US, syns: 2, synAcks: 1, resets: 1 }]);
});

test('IPv6 addresses are compared as numbers, however they are spelled', () => {
  const frames = [frame('2001:db8::2', 40_001, '2001:db8:0:0::1', 179, SYN)];
  assert.deepEqual(factsFrom(pcap(1, frames), ['2001:db8::1']).map(counts), [
    { address: '2001:db8::1', syns: 1, synAcks: 0, resets: 0 },
  ]);
});

test('another port, a truncated frame, an unknown link type and no capture at all give no fact', () => {
  const syn = frame(THEM, 40_001, US, 179, SYN);
  assert.deepEqual(factsFrom(pcap(1, [frame(THEM, 40_001, US, 80, SYN)]), [US]), []);
  assert.deepEqual(factsFrom(pcap(1, [syn.subarray(0, 30)]), [US]), []);
  assert.deepEqual(factsFrom(pcap(147, [syn]), [US]), []);
  assert.deepEqual(factsFrom(pcap(1, [syn]).subarray(0, 50), [US]), []);
  assert.deepEqual(factsFrom(Buffer.from('not a capture at all, but long enough'), [US]), []);
});

const COUNTED = [{ address: US, syns: 1, synAcks: 0, resets: 0 }];
const SYN_TO_US = frame(THEM, 40_001, US, 179, SYN);
const ETHERNET = 14;
const TCP_FLAGS_END = 14;

test('each link type has its own header before the packet', () => {
  const ip = SYN_TO_US.subarray(ETHERNET);
  for (const [type, header] of [
    [1, 14],
    [101, 0],
    [113, 16],
    [276, 20],
  ] as const)
    assert.deepEqual(
      factsFrom(pcap(type, [Buffer.concat([Buffer.alloc(header), ip])]), [US]).map(counts),
      COUNTED,
      `${type}`,
    );
});

test('a frame counts when it was kept up to the flags, and not when it ends before them', () => {
  const upTo = (frameOf: Buffer, header: number, bytes: number, own: string) =>
    factsFrom(pcap(1, [frameOf.subarray(0, ETHERNET + header + bytes)]), [own]).length;
  const six = frame('2001:db8::2', 40_001, '2001:db8::1', 179, SYN);
  assert.deepEqual([upTo(SYN_TO_US, 20, TCP_FLAGS_END, US), upTo(SYN_TO_US, 20, TCP_FLAGS_END - 1, US)], [1, 0]);
  assert.deepEqual(
    [upTo(six, 40, TCP_FLAGS_END, '2001:db8::1'), upTo(six, 40, TCP_FLAGS_END - 1, '2001:db8::1')],
    [1, 0],
  );
  for (const bytes of [0, 1, 19]) assert.equal(upTo(SYN_TO_US, 0, bytes, US), 0, `${bytes} of the IPv4 header`);
  for (const bytes of [1, 39]) assert.equal(upTo(six, 0, bytes, '2001:db8::1'), 0, `${bytes} of the IPv6 header`);
});

test('UDP, another version of IP, and options before TCP are read as what they are', () => {
  const changed = (at: number, value: number, source = SYN_TO_US) => {
    const copy = Buffer.from(source);
    copy[ETHERNET + at] = value;
    return copy;
  };
  const six = frame('2001:db8::2', 40_001, '2001:db8::1', 179, SYN);
  const from = (bytes: Buffer, own: string) => factsFrom(pcap(1, [bytes]), [own]).map(counts);
  assert.deepEqual(from(changed(9, 17), US), []);
  assert.deepEqual(from(changed(6, 17, six), '2001:db8::1'), []);
  assert.deepEqual(from(changed(0, 0x55), US), []);
  const options = Buffer.concat([
    changed(0, 0x46).subarray(0, ETHERNET + 20),
    Buffer.alloc(4),
    SYN_TO_US.subarray(ETHERNET + 20),
  ]);
  assert.deepEqual(from(options, US), COUNTED);
});

test('answers over IPv6 are counted by the address that sent them', () => {
  const [us, them] = ['2001:db8::1', '2001:db8::2'];
  const frames = [
    frame(them, 40_001, us, 179, SYN),
    frame(us, 179, them, 40_001, SYN_ACK),
    frame(them, 40_002, us, 179, SYN),
    frame(us, 179, them, 40_002, RST_ACK),
    frame(us, 80, them, 40_003, SYN_ACK),
  ];
  assert.deepEqual(factsFrom(pcap(1, frames), [us]).map(counts), [{ address: us, syns: 2, synAcks: 1, resets: 1 }]);
});

test('both orders of bytes, both units of time, and whole records before one that is cut are read', () => {
  const little = pcap(1, [SYN_TO_US, SYN_TO_US]);
  assert.deepEqual(factsFrom(little.subarray(0, little.length - 1), [US]).map(counts), COUNTED);
  assert.deepEqual(factsFrom(little.subarray(0, 24 + 16 + SYN_TO_US.length + 16), [US]).map(counts), COUNTED);
  const swapped = (magic: number) => {
    const capture = pcap(1, [SYN_TO_US]);
    for (const at of [20, 24 + 8, 24 + 12]) capture.writeUInt32BE(capture.readUInt32LE(at), at);
    capture.writeUInt32BE(magic, 0);
    return factsFrom(capture, [US]).map(counts);
  };
  assert.deepEqual([swapped(0xa1b2c3d4), swapped(0xa1b23c4d)], [COUNTED, COUNTED]);
  const nanoseconds = pcap(1, [SYN_TO_US]);
  nanoseconds.writeUInt32LE(0xa1b23c4d, 0);
  assert.deepEqual(factsFrom(nanoseconds, [US]).map(counts), COUNTED);
  nanoseconds.writeUInt32LE(0x0a0d0d0a, 0);
  assert.deepEqual(factsFrom(nanoseconds, [US]), []);
});

test('only a capture of handshakes with its port gives a fact, about addresses of the node that captured', () => {
  const entry = (change: object, args: object = {}) => ({
    ...{ id: 'probe/r1/capture/eth1', node: 'r1', kind: 'capture', phase: 'probe' },
    request: { params: { arguments: { interface: 'eth1', filter: 'handshake', port: 179, ...args } } },
    body: { pcap: pcap(1, [SYN_TO_US]).toString('base64') },
    ...change,
  });
  const owners = new Map([
    [US, [{ node: 'r1', ifname: 'lo' }]],
    [THEM, [{ node: 'r2', ifname: 'lo' }]],
  ]);
  const facts = (change: object, args?: object) =>
    handshakeFacts({ owners } as unknown as World, [entry(change, args)] as unknown as Evidence[]);
  assert.deepEqual(facts({}), [
    {
      subject: 'node/r1',
      predicate: 'handshakes',
      value: { node: 'r1', ifname: 'eth1', address: US, port: 179, syns: 1, synAcks: 0, resets: 0 },
      source: ['probe/r1/capture/eth1'],
      window: 'before..after',
    },
  ]);
  const none = [facts({ kind: 'state' }), facts({}, { filter: 'all' }), facts({}, { port: '179' }), facts({ body: 1 })];
  assert.deepEqual(none, [[], [], [], []]);
  assert.deepEqual(facts({ body: { pcap: 7 } }), []);
  assert.deepEqual(facts({ request: { params: {} } }), []);
  assert.deepEqual(facts({ node: 'r2' }), []);
});
