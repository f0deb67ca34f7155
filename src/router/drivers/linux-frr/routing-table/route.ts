// The route of one destination, asked of the kernel's lookup: what FRR decided shows as the route's protocol. Never lists a
// table; a blackhole, for which the lookup only answers an error, is found by a listing that the kernel filters by type.

import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { ipAddress } from '#model/wire/fields.ts';
import { readIp, rowsOf, runIp, textOf } from '../kernel/ip-command.ts';
import { doubtNone } from './route-recheck.ts';

export async function readRoute(destination: string, signal?: AbortSignal): Promise<RouteAnswer> {
  const address = checked(ipAddress, destination);
  const [matched, chosen] = await Promise.all([
    runIp(['-j', 'route', 'get', 'fibmatch', address], signal),
    runIp(['-j', 'route', 'get', address], signal),
  ]);
  if (matched.exitCode === 0)
    return parseRoute(address, rowsOf(matched.stdout)[0] ?? {}, rowsOf(chosen.stdout)[0] ?? {});
  const kind = refusalKind(matched.stderr);
  if (kind === undefined)
    throw new ParleyError(
      'node/kernel-unreadable',
      `expected a route lookup, got ${matched.stderr.trim().slice(0, 120)}`,
    );
  if (kind === 'none') return { destination: address, kind };
  const family = address.includes(':') ? '-6' : '-4';
  const rows = await readIp(['-j', family, 'route', 'show', 'table', 'all', 'type', kind, 'match', address], signal);
  const protocol = textOf(mostSpecific(rows)?.['protocol']);
  return { destination: address, kind, ...(protocol === undefined ? {} : { protocol }) };
}

/** Many lookups in one process a family; answers in the order asked, without those that the kernel cannot be believed. */
export async function readRoutes(
  destinations: readonly string[],
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const addresses = destinations.map((destination) => checked(ipAddress, destination));
  const found = new Map<string, RouteAnswer>();
  const families = ['-4', '-6'].map(async (family) => {
    const mine = addresses.filter((address) => address.includes(':') === (family === '-6'));
    if (mine.length === 0) return;
    // Kernels answer `fibmatch` for IPv6 with another route where routes share a next hop object: the plain lookup is right.
    const match = family === '-4' ? 'fibmatch ' : '';
    const batch = mine.map((address) => `route get ${match}${address}\n`).join('');
    const finished = await runIp(['-j', family, '-force', '-batch', '-'], signal, batch);
    for (const answer of parseRoutes(mine, finished.stdout, finished.stderr)) found.set(answer.destination, answer);
  });
  await Promise.all(families);
  const doubtful = addresses.filter((address) => address.includes(':') && found.get(address)?.kind === 'none');
  const second = await doubtNone([...new Set(doubtful)]);
  return addresses.flatMap((address) => (doubtful.includes(address) ? second.get(address) : found.get(address)) ?? []);
}

/** A failed line of the batch prints its number and its reason on standard error, and nothing on standard output. */
export function parseRoutes(addresses: readonly string[], stdout: string, stderr: string): readonly RouteAnswer[] {
  const failed = new Map(
    [...stderr.matchAll(/^(.*)\nCommand failed -:(\d+)$/gm)].map((match) => [Number(match[2]) - 1, match[1]!]),
  );
  const lines = stdout.split('\n').filter((line) => line.startsWith('['));
  return addresses.map((address, index) => {
    const reason = failed.get(index);
    if (reason !== undefined) return { destination: address, kind: refusalKind(reason) ?? 'none' };
    const row = rowsOf(lines.shift() ?? '')[0] ?? {};
    return {
      ...parseRoute(address, row, row),
      ...(address.includes(':') || textOf(row['dst']) === undefined ? {} : { matched: textOf(row['dst'])! }),
      ...waysOf(row),
    };
  });
}

/** Interfaces of all equally good next hops, where there are several. */
function waysOf(row: JsonObject): { readonly ifnames?: readonly string[] } {
  const hops = row['nexthops'];
  if (!Array.isArray(hops)) return {};
  return { ifnames: hops.flatMap((hop) => (isJsonObject(hop) ? (textOf(hop['dev']) ?? []) : [])) };
}

/** `matched` is the route as configured (fibmatch), `chosen` the next hop that the lookup picked. */
export function parseRoute(destination: string, matched: JsonObject, chosen: JsonObject): RouteAnswer {
  const type = textOf(matched['type']) ?? 'unicast';
  const nextHop =
    textOf(chosen['gateway']) ?? textOf(matched['gateway']) ?? viaOf(chosen['via']) ?? viaOf(matched['via']);
  const ifname = textOf(chosen['dev']) ?? textOf(matched['dev']);
  const protocol = textOf(matched['protocol']);
  const segments =
    matched['encap'] === 'seg6' && Array.isArray(matched['segs']) ? matched['segs'].map(String) : undefined;
  return {
    destination,
    kind: type === 'local' || type === 'blackhole' || type === 'unreachable' ? type : 'unicast',
    ...(nextHop === undefined ? {} : { nextHop }),
    ...(ifname === undefined ? {} : { ifname }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(segments === undefined ? {} : { segments }),
  };
}

/** The kernel's answer to a lookup that ends in no next hop: EINVAL is a blackhole, EHOSTUNREACH an unreachable route. */
export function refusalKind(stderr: string): 'blackhole' | 'unreachable' | 'none' | undefined {
  if (stderr.includes('Invalid argument')) return 'blackhole';
  if (stderr.includes('No route to host')) return 'unreachable';
  return stderr.includes('Network is unreachable') ? 'none' : undefined;
}

function mostSpecific(rows: readonly JsonObject[]): JsonObject | undefined {
  const prefixLength = (row: JsonObject) => Number((textOf(row['dst']) ?? '').split('/')[1] ?? 128);
  return rows.toSorted((one, other) => prefixLength(other) - prefixLength(one))[0];
}

/** An IPv4 route over an IPv6 next hop: `"via": {"family": "inet6", "host": "fe80::1"}`. */
function viaOf(value: JsonValue | undefined): string | undefined {
  return value !== undefined && isJsonObject(value) ? textOf(value['host']) : undefined;
}
