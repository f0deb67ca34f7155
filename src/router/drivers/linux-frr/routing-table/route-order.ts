// The order in which the kernel dumps a routing table, which is what makes a cursor: after the last route of one page come the
// routes behind it, whatever was added or removed meanwhile. IPv4: by address, the longer prefix first (fib_trie).
// IPv6: by bits, what a prefix contains before the prefix itself (ip6_fib walks children first).
import { bad, ok, type Result } from '#base/result.ts';
import type { AddressFamily } from '#model/router/device-port.ts';
import { ipv4Bytes, ipv6Bytes } from '../../../native/addresses.ts';

/** Address (4 or 16 octets), prefix length, metric. */
export type RouteKey = { readonly bytes: Uint8Array; readonly length: number; readonly metric: number };

const ZEROS = new Uint8Array(16);

export function compareRoutes(family: AddressFamily, one: RouteKey, other: RouteKey): number {
  return compareWith(family, other, one.bytes, 0, one.length, one.metric);
}

/** Below 0 when the route whose address begins at `at` comes before `key`; `at` is -1 for a default route. */
export function compareWith(
  family: AddressFamily,
  key: RouteKey,
  buffer: Uint8Array,
  at: number,
  length: number,
  metric: number,
): number {
  const [bytes, from] = at < 0 ? [ZEROS, 0] : [buffer, at];
  const bits = family === 'ipv4' ? 32 : Math.min(length, key.length);
  const whole = bits >> 3;
  for (let index = 0; index < whole; index++) {
    const difference = bytes[from + index]! - key.bytes[index]!;
    if (difference !== 0) return difference;
  }
  const mask = 0xff00 >> (bits & 7);
  const last = (bits & 7) === 0 ? 0 : (bytes[from + whole]! & mask) - (key.bytes[whole]! & mask);
  return last || key.length - length || metric - key.metric;
}

export function keyOf(prefix: string, metric: number | undefined): RouteKey | undefined {
  const [address = '', length = ''] = prefix.split('/');
  const bytes = address.includes(':') ? ipv6Bytes(address) : ipv4Bytes(address);
  return bytes === undefined ? undefined : { bytes, length: Number(length), metric: metric ?? 0 };
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
  const width = family === 'ipv4' ? 32 : 128;
  if (digit !== (family === 'ipv4' ? '4' : '6') || bits.length * 4 !== width || Number(length) > width) {
    return bad('expected a cursor of this table, got another');
  }
  const after = { bytes: new Uint8Array(Buffer.from(bits, 'hex')), length: Number(length), metric: Number(metric) };
  return ok({ dump, after, same: Number(same) });
}

export function formatCursor(family: AddressFamily, dump: string, after: RouteKey, same: number): string {
  const bits = Buffer.from(after.bytes).toString('hex');
  const text = `r${family === 'ipv4' ? 4 : 6}-${dump}-${bits}-${after.length}-${after.metric}-${same}`;
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return text.length > 256 ? '' : Buffer.from(text, 'base64url').toString('latin1');
}
