// PCAP of packets in an embedded network: link type RAW, the packets built as a probe of a real node would be.

import { PROBE_MESSAGE_BYTES } from '#model/router/probe-schema.ts';
import { ipv6Bytes } from '../../native/addresses.ts';
import { buildProbePacket } from '../../protocol/probe-packet.ts';
import type { Packet } from './walk.ts';

const LINKTYPE_RAW = 101;
const SNAP_BYTES = 512;

export function encodePcap(packets: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(SNAP_BYTES, 16);
  header.writeUInt32LE(LINKTYPE_RAW, 20);
  const records = packets.flatMap((packet) => {
    const kept = packet.subarray(0, SNAP_BYTES);
    const record = Buffer.alloc(16);
    record.writeUInt32LE(kept.length, 8);
    record.writeUInt32LE(packet.length, 12);
    return [record, kept];
  });
  return new Uint8Array(Buffer.concat([header, ...records]));
}

export function packetBytes(packet: Packet, source: string, port: number): Uint8Array {
  return buildProbePacket(
    {
      source: ipv6Bytes(source)!,
      destination: ipv6Bytes(packet.destination)!,
      segments: packet.segments.map((segment) => ipv6Bytes(segment)!),
      sourcePort: port,
      destinationPort: port,
      flowLabel: 0,
    },
    new Uint8Array(PROBE_MESSAGE_BYTES),
  );
}
