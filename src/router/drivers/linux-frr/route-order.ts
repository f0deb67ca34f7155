// The order in which the kernel dumps a routing table, which is what makes a cursor: after the last route of one page come the
// routes behind it, whatever was added or removed meanwhile. IPv4: by address, the longer prefix first (fib_trie).
// IPv6: by bits, what a prefix contains before the prefix itself (ip6_fib walks children first).
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { AddressFamily, RouteEntry } from '#model/device-port.ts';
import { ipv4Bytes, ipv6Bytes } from '../../helper/addresses.ts';
import { textOf } from './ip-command.ts';

/** Address as hex, so that text compares like bits; prefix length; metric. */
export type RouteKey = { readonly bits: string; readonly length: number; readonly metric: number };

export function compareRoutes(family: AddressFamily, one: RouteKey, other: RouteKey): number {
  if (family === 'ipv6') {
    const shared = Math.min(one.length, other.length);
    const prefixes = compareBits(one.bits, other.bits, shared);
    if (prefixes !== 0) return prefixes;
  } else if (one.bits !== other.bits) return one.bits < other.bits ? -1 : 1;
  return other.length - one.length || one.metric - other.metric;
}

export function keyOf(prefix: string, metric: number | undefined): RouteKey | undefined {
  const [address = '', length = ''] = prefix.split('/');
  const bytes = address.includes(':') ? ipv6Bytes(address) : ipv4Bytes(address);
  if (bytes === undefined) return undefined;
  return { bits: Buffer.from(bytes).toString('hex'), length: Number(length), metric: metric ?? 0 };
}

/** A row of `ip -j route`; undefined when it is not one. */
export function routeOf(family: AddressFamily, row: JsonObject): RouteEntry | undefined {
  const dst = textOf(row['dst']);
  if (dst === undefined) return undefined;
  const whole = family === 'ipv4' ? '/32' : '/128';
  const prefix =
    dst === 'default' ? (family === 'ipv4' ? '0.0.0.0/0' : '::/0') : dst.includes('/') ? dst : `${dst}${whole}`;
  const hops = Array.isArray(row['nexthops']) ? (row['nexthops'] as readonly JsonObject[]) : [row];
  const nextHops = hops.map(nextHopOf).filter((hop) => hop.gateway !== undefined || hop.ifname !== undefined);
  return {
    prefix,
    kind: textOf(row['type']) ?? 'unicast',
    protocol: textOf(row['protocol']) ?? 'unspec',
    metric: typeof row['metric'] === 'number' ? row['metric'] : undefined,
    nextHops,
  };
}

/** A cursor is a position, not a secret: dump, key, and how many routes of that key came before; checked before it is believed. */
export function parseCursor(
  family: AddressFamily,
  text: string,
): Result<{ readonly dump: string; readonly after: RouteKey; readonly same: number }> {
  const found = /^r([46])-([0-9a-f]{1,12})-([0-9a-f]{8}|[0-9a-f]{32})-(\d{1,3})-(\d{1,10})-(\d{1,6})$/.exec(
    decode(text),
  );
  const [, digit, dump = '', bits = '', length = '', metric = '', same = ''] = found ?? [];
  if (digit !== (family === 'ipv4' ? '4' : '6') || bits.length !== (family === 'ipv4' ? 8 : 32)) {
    return bad('expected a cursor of this table, came another');
  }
  return ok({ dump, after: { bits, length: Number(length), metric: Number(metric) }, same: Number(same) });
}

export function formatCursor(family: AddressFamily, dump: string, after: RouteKey, same: number): string {
  const text = `r${family === 'ipv4' ? 4 : 6}-${dump}-${after.bits}-${after.length}-${after.metric}-${same}`;
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return text.length > 256 ? '' : Buffer.from(text, 'base64url').toString('latin1');
}

function nextHopOf(row: JsonObject): { gateway?: string; ifname?: string; weight?: number } {
  const via = row['via'] as JsonObject | undefined;
  const gateway = textOf(row['gateway']) ?? textOf(via?.['host']);
  const ifname = textOf(row['dev']);
  return {
    ...(gateway === undefined ? {} : { gateway }),
    ...(ifname === undefined ? {} : { ifname }),
    ...(typeof row['weight'] === 'number' ? { weight: row['weight'] } : {}),
  };
}

/** Of the first `count` bits of two addresses in hex. */
function compareBits(one: string, other: string, count: number): number {
  const digits = count >> 2;
  const left = one.slice(0, digits);
  const right = other.slice(0, digits);
  if (left !== right) return left < right ? -1 : 1;
  const rest = count & 3;
  if (rest === 0) return 0;
  const mask = (0xf << (4 - rest)) & 0xf;
  return (Number.parseInt(one[digits]!, 16) & mask) - (Number.parseInt(other[digits]!, 16) & mask);
}
