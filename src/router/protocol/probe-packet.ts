// Builds the packet of one probe: IPv4 or IPv6 + UDP, and around IPv6, for a SID list, outer IPv6 + Segment Routing Header
// (RFC 8754). The SRH is in the packet itself, so no route and no other state is ever made for a probe (TS-22).

export type PacketAddresses = {
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  /** SIDs in the order they are visited; none gives a plain IPv6 packet. */
  readonly segments: readonly Uint8Array[];
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly trafficClass?: number;
  /** 20 bits; the same for all probes of a session, so that they share one path. */
  readonly flowLabel: number;
};

const IPV4_BYTES = 20;
const IPV4_ADDRESS_BYTES = 4;
/** Version 4 and a header of five words (RFC 791 §3.1). */
const IPV4_FIRST_OCTET = 0x45;
/** A probe that is too large for a link must be lost there, not cut up. */
const DO_NOT_FRAGMENT = 0x4000;
const IPV6_BYTES = 40;
const UDP_BYTES = 8;
const NEXT_UDP = 17;
const NEXT_IPV6 = 41;
const NEXT_ROUTING = 43;
const HOP_LIMIT = 64;
const SRH_ROUTING_TYPE = 4;

/** The whole packet, ready for a raw socket. */
export function buildProbePacket(addresses: PacketAddresses, payload: Uint8Array): Uint8Array {
  const { segments, trafficClass = 0 } = addresses;
  const udpBytes = UDP_BYTES + payload.length;
  if (addresses.source.length === IPV4_ADDRESS_BYTES) {
    const packet = new Uint8Array(IPV4_BYTES + udpBytes);
    writeIpv4(packet, addresses);
    writeUdp(packet, IPV4_BYTES, addresses, payload);
    return packet;
  }
  const srhBytes = segments.length === 0 ? 0 : 8 + 16 * segments.length;
  const outerBytes = segments.length === 0 ? 0 : IPV6_BYTES + srhBytes;
  const packet = new Uint8Array(outerBytes + IPV6_BYTES + udpBytes);
  if (segments.length > 0) {
    const payloadBytes = srhBytes + IPV6_BYTES + udpBytes;
    writeIpv6(packet, 0, {
      payloadBytes,
      nextHeader: NEXT_ROUTING,
      source: addresses.source,
      destination: segments[0]!,
      trafficClass,
      flowLabel: addresses.flowLabel,
    });
    writeSrh(packet, IPV6_BYTES, segments);
  }
  writeIpv6(packet, outerBytes, {
    payloadBytes: udpBytes,
    nextHeader: NEXT_UDP,
    source: addresses.source,
    destination: addresses.destination,
    trafficClass,
    flowLabel: addresses.flowLabel,
  });
  writeUdp(packet, outerBytes + IPV6_BYTES, addresses, payload);
  return packet;
}

/** The kernel fills in identification and checksum of what leaves a raw socket (raw(7)). */
function writeIpv4(packet: Uint8Array, { source, destination, trafficClass = 0 }: PacketAddresses): void {
  const view = new DataView(packet.buffer);
  view.setUint8(0, IPV4_FIRST_OCTET);
  view.setUint8(1, trafficClass);
  view.setUint16(2, packet.length);
  view.setUint16(6, DO_NOT_FRAGMENT);
  view.setUint8(8, HOP_LIMIT);
  view.setUint8(9, NEXT_UDP);
  packet.set(source, 12);
  packet.set(destination, 16);
}

type Ipv6Fields = {
  readonly payloadBytes: number;
  readonly nextHeader: number;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly trafficClass: number;
  readonly flowLabel: number;
};

function writeIpv6(packet: Uint8Array, at: number, fields: Ipv6Fields): void {
  const view = new DataView(packet.buffer, at);
  view.setUint32(0, 0x6000_0000 + (fields.trafficClass & 0xff) * 0x10_0000 + (fields.flowLabel & 0xf_ffff));
  view.setUint16(4, fields.payloadBytes);
  view.setUint8(6, fields.nextHeader);
  view.setUint8(7, HOP_LIMIT);
  packet.set(fields.source, at + 8);
  packet.set(fields.destination, at + 24);
}

/** RFC 8754 §2: the segment list is in reverse order, Segments Left points at the one in the destination address. */
function writeSrh(packet: Uint8Array, at: number, segments: readonly Uint8Array[]): void {
  packet.set([NEXT_IPV6, 2 * segments.length, SRH_ROUTING_TYPE, segments.length - 1, segments.length - 1, 0, 0, 0], at);
  for (const [index, segment] of segments.toReversed().entries()) packet.set(segment, at + 8 + 16 * index);
}

function writeUdp(packet: Uint8Array, at: number, addresses: PacketAddresses, payload: Uint8Array): void {
  const view = new DataView(packet.buffer, at);
  view.setUint16(0, addresses.sourcePort);
  view.setUint16(2, addresses.destinationPort);
  view.setUint16(4, UDP_BYTES + payload.length);
  packet.set(payload, at + UDP_BYTES);
  const pseudo = sumWords(addresses.source) + sumWords(addresses.destination) + UDP_BYTES + payload.length + NEXT_UDP;
  view.setUint16(6, foldChecksum(pseudo + sumWords(packet.subarray(at))));
}

/** Sum of the 16-bit words; an odd last octet counts as a high one. */
function sumWords(bytes: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += bytes[index]! * 256 + (bytes[index + 1] ?? 0);
  return sum;
}

/** One's complement of the folded sum; 0 is sent as 0xffff, because UDP over IPv6 must have a checksum (RFC 8200 §8.1). */
function foldChecksum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 65_536);
  return folded === 0xffff ? 0xffff : 0xffff - folded;
}
