// Routes as the rest of Parley sees them, made of rtnetlink messages. Next hops that many routes share are one object, so that
// a table of a million routes costs little more than its prefixes. Interface indexes become names, read anew when they change.
import { setImmediate } from 'node:timers/promises';
import { ParleyError } from '#base/error.ts';
import { formatIpv6 } from '#base/ipv6-text.ts';
import { LIMITS } from '#base/limits.ts';
import type { AddressFamily, RouteEntry } from '#model/router/device-port.ts';
import type { Libc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import {
  behindMessage,
  emptyRouteMessage,
  hopsOf,
  linkAt,
  linkDumpRequest,
  type RouteMessage,
  readMessage,
} from './rtnetlink.ts';

type NextHops = RouteEntry['nextHops'];

/** linux/rtnetlink.h RTN_*, and RTPROT_* with FRR's (zebra/rt_netlink.h) and BIRD's. */
const TYPES = ['unspec', 'unicast', 'local', 'broadcast', 'anycast', 'multicast'].concat(
  ['blackhole', 'unreachable', 'prohibit', 'throw', 'nat', 'xresolve'], // from RTN_BLACKHOLE, 6, on
);
const PROTOCOLS: Readonly<Record<number, string>> = {
  0: 'unspec',
  1: 'redirect',
  2: 'kernel',
  3: 'boot',
  4: 'static',
  8: 'gated',
  9: 'ra',
  11: 'zebra',
  12: 'bird',
  16: 'dhcp',
  18: 'keepalived',
  42: 'babel',
  186: 'bgp',
  187: 'isis',
  188: 'ospf',
  189: 'rip',
  190: 'ripng',
  191: 'nhrp',
  192: 'eigrp',
  193: 'ldp',
  194: 'sharp',
  195: 'pbr',
  196: 'static',
  197: 'openfabric',
  198: 'srte',
};

const OCTETS = Array.from({ length: 256 }, (_, octet) => String(octet));
const LENGTHS = Array.from({ length: 33 }, (_, bits) => `/${bits}`);
/** With four octets of address behind it, an index below this is an exact number. */
const MOST_NUMBERED_OIF = 2 ** 20;

export type RouteEntries = {
  /** Reads the interfaces' names if they are not known: before the routes of a datagram. */
  prepare(signal: AbortSignal | undefined): Promise<void>;
  entry(family: AddressFamily, buffer: Buffer, message: RouteMessage): RouteEntry;
  /** Interfaces have changed: their names are read anew when one is next needed. */
  forgetNames(): void;
};

export function createRouteEntries(libc: Libc): RouteEntries {
  let names: ReadonlyMap<number, string> | undefined;
  let hops = new Map<string | number, NextHops>();
  const prefixes = createPrefixTexts();
  const hop = (oif: number, gateway: Buffer | undefined, weight?: number) => {
    const ifname = names?.get(oif);
    return {
      ...(gateway === undefined ? {} : { gateway: formatAddress(gateway, 0, gateway.length) }),
      ...(ifname === undefined ? {} : { ifname }),
      ...(weight === undefined ? {} : { weight }),
    };
  };
  const makeHops = (buffer: Buffer, message: RouteMessage): NextHops => {
    if (message.multipathAt >= 0)
      return hopsOf(buffer, message.multipathAt, message.multipathBytes)
        .map(({ oif, weight, gateway }) => hop(oif, gateway, weight))
        .filter(isHop);
    const [at, bytes] =
      message.gatewayAt >= 0
        ? [message.gatewayAt, message.gatewayBytes]
        : [message.viaAt + 2, message.viaAt >= 0 ? message.viaBytes - 2 : 0];
    return [hop(message.oif, bytes > 0 ? buffer.subarray(at, at + bytes) : undefined)].filter(isHop);
  };
  return {
    async prepare(signal) {
      names ??= await readNames(libc, signal);
    },
    entry(family, buffer, message) {
      const key = hopKey(buffer, message);
      let nextHops = hops.get(key);
      if (nextHops === undefined) {
        if (hops.size >= DRIVER_LIMITS.routeHopCache) hops = new Map();
        nextHops = makeHops(buffer, message);
        hops.set(key, nextHops);
      }
      const { dstAt, prefixBits, type, protocol, metric } = message;
      return {
        prefix: prefixes.text(family, buffer, dstAt, prefixBits),
        kind: TYPES[type] ?? String(type),
        protocol: PROTOCOLS[protocol] ?? String(protocol),
        metric: metric < 0 ? undefined : metric,
        nextHops,
      };
    },
    forgetNames() {
      names = undefined;
      hops = new Map();
    },
  };
}

function isHop(hop: { readonly gateway?: string; readonly ifname?: string }): boolean {
  return hop.gateway !== undefined || hop.ifname !== undefined;
}

/** Everything that decides over the next hops: a number where it fits into one, as it does in most tables, since it is made for each route. */
function hopKey(buffer: Buffer, message: RouteMessage): string | number {
  const { oif, gatewayAt, gatewayBytes, viaAt, viaBytes, multipathAt, multipathBytes } = message;
  if (multipathAt >= 0) return buffer.toString('latin1', multipathAt, multipathAt + multipathBytes);
  if (gatewayAt >= 0 && gatewayBytes === 4 && oif < MOST_NUMBERED_OIF)
    return (oif + 1) * 2 ** 32 + buffer.readUInt32BE(gatewayAt);
  if (gatewayAt >= 0) return `${oif}g${buffer.toString('latin1', gatewayAt, gatewayAt + gatewayBytes)}`;
  return viaAt < 0 ? oif : `${oif}v${buffer.toString('latin1', viaAt, viaAt + viaBytes)}`;
}

/** Prefixes as text. Neighbours in a table share their first three octets, whose text is made once. */
function createPrefixTexts() {
  let [known, head] = [-1, ''];
  const ipv4 = (buffer: Buffer, at: number, bits: number): string => {
    const first = buffer.readUIntBE(at, 3);
    if (first !== known) [known, head] = [first, `${buffer[at]}.${buffer[at + 1]}.${buffer[at + 2]}.`];
    return head + OCTETS[buffer[at + 3]!]! + LENGTHS[bits]!;
  };
  return {
    text(family: AddressFamily, buffer: Buffer, at: number, bits: number): string {
      if (at < 0) return family === 'ipv4' ? '0.0.0.0/0' : '::/0';
      return family === 'ipv4' ? ipv4(buffer, at, bits) : `${formatIpv6(buffer, at)}/${bits}`;
    },
  };
}

function formatAddress(buffer: Buffer, at: number, bytes: number): string {
  if (bytes === 4) return `${buffer[at]}.${buffer[at + 1]}.${buffer[at + 2]}.${buffer[at + 3]}`;
  return bytes === 16 ? formatIpv6(buffer, at) : buffer.toString('hex', at, at + bytes);
}

/** All interfaces of this network namespace, in one dump. */
async function readNames(libc: Libc, signal: AbortSignal | undefined): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  const socket = libc.openNetlink(0);
  if ('refused' in socket) throw unreadable(socket.refused);
  const buffer = Buffer.allocUnsafe(DRIVER_LIMITS.netlinkBytes);
  const message = emptyRouteMessage();
  try {
    if (!socket.send(linkDumpRequest())) throw unreadable('no answer');
    for (let reads = 0; reads < LIMITS.nodeInterfaces; reads++) {
      const bytes = socket.receive(buffer);
      if (typeof bytes !== 'number') throw unreadable(bytes);
      for (let at = 0; at < bytes; at = behindMessage(buffer, at, bytes)) {
        const kind = readMessage(buffer, at, bytes, message);
        if (kind === 'end') return names;
        const link = kind === 'link' ? linkAt(buffer, at, bytes) : undefined;
        if (link !== undefined) names.set(link.index, link.name);
      }
      await setImmediate();
      signal?.throwIfAborted();
    }
    return names;
  } finally {
    socket.close();
  }
}

export function unreadable(came: string): ParleyError {
  return new ParleyError('node/kernel-unreadable', `expected the kernel to list its tables, got ${came}`);
}
