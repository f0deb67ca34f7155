// Captures made by hand, and the facts that correlation reads from them.

import type { World } from '#correlate/network/world.ts';
import { handshakeFacts } from '#correlate/observe/handshakes.ts';
import type { Evidence } from '#model/evidence.ts';

export type Factual = {
  readonly address: string;
  readonly syns: number;
  readonly synAcks: number;
  readonly resets: number;
};

/** An Ethernet frame with one TCP header and no data. */
export function frame(source: string, sourcePort: number, destination: string, port: number, flags: number): Buffer {
  const tcp = Buffer.alloc(20);
  tcp.writeUInt16BE(sourcePort, 0);
  tcp.writeUInt16BE(port, 2);
  tcp[12] = 0x50;
  tcp[13] = flags;
  const six = source.includes(':');
  const ip = Buffer.alloc(six ? 40 : 20);
  ip[0] = six ? 0x60 : 0x45;
  ip[six ? 6 : 9] = 6;
  bytesOf(source).copy(ip, six ? 8 : 12);
  bytesOf(destination).copy(ip, six ? 24 : 16);
  return Buffer.concat([Buffer.alloc(14), ip, tcp]);
}

/** The file that tcpdump writes on a little-endian machine. */
export function pcap(linkType: number, frames: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt32LE(linkType, 20);
  const records = frames.flatMap((bytes) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(bytes.length, 8);
    record.writeUInt32LE(bytes.length, 12);
    return [record, bytes];
  });
  return Buffer.concat([header, ...records]);
}

/** Facts of a capture on r1, which has these addresses. */
export function factsFrom(capture: Buffer, addresses: readonly string[]): readonly Factual[] {
  const args = { interface: 'eth1', filter: 'handshake', port: 179 };
  const entry = {
    id: 'probe/r1/capture/eth1',
    purpose: { kind: 'handshake-capture', ifname: 'eth1' },
    node: 'r1',
    kind: 'capture',
    phase: 'probe',
    request: { method: 'tools/call', params: { name: 'parley-capture', arguments: args } },
    body: { pcap: capture.toString('base64') },
  } as unknown as Evidence;
  const owners = new Map(addresses.map((address) => [address, [{ node: 'r1', ifname: 'lo' }]]));
  const facts = handshakeFacts({ owners } as unknown as World, [entry]);
  return facts.map((fact) => fact.value as unknown as Factual);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups(left).length - groups(right).length }, () => '0');
  return Buffer.from(
    [...groups(left), ...zeros, ...groups(right)].map((group) => group.padStart(4, '0')).join(''),
    'hex',
  );
}
