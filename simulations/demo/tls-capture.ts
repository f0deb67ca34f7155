// What the TLS handshakes in a capture say of their version: reads PCAP (Ethernet or cooked), TCP and the clear part of TLS (RFC 8446 §4.1,
// §4.2.1). Decides nothing by the port number alone: a connection whose first bytes are no TLS record counts as plain text.

export type TlsSummary = {
  /** ServerHello messages by the version they selected: `1.3`, `1.2`, … */
  readonly versions: Readonly<Record<string, number>>;
  /** Connections that began with something else than a TLS record. */
  readonly plainText: number;
  /** Connections that were open before the capture began: TLS records, but no handshake to read. */
  readonly underWay: number;
  readonly packets: number;
};

const TLS_PORT = 9514;
const PCAP_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const LINK_ETHERNET = 1;
const LINK_COOKED_V2 = 276;
const HANDSHAKE = 0x16;
const SUPPORTED_VERSIONS = 43;
const VERSION_NAMES: Readonly<Record<number, string>> = { 772: '1.3', 771: '1.2', 770: '1.1', 769: '1.0' };

/** `pcap`: a little-endian PCAP file as tcpdump writes it. A file that was cut short is read as far as it goes. */
export function summarizeTls(pcap: Buffer): TlsSummary {
  const versions: Record<string, number> = {};
  const begun = new Set<string>();
  let packets = 0;
  let plainText = 0;
  let underWay = 0;
  const linkType = pcap.length >= PCAP_HEADER_BYTES ? pcap.readUInt32LE(20) : LINK_ETHERNET;
  for (const frame of framesOf(pcap)) {
    const segment = tcpSegment(frame, linkType);
    if (segment === undefined || segment.payload.length === 0) continue;
    packets++;
    if (begun.has(segment.flow)) continue;
    begun.add(segment.flow);
    const first = segment.payload[0]!;
    if (first !== HANDSHAKE && isTlsRecord(segment.payload)) underWay++;
    else if (first !== HANDSHAKE) plainText++;
    else if (segment.fromServer) {
      const version = selectedVersion(segment.payload) ?? 'unreadable';
      versions[version] = (versions[version] ?? 0) + 1;
    }
  }
  return { versions, plainText, underWay, packets };
}

/** A record of TLS 1.2 or later: type 20 to 23, legacy version 0x0303 (RFC 8446 §5.1). */
function isTlsRecord(payload: Buffer): boolean {
  return payload.length >= 3 && payload[0]! >= 20 && payload[0]! <= 23 && payload.readUInt16BE(1) === 0x0303;
}

function* framesOf(pcap: Buffer): Generator<Buffer> {
  let offset = PCAP_HEADER_BYTES;
  while (offset + RECORD_HEADER_BYTES <= pcap.length) {
    const length = pcap.readUInt32LE(offset + 8);
    const start = offset + RECORD_HEADER_BYTES;
    if (start + length > pcap.length) return;
    yield pcap.subarray(start, start + length);
    offset = start + length;
  }
}

type Segment = { readonly flow: string; readonly fromServer: boolean; readonly payload: Buffer };

function tcpSegment(frame: Buffer, linkType: number): Segment | undefined {
  const linkBytes = linkType === LINK_COOKED_V2 ? 20 : 14;
  const etherType = frame.readUInt16BE(linkType === LINK_COOKED_V2 ? 0 : 12);
  const ip = frame.subarray(linkBytes);
  const isV6 = etherType === 0x86dd;
  if (!isV6 && etherType !== 0x0800) return undefined;
  const headerBytes = isV6 ? 40 : (ip[0]! & 0x0f) * 4;
  const protocol = isV6 ? ip[6] : ip[9];
  const totalBytes = isV6 ? 40 + ip.readUInt16BE(4) : ip.readUInt16BE(2);
  if (protocol !== 6 || ip.length < headerBytes + 20) return undefined;
  const tcp = ip.subarray(headerBytes, totalBytes);
  const [sourcePort, targetPort] = [tcp.readUInt16BE(0), tcp.readUInt16BE(2)];
  const addresses = isV6 ? ip.subarray(8, 40).toString('hex') : ip.subarray(12, 20).toString('hex');
  return {
    flow: `${addresses} ${sourcePort} ${targetPort}`,
    fromServer: sourcePort === TLS_PORT,
    payload: tcp.subarray((tcp[12]! >> 4) * 4),
  };
}

/** The version of a ServerHello: `supported_versions` where it is there, else the legacy field. */
function selectedVersion(record: Buffer): string | undefined {
  const hello = record.subarray(5);
  if (hello[0] !== 0x02 || hello.length < 44) return undefined;
  let offset = 4 + 2 + 32;
  offset += 1 + hello[offset]!;
  offset += 3;
  let version = hello.readUInt16BE(4);
  const end = Math.min(hello.length, offset + 2 + hello.readUInt16BE(offset));
  offset += 2;
  while (offset + 4 <= end) {
    const [type, length] = [hello.readUInt16BE(offset), hello.readUInt16BE(offset + 2)];
    if (type === SUPPORTED_VERSIONS && length === 2 && offset + 6 <= end) version = hello.readUInt16BE(offset + 4);
    offset += 4 + length;
  }
  return VERSION_NAMES[version] ?? `0x${version.toString(16)}`;
}
