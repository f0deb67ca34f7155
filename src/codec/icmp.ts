// ICMP echo for IPv4 (RFC 792) and for IPv6 (RFC 4443), as much as finding hosts needs. Total: what is no echo is undefined.

const ECHO_REQUEST = 8;
export const ECHO_REPLY = 0;
const ECHO6_REQUEST = 128;
export const ECHO6_REPLY = 129;
const NEXT_HEADER_ICMP6 = 58;
export const ETHERTYPE_IPV6 = 0x86dd;
/** All nodes of the link, and the Ethernet address that goes with it (RFC 4291 §2.7.1, RFC 2464 §7). */
const ALL_NODES = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const ALL_NODES_MAC = [0x33, 0x33, 0, 0, 0, 1];

/** The shortest message: its header (8 octets) and as much data. */
const ECHO_BYTES = 16;

/** `bytes`: length of the message, header included. */
export function encodeEcho(identifier: number, sequence: number, bytes = ECHO_BYTES): Uint8Array {
  const message = Buffer.alloc(Math.max(bytes, ECHO_BYTES));
  message[0] = ECHO_REQUEST;
  message.writeUInt16BE(identifier, 4);
  message.writeUInt16BE(sequence, 6);
  message.writeUInt16BE(checksum(message), 2);
  return message;
}

/** A whole frame with such an echo, for the host `towards` to forward (RFC 791). */
export function encodeEchoFrame(
  link: { readonly from: Uint8Array; readonly towards: Uint8Array },
  ip: { readonly source: Uint8Array; readonly destination: Uint8Array },
  message: Uint8Array,
): Uint8Array {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(header.length + message.length, 2);
  header.set([64, 1], 8);
  header.set(ip.source, 12);
  header.set(ip.destination, 16);
  header.writeUInt16BE(checksum(header), 10);
  return Buffer.concat([link.towards, link.from, Uint8Array.from([0x08, 0]), header, message]);
}

/** Who answered an echo of ours: `packet` begins with its IPv4 header. */
export function decodeEchoReply(packet: Uint8Array, identifier: number): string | undefined {
  const headerBytes = ((packet[0] ?? 0) & 0x0f) * 4;
  if (headerBytes < 20 || packet.length < headerBytes + 8 || packet[headerBytes] !== ECHO_REPLY) return undefined;
  const said = (packet[headerBytes + 4]! << 8) | packet[headerBytes + 5]!;
  return said === identifier ? packet.subarray(12, 16).join('.') : undefined;
}

/** An ICMPv6 echo without its checksum, which the kernel fills in. */
export function encodeEcho6(identifier: number, sequence: number, bytes = ECHO_BYTES): Uint8Array {
  const message = Buffer.alloc(Math.max(bytes, ECHO_BYTES));
  message[0] = ECHO6_REQUEST;
  message.writeUInt16BE(identifier, 4);
  message.writeUInt16BE(sequence, 6);
  return message;
}

/** Identifier and sequence of an echo reply of either family; `message` begins with its ICMP header. */
export function decodeEchoNumbers(
  message: Uint8Array,
): { readonly identifier: number; readonly sequence: number } | undefined {
  if (message.length < 8 || (message[0] !== ECHO_REPLY && message[0] !== ECHO6_REPLY)) return undefined;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  return { identifier: view.getUint16(4), sequence: view.getUint16(6) };
}

/** A whole frame: an echo to all nodes of the link, from `linkLocal` (16 octets). */
export function encodeLinkEcho(mac: Uint8Array, linkLocal: Uint8Array, identifier: number): Uint8Array {
  const message = Buffer.from(encodeEcho6(identifier, 0));
  return frameOf({ mac, towards: ALL_NODES_MAC }, linkLocal, ALL_NODES, message);
}

/** True for a frame that answers such an echo. */
export function answersLinkEcho(frame: Uint8Array, identifier: number): boolean {
  return (
    frame.length >= 62 &&
    frame[20] === NEXT_HEADER_ICMP6 &&
    frame[54] === ECHO6_REPLY &&
    ((frame[58]! << 8) | frame[59]!) === identifier
  );
}

const NEIGHBOUR_SOLICITATION = 135;
const NEIGHBOUR_ADVERTISEMENT = 136;
/** Beginning of the solicited-node address of an address, and of the Ethernet address that goes with it (RFC 4291 §2.7.1, RFC 2464 §7). */
const SOLICITED_NODE = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff];
const SOLICITED_MAC = [0x33, 0x33, 0xff];
const SOURCE_LINK_ADDRESS = [1, 1];

/**
 * A whole frame: who has `target` (16 octets), asked from our own `linkLocal` (RFC 4861 §4.3). The answer comes to that address alone, so that
 * no other host's table changes.
 */
export function encodeSolicitation(mac: Uint8Array, linkLocal: Uint8Array, target: Uint8Array): Uint8Array {
  const message = Buffer.alloc(24 + 8);
  message[0] = NEIGHBOUR_SOLICITATION;
  message.set(target, 8);
  message.set([...SOURCE_LINK_ADDRESS, ...mac], 24);
  const towards = [...SOLICITED_NODE, ...target.subarray(13)];
  return frameOf({ mac, towards: [...SOLICITED_MAC, ...target.subarray(13)] }, linkLocal, towards, message);
}

/** 16 octets: the address that a neighbour says it has; the frame's sender is who says so. */
export function advertisedTarget(frame: Uint8Array): Uint8Array | undefined {
  const isOne = frame.length >= 78 && frame[20] === NEXT_HEADER_ICMP6 && frame[54] === NEIGHBOUR_ADVERTISEMENT;
  return isOne ? frame.subarray(62, 78) : undefined;
}

/** ICMPv6 in IPv6 in Ethernet, with its checksum and a hop limit that no router has touched. */
function frameOf(
  { mac, towards }: { readonly mac: Uint8Array; readonly towards: readonly number[] },
  source: Uint8Array,
  destination: readonly number[],
  message: Buffer,
): Uint8Array {
  const pseudo = Buffer.concat([
    source,
    Buffer.from([...destination, 0, 0, 0, message.length, 0, 0, 0, NEXT_HEADER_ICMP6]),
  ]);
  message.writeUInt16BE(checksum(Buffer.concat([pseudo, message])), 2);
  const header = Buffer.alloc(14 + 40);
  header.set(towards, 0);
  header.set(mac, 6);
  header.writeUInt16BE(ETHERTYPE_IPV6, 12);
  header[14] = 0x60;
  header.writeUInt16BE(message.length, 18);
  header.set([NEXT_HEADER_ICMP6, 255], 20);
  header.set(source, 22);
  header.set(destination, 38);
  return Buffer.concat([header, message]);
}

/** RFC 1071. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += (bytes[index]! << 8) | (bytes[index + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
