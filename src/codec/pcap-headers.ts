// Cuts the payloads out of a capture: each packet keeps its headers, as with a snap length of its own (the libpcap file format, Ethernet
// only). What is not known to be a header is not kept. Total: a file that is none of ours becomes an empty one.
const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const ETHERNET = 1;
/** Microsecond and nanosecond files, in this machine's order. */
const MAGICS: ReadonlySet<number> = new Set([0xa1b2c3d4, 0xa1b23c4d]);
/** Extension headers of IPv6 that another header follows. */
const EXTENSIONS: ReadonlySet<number> = new Set([0, 43, 60]);

export function withoutPayloads(pcap: Uint8Array): Uint8Array {
  const bytes = Buffer.from(pcap.buffer, pcap.byteOffset, pcap.byteLength);
  const isOurs =
    bytes.length >= FILE_HEADER && MAGICS.has(bytes.readUInt32LE(0)) && bytes.readUInt32LE(20) === ETHERNET;
  if (!isOurs) return new Uint8Array(0);
  const kept: Buffer[] = [bytes.subarray(0, FILE_HEADER)];
  for (let at = FILE_HEADER; at + RECORD_HEADER <= bytes.length; ) {
    const packet = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + bytes.readUInt32LE(at + 8));
    const headers = packet.subarray(0, Math.min(packet.length, etherBytes(packet)));
    const record = Buffer.from(bytes.subarray(at, at + RECORD_HEADER));
    record.writeUInt32LE(headers.length, 8);
    kept.push(record, headers);
    at += RECORD_HEADER + bytes.readUInt32LE(at + 8);
  }
  return Buffer.concat(kept);
}

/** Octets of headers; what follows an unknown type is payload. */
function etherBytes(packet: Buffer): number {
  let at = 12;
  while (at + 2 <= packet.length) {
    const type = packet.readUInt16BE(at);
    at += 2;
    if (type === 0x8100 || type === 0x88a8) at += 2;
    else if (type === 0x0800) return ipv4Bytes(packet, at);
    else if (type === 0x86dd) return ipv6Bytes(packet, at);
    // An ARP packet has addresses and nothing else.
    else return type === 0x0806 ? at + 28 : at;
  }
  return packet.length;
}

function ipv4Bytes(packet: Buffer, at: number): number {
  if (at + 20 > packet.length) return packet.length;
  const next = at + (packet[at]! & 0x0f) * 4;
  // Shorter than a header is (RFC 791 §3.1): what stands where cannot be known.
  if (next < at + 20) return at;
  const isFirst = (packet.readUInt16BE(at + 6) & 0x1fff) === 0;
  return isFirst ? upperBytes(packet, next, packet[at + 9]!) : next;
}

function ipv6Bytes(packet: Buffer, at: number): number {
  if (at + 40 > packet.length) return packet.length;
  let protocol = packet[at + 6]!;
  let next = at + 40;
  while (EXTENSIONS.has(protocol) && next + 8 <= packet.length) {
    protocol = packet[next]!;
    next += 8 + packet[next + 1]! * 8;
  }
  return upperBytes(packet, next, protocol);
}

/** IP in IP, TCP with its options, UDP, ICMP without what it quotes. */
function upperBytes(packet: Buffer, at: number, protocol: number): number {
  if (protocol === 4) return ipv4Bytes(packet, at);
  if (protocol === 41) return ipv6Bytes(packet, at);
  if (protocol === 6) return at + 13 <= packet.length ? at + (packet[at + 12]! >> 4) * 4 : packet.length;
  return protocol === 17 || protocol === 1 || protocol === 58 ? at + 8 : at;
}
