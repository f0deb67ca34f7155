// TCP segments in a capture (libpcap's file format, Ethernet or Linux cooked), of IPv4 and IPv6: as much as a controller wants to see of a handshake.

export type Segment = {
  /** With dots for IPv4, as 32 hexadecimal digits for IPv6. */
  readonly source: string;
  readonly destination: string;
  readonly from: number;
  readonly to: number;
  readonly isSyn: boolean;
  readonly isAck: boolean;
};

/** Octets before the IP header by link type, where the type of what follows stands in the last two. */
const LINK_OCTETS: Readonly<Record<number, number>> = { 1: 14, 113: 16 };
const [IPV4, IPV6, TCP] = [0x0800, 0x86dd, 6];

export function segmentsIn(pcap: Buffer): readonly Segment[] {
  if (pcap.length < 24) return [];
  const isLittle = pcap.readUInt32LE(0) === 0xa1b2c3d4 || pcap.readUInt32LE(0) === 0xa1b23c4d;
  const number = (at: number) => (isLittle ? pcap.readUInt32LE(at) : pcap.readUInt32BE(at));
  const skip = LINK_OCTETS[number(20)];
  if (skip === undefined) throw new Error(`expected Ethernet or Linux cooked, got link type ${number(20)}`);
  const found: Segment[] = [];
  for (let at = 24; at + 16 <= pcap.length; at += 16 + number(at + 8)) {
    const packet = pcap.subarray(at + 16, at + 16 + number(at + 8));
    const segment = packet.length < skip ? undefined : tcpIn(packet.subarray(skip), packet.readUInt16BE(skip - 2));
    if (segment !== undefined) found.push(segment);
  }
  return found;
}

function tcpIn(ip: Buffer, type: number): Segment | undefined {
  const isFour = type === IPV4 && ip.length >= 20 && ip[9] === TCP;
  const isSix = type === IPV6 && ip.length >= 40 && ip[6] === TCP;
  if (!isFour && !isSix) return undefined;
  const tcp = ip.subarray(isFour ? (ip[0]! & 15) * 4 : 40);
  if (tcp.length < 14) return undefined;
  const flags = tcp[13]!;
  const addressAt = (at: number) =>
    isFour ? ip.subarray(at, at + 4).join('.') : ip.subarray(at, at + 16).toString('hex');
  const [source, destination] = isFour ? [addressAt(12), addressAt(16)] : [addressAt(8), addressAt(24)];
  return {
    source,
    destination,
    from: tcp.readUInt16BE(0),
    to: tcp.readUInt16BE(2),
    isSyn: (flags & 2) !== 0,
    isAck: (flags & 16) !== 0,
  };
}
