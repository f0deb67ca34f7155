// rtnetlink (RFC 3549) as far as a dump of one routing table needs it: requests, and messages read where they lie in the
// kernel's buffer, without an object for each. Total: what does not fit into its length is passed over.
import { endianness } from 'node:os';
import type { AddressFamily } from '#model/router/device-port.ts';

/** linux/rtnetlink.h: message types, flags, multicast groups as bits. */
const RTM_NEWLINK = 16;
const RTM_DELLINK = 17;
const RTM_GETLINK = 18;
const RTM_NEWROUTE = 24;
const RTM_DELROUTE = 25;
const RTM_GETROUTE = 26;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST_DUMP = 0x301;
const RTM_F_CLONED = 0x200;
const RT_TABLE_MAIN = 254;
const FAMILY = { ipv4: 2, ipv6: 10 } as const;
/** RTMGRP_LINK with RTMGRP_IPV4_ROUTE or RTMGRP_IPV6_ROUTE. */
export const ROUTE_GROUPS = { ipv4: 0x1 | 0x40, ipv6: 0x1 | 0x400 } as const;

const NLMSG_BYTES = 16;
const RTMSG_BYTES = 12;
const IFINFOMSG_BYTES = 16;
const IFLA_IFNAME = 3;
const IFLA_EXT_MASK = 29;
const RTEXT_FILTER_SKIP_STATS = 8;
const RTA = { dst: 1, oif: 4, gateway: 5, priority: 6, multipath: 9, table: 15, via: 18 } as const;
const ATTRIBUTE_TYPE = 0x3fff;

/** Every supported processor is little-endian; a table that is read the wrong way round is worse than none. */
export const isReadable = endianness() === 'LE';

/** What a message says of one route; `…At` are offsets in the buffer, -1 where the attribute is missing. */
export type RouteMessage = {
  event: 'new' | 'deleted';
  dstAt: number;
  prefixBits: number;
  /** -1 where there is none. */
  metric: number;
  oif: number;
  gatewayAt: number;
  gatewayBytes: number;
  viaAt: number;
  viaBytes: number;
  multipathAt: number;
  multipathBytes: number;
  type: number;
  protocol: number;
};

/** What lies at an offset: a route of the main table, the end of a dump with its errno, news of an interface, or nothing of ours. */
export type MessageKind = 'route' | 'end' | 'link' | 'other';

export function emptyRouteMessage(): RouteMessage {
  const nothing = { dstAt: -1, prefixBits: 0, metric: -1, oif: 0, type: 0, protocol: 0 };
  const hops = { gatewayAt: -1, gatewayBytes: 0, viaAt: -1, viaBytes: 0, multipathAt: -1, multipathBytes: 0 };
  return { event: 'new', ...nothing, ...hops };
}

export function routeDumpRequest(family: AddressFamily): Buffer {
  const request = dumpRequest(RTM_GETROUTE, RTMSG_BYTES);
  request[NLMSG_BYTES] = FAMILY[family];
  request[NLMSG_BYTES + 4] = RT_TABLE_MAIN;
  return request;
}

/** Interfaces without their counters. */
export function linkDumpRequest(): Buffer {
  const request = dumpRequest(RTM_GETLINK, IFINFOMSG_BYTES + 8);
  request.writeUInt16LE(8, NLMSG_BYTES + IFINFOMSG_BYTES);
  request.writeUInt16LE(IFLA_EXT_MASK, NLMSG_BYTES + IFINFOMSG_BYTES + 2);
  request.writeUInt32LE(RTEXT_FILTER_SKIP_STATS, NLMSG_BYTES + IFINFOMSG_BYTES + 4);
  return request;
}

function dumpRequest(type: number, bodyBytes: number): Buffer {
  const request = Buffer.alloc(NLMSG_BYTES + bodyBytes);
  request.writeUInt32LE(request.length, 0);
  request.writeUInt16LE(type, 4);
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
  request.writeUInt32LE(1, 8);
  return request;
}

/** Offset behind the message at `at`; `end` when its length makes no sense. */
export function behindMessage(buffer: Buffer, at: number, end: number): number {
  const bytes = at + NLMSG_BYTES <= end ? buffer.readUInt32LE(at) : 0;
  return bytes < NLMSG_BYTES || at + bytes > end ? end : Math.min(end, at + ((bytes + 3) & ~3));
}

/** Reads the message at `at` into `into`, which means something only for a route. */
export function readMessage(buffer: Buffer, at: number, end: number, into: RouteMessage): MessageKind {
  if (at + NLMSG_BYTES > end) return 'other';
  const type = buffer.readUInt16LE(at + 4);
  if (type === RTM_NEWROUTE || type === RTM_DELROUTE) {
    into.event = type === RTM_NEWROUTE ? 'new' : 'deleted';
    return readRoute(buffer, at, end, into) ? 'route' : 'other';
  }
  if (type === NLMSG_DONE || type === NLMSG_ERROR) return 'end';
  return type === RTM_NEWLINK || type === RTM_DELLINK ? 'link' : 'other';
}

/** Of an `end`: 0, or the positive errno with which the kernel ended the dump. */
export function errnoAt(buffer: Buffer, at: number, end: number): number {
  return at + NLMSG_BYTES + 4 <= end ? -buffer.readInt32LE(at + NLMSG_BYTES) : 0;
}

function readRoute(buffer: Buffer, at: number, end: number, into: RouteMessage): boolean {
  const stop = at + Math.min(buffer.readUInt32LE(at), end - at);
  const body = at + NLMSG_BYTES;
  if (body + RTMSG_BYTES > stop) return false;
  if ((buffer.readUInt32LE(body + 8) & RTM_F_CLONED) !== 0) return false;
  const addressBytes = buffer[body] === FAMILY.ipv4 ? 4 : 16;
  into.prefixBits = buffer[body + 1]!;
  into.protocol = buffer[body + 5]!;
  into.type = buffer[body + 7]!;
  into.dstAt = into.gatewayAt = into.viaAt = into.multipathAt = into.metric = -1;
  into.oif = 0;
  let table: number = buffer[body + 4]!;
  for (let place = body + RTMSG_BYTES; place + 4 <= stop; ) {
    const bytes = buffer.readUInt16LE(place);
    if (bytes < 4 || place + bytes > stop) return false;
    const value = place + 4;
    const valueBytes = bytes - 4;
    switch (buffer.readUInt16LE(place + 2) & ATTRIBUTE_TYPE) {
      case RTA.dst:
        if (valueBytes !== addressBytes) return false;
        into.dstAt = value;
        break;
      case RTA.oif:
        into.oif = valueBytes === 4 ? buffer.readUInt32LE(value) : 0;
        break;
      case RTA.priority:
        if (valueBytes === 4) into.metric = buffer.readUInt32LE(value);
        break;
      case RTA.table:
        if (valueBytes === 4) table = buffer.readUInt32LE(value);
        break;
      case RTA.gateway:
        into.gatewayAt = value;
        into.gatewayBytes = valueBytes;
        break;
      case RTA.via:
        into.viaAt = value;
        into.viaBytes = valueBytes;
        break;
      case RTA.multipath:
        into.multipathAt = value;
        into.multipathBytes = valueBytes;
        break;
    }
    place += (bytes + 3) & ~3;
  }
  return table === RT_TABLE_MAIN && into.prefixBits <= addressBytes * 8 && (into.dstAt >= 0 || into.prefixBits === 0);
}

export type HopBytes = { readonly oif: number; readonly weight: number; readonly gateway: Buffer | undefined };

/** The next hops of RTA_MULTIPATH: `struct rtnexthop`, each with attributes of its own. */
export function hopsOf(buffer: Buffer, at: number, bytes: number): readonly HopBytes[] {
  const hops: HopBytes[] = [];
  for (let place = at; place + 8 <= at + bytes; ) {
    const hopBytes = buffer.readUInt16LE(place);
    if (hopBytes < 8 || place + hopBytes > at + bytes) break;
    let gateway: Buffer | undefined;
    for (let inner = place + 8; inner + 4 <= place + hopBytes; ) {
      const size = buffer.readUInt16LE(inner);
      if (size < 4 || inner + size > place + hopBytes) break;
      const type = buffer.readUInt16LE(inner + 2) & ATTRIBUTE_TYPE;
      if (type === RTA.gateway) gateway = buffer.subarray(inner + 4, inner + size);
      if (type === RTA.via) gateway = buffer.subarray(inner + 6, inner + size);
      inner += (size + 3) & ~3;
    }
    hops.push({ oif: buffer.readUInt32LE(place + 4), weight: buffer[place + 3]! + 1, gateway });
    place += (hopBytes + 3) & ~3;
  }
  return hops;
}

/** Index and name of an RTM_NEWLINK message. */
export function linkAt(buffer: Buffer, at: number, end: number): { index: number; name: string } | undefined {
  const stop = at + Math.min(buffer.readUInt32LE(at), end - at);
  const body = at + NLMSG_BYTES;
  for (let place = body + IFINFOMSG_BYTES; place + 4 <= stop; ) {
    const bytes = buffer.readUInt16LE(place);
    if (bytes < 4 || place + bytes > stop) return undefined;
    if ((buffer.readUInt16LE(place + 2) & ATTRIBUTE_TYPE) === IFLA_IFNAME)
      return { index: buffer.readUInt32LE(body + 4), name: buffer.toString('utf8', place + 4, place + bytes - 1) };
    place += (bytes + 3) & ~3;
  }
  return undefined;
}
