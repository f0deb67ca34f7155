// The route of one destination, asked of the kernel's lookup: what FRR decided shows as the route's protocol. Never lists a
// table; a blackhole, for which the lookup only answers an error, is found by a listing that the kernel filters by type.

import { setTimeout as pause } from 'node:timers/promises';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { RibRoute, RouteAnswer } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { ipAddress } from '#model/wire/fields.ts';
import { failedLines, readIp, refusalKind, rowsOf, runIp, textOf } from '../kernel/ip-command.ts';
import { type FibAnswer, isMismatch } from './rib.ts';
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

/** What zebra has installed for each of the destinations, for as many of them as one call takes; empty where zebra does not run. */
export type ReadRib = (
  destinations: readonly string[],
  signal: AbortSignal | undefined,
) => Promise<ReadonlyMap<string, RibRoute>>;

/** A route that changes is in zebra and in the kernel within this time. */
const SETTLE_MS = 1_000;

/** Many lookups; where zebra says of a destination, now and a while later, that it installed another way, the answer says so. */
export async function readComparedRoutes(
  destinations: readonly string[],
  readRib: ReadRib,
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const ribOf = async (asked: readonly string[]) =>
    asked.length === 0 ? new Map<string, RibRoute>() : await readRib(asked, signal);
  const differing = (rib: ReadonlyMap<string, RibRoute>, found: readonly FibAnswer[]) =>
    found.flatMap((fib): readonly (readonly [string, RibRoute])[] => {
      const route = rib.get(fib.answer.destination);
      return route === undefined || !isMismatch(route, fib) ? [] : [[fib.answer.destination, route]];
    });
  const kernels = await readFib(destinations, signal);
  const first = await ribOf(destinations);
  const suspected = differing(first, kernels).map(([destination]) => destination);
  const found = kernels.map((fib) => (suspected.includes(fib.answer.destination) ? fib : withPrefix(fib, first)));
  if (suspected.length === 0 || (await hasOwnRules(signal))) return found.map(({ answer }) => answer);
  await pause(SETTLE_MS, undefined, signal === undefined ? {} : { signal });
  const again = await readFib(suspected, signal);
  const confirmed = new Map(differing(await ribOf(suspected), again));
  const latest = new Map([...found, ...again].map(({ answer }) => [answer.destination, answer]));
  return found.flatMap(({ answer: { destination } }) => {
    const [answer, rib] = [latest.get(destination)!, confirmed.get(destination)];
    return [{ ...answer, ...(rib === undefined ? {} : { rib }) }];
  });
}

/** Of IPv6 the kernel does not say which route matched: zebra does, where the lookup ended in the table that it speaks of. */
export function withPrefix(fib: FibAnswer, rib: ReadonlyMap<string, RibRoute>): FibAnswer {
  const { answer, row } = fib;
  const prefix = rib.get(answer.destination)?.prefix;
  const isMain = row !== undefined && (row['table'] === undefined || row['table'] === 'main');
  if (prefix === undefined || !isMain || answer.kind !== 'unicast' || !answer.destination.includes(':')) return fib;
  return { ...fib, answer: { ...answer, ribPrefix: prefix } };
}

/** Priorities of the rules that every kernel has (ip-rule(8)). */
const RULES_OF_KERNEL = new Set([0, 32_766, 32_767]);

/** With rules of an operator, a lookup may end in a table that zebra's main one says nothing of. */
async function hasOwnRules(signal: AbortSignal | undefined): Promise<boolean> {
  const rows = await Promise.all(['-4', '-6'].map((family) => readIp(['-j', family, 'rule', 'show'], signal)));
  return rows.flat().some(({ priority, l3mdev }) => !RULES_OF_KERNEL.has(Number(priority)) && l3mdev === undefined);
}

/** Many lookups in one process a family; answers in the order asked, without those that the kernel cannot be believed. */
export async function readRoutes(
  destinations: readonly string[],
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  return (await readFib(destinations, signal)).map(({ answer }) => answer);
}

async function readFib(
  destinations: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly FibAnswer[]> {
  const addresses = destinations.map((destination) => checked(ipAddress, destination));
  const found = new Map<string, FibAnswer>();
  const families = ['-4', '-6'].map(async (family) => {
    const mine = addresses.filter((address) => address.includes(':') === (family === '-6'));
    if (mine.length === 0) return;
    // Kernels answer `fibmatch` for IPv6 with another route where routes share a next hop object: the plain lookup is right.
    const match = family === '-4' ? 'fibmatch ' : '';
    const batch = mine.map((address) => `route get ${match}${address}\n`).join('');
    const finished = await runIp(['-j', family, '-force', '-batch', '-'], signal, batch);
    for (const fib of parseRoutes(mine, finished.stdout, finished.stderr)) found.set(fib.answer.destination, fib);
  });
  await Promise.all(families);
  const doubtful = addresses.filter((address) => address.includes(':') && found.get(address)?.answer.kind === 'none');
  const second = await doubtNone([...new Set(doubtful)]);
  return addresses.flatMap((address) => {
    if (!doubtful.includes(address)) return found.get(address) ?? [];
    const answer = second.get(address);
    return answer === undefined ? [] : [{ answer }];
  });
}

/** A failed line of the batch prints its number and its reason on standard error, and nothing on standard output. */
export function parseRoutes(addresses: readonly string[], stdout: string, stderr: string): readonly FibAnswer[] {
  const failed = failedLines(stderr);
  const lines = stdout.split('\n').filter((line) => line.startsWith('['));
  return addresses.map((address, index) => {
    const reason = failed.get(index);
    if (reason !== undefined) return { answer: { destination: address, kind: refusalKind(reason) ?? 'none' } };
    const row = rowsOf(lines.shift() ?? '')[0] ?? {};
    const matched = address.includes(':') ? undefined : textOf(row['dst']);
    const answer = {
      ...parseRoute(address, row, row),
      ...(matched === undefined ? {} : { matched }),
      ...waysOf(row),
    };
    return { answer, row };
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

function mostSpecific(rows: readonly JsonObject[]): JsonObject | undefined {
  const prefixLength = (row: JsonObject) => Number((textOf(row['dst']) ?? '').split('/')[1] ?? 128);
  return rows.toSorted((one, other) => prefixLength(other) - prefixLength(one))[0];
}

/** An IPv4 route over an IPv6 next hop: `"via": {"family": "inet6", "host": "fe80::1"}`. */
function viaOf(value: JsonValue | undefined): string | undefined {
  return value !== undefined && isJsonObject(value) ? textOf(value['host']) : undefined;
}
