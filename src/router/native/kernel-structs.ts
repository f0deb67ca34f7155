// Structures of the kernel as octets, in little-endian byte order, that of all machines Parley runs on: addresses of sockets, memberships, instructions of packet filters.
import type { BpfProgram } from './bpf.ts';

export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_PACKET = 17;
const PACKET_MR_MULTICAST = 0;

/** `AF_INET` for an address of 4 octets, `AF_INET6` for one of 16. */
export function familyOf(address: Uint8Array): number {
  return address.length === 4 ? AF_INET : AF_INET6;
}

/** `struct sockaddr_in` or `struct sockaddr_in6`, by the family of the address; `scope`: the index of the interface that a link-local one is on. */
export function socketAddress(address: Uint8Array, port = 0, scope = 0): Buffer {
  const isIpv4 = familyOf(address) === AF_INET;
  const bytes = Buffer.alloc(isIpv4 ? 16 : 28);
  bytes.writeUInt16LE(familyOf(address), 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(address, isIpv4 ? 4 : 8);
  if (!isIpv4) bytes.writeUInt32LE(scope, 24);
  return bytes;
}

/** `struct sockaddr_ll`. */
export function linkAddress(ifindex: number, protocol: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt16LE(AF_PACKET, 0);
  bytes.writeUInt16BE(protocol, 2);
  bytes.writeInt32LE(ifindex, 4);
  return bytes;
}

/** `struct packet_mreq`. */
export function membership(ifindex: number, group: Uint8Array): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(ifindex, 0);
  bytes.writeUInt16LE(PACKET_MR_MULTICAST, 4);
  bytes.writeUInt16LE(group.length, 6);
  bytes.set(group, 8);
  return bytes;
}

/** `struct sock_filter`. */
export function bpfBytes([code, ifTrue, ifFalse, constant]: BpfProgram[number]): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code);
  bytes[2] = ifTrue;
  bytes[3] = ifFalse;
  bytes.writeUInt32LE(constant, 4);
  return bytes;
}
