// TCP handshakes in a capture → facts: which host asked which for a session, and what was answered. Reads Ethernet, Linux cooked and raw
// frames of IPv4 and IPv6; what it cannot read it leaves out. Pure.
import { parsePrefix } from '#base/ip.ts';
import { isJsonObject } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { nodeResource } from '#model/names.ts';
import type { Fact, Handshakes } from '../engine/facts.ts';
import type { World } from '../network/world.ts';

const PCAP_HEADER = 24;
const RECORD_HEADER = 16;
const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;
/** Octets before the IP header, by link type (tcpdump.org's list): Ethernet, raw IP, Linux cooked in both versions. */
const LINK_HEADER: Readonly<Record<number, number>> = { 1: 14, 101: 0, 113: 16, 276: 20 };
const SYN = 0x02;
const RST = 0x04;
const ACK = 0x10;

type Segment = {
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  readonly flags: number;
};

/** One fact for each address of a node to which a peer tried to open a session on the captured port. */
export function handshakeFacts(world: World, evidence: readonly Evidence[]): readonly Fact[] {
  return evidence.flatMap((entry): readonly Fact[] => {
    const args = entry.request.params['arguments'];
    if (entry.kind !== 'capture' || !isJsonObject(args) || args['filter'] !== 'handshake') return [];
    const [port, pcap] = [args['port'], isJsonObject(entry.body) ? entry.body['pcap'] : undefined];
    if (typeof port !== 'number' || typeof pcap !== 'string') return [];
    const segments = segmentsOf(Buffer.from(pcap, 'base64'));
    const own = [...world.owners].filter(([, ends]) => ends.some((end) => end.node === entry.node)).map(([one]) => one);
    return own.flatMap((address): readonly Fact[] => {
      const value = countOf(segments, keyOfText(address), port);
      if (value.syns === 0) return [];
      const about = { node: entry.node, ifname: String(args['interface']), address, port };
      return [
        {
          subject: nodeResource(entry.node),
          predicate: 'handshakes',
          value: { ...about, ...value },
          source: [entry.id],
          window: 'before..after',
        },
      ];
    });
  });
}

function countOf(
  segments: readonly Segment[],
  address: string,
  port: number,
): Pick<Handshakes, 'syns' | 'synAcks' | 'resets'> {
  const asked = segments.filter((each) => each.destination === address && each.destinationPort === port);
  const answered = segments.filter((each) => each.source === address && each.sourcePort === port);
  return {
    syns: asked.filter(({ flags }) => (flags & (SYN | ACK)) === SYN).length,
    synAcks: answered.filter(({ flags }) => (flags & (SYN | ACK)) === (SYN | ACK)).length,
    resets: answered.filter(({ flags }) => (flags & RST) !== 0).length,
  };
}

function segmentsOf(pcap: Buffer): readonly Segment[] {
  if (pcap.length < PCAP_HEADER) return [];
  const little = [MICROSECONDS, NANOSECONDS].includes(pcap.readUInt32LE(0));
  if (!little && ![MICROSECONDS, NANOSECONDS].includes(pcap.readUInt32BE(0))) return [];
  const word = (at: number) => (little ? pcap.readUInt32LE(at) : pcap.readUInt32BE(at));
  const header = LINK_HEADER[word(20) & 0xffff];
  if (header === undefined) return [];
  const found: Segment[] = [];
  let at = PCAP_HEADER;
  while (at + RECORD_HEADER <= pcap.length) {
    const bytes = word(at + 8);
    const start = at + RECORD_HEADER;
    if (start + bytes > pcap.length) break;
    const segment = segmentOf(pcap.subarray(start + header, start + bytes));
    if (segment !== undefined) found.push(segment);
    at = start + bytes;
  }
  return found;
}

function segmentOf(ip: Buffer): Segment | undefined {
  const version = ip.length === 0 ? 0 : ip[0]! >> 4;
  if (version === 4 && ip.length >= 20 && ip[9] === 6)
    return tcpOf(ip, (ip[0]! & 0x0f) * 4, keyOf(4, ip.subarray(12, 16)), keyOf(4, ip.subarray(16, 20)));
  if (version === 6 && ip.length >= 40 && ip[6] === 6)
    return tcpOf(ip, 40, keyOf(6, ip.subarray(8, 24)), keyOf(6, ip.subarray(24, 40)));
  return undefined;
}

function tcpOf(ip: Buffer, at: number, source: string, destination: string): Segment | undefined {
  if (ip.length < at + 14) return undefined;
  return {
    source,
    destination,
    sourcePort: ip.readUInt16BE(at),
    destinationPort: ip.readUInt16BE(at + 2),
    flags: ip[at + 13]!,
  };
}

/** An address as a number, so that its spelling does not matter. */
function keyOf(family: 4 | 6, bytes: Buffer): string {
  return `${family}/${BigInt(`0x${bytes.toString('hex')}`)}`;
}

function keyOfText(address: string): string {
  const prefix = parsePrefix(address);
  return prefix === undefined ? '' : `${prefix.family}/${prefix.value}`;
}
