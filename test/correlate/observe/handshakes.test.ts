// What opens a BGP session, read from captures: SYN in and no SYN-ACK out is the sign of a filter (TS-9).
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
