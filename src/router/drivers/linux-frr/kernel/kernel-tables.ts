// Routes that were set by hand or that throw packets away, the ARP and ND table, and queues that drop: bounded reads
// that the kernel filters by type or protocol. Pure parsers beside the reads.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LAUNCHER } from '#base/launcher.ts';
import type { DefaultRoute, NeighbourEntry, Qdisc, StaticRoute } from '#model/router/control-plane.ts';
import { type CutList, cutPart } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { believed, DEFAULT_LOOKUPS, type KindOf, parseDefaultRoutes } from './default-routes.ts';
import { counterOf, failedLines, readIp, rowsOf, runIp, textOf } from './ip-command.ts';
import { listsOfBatch } from './kernel-read.ts';

/**
 * What `ip` may call by one name, and does not print where it filters by it. Numbers alone: iproute2 keeps the number of the last name and
 * overwrites it with a number that follows (rtnl_rtprot_a2n), so that a name after a number may stand for that number.
 */
const PROTOCOLS: Readonly<Record<string, string>> = {
  /** FRR's staticd, which has the route of its configuration. */
  'proto 196': 'static',
  /** Other tools and hands. */
  'proto 4': '4',
  'proto 3': 'boot',
};
/** The lists by protocol come last: of a route in two lists, theirs is kept. */
const FILTERS = ['type blackhole', 'type unreachable', 'type prohibit', ...Object.keys(PROTOCOLS)];
const LISTS = ['0.0.0.0/0', '::/0'].flatMap((root) => FILTERS.map((filter) => ({ root, filter })));
const TABLES = [...LISTS.map(({ root, filter }) => `route show table all ${filter} root ${root}`), 'neigh show'];
const BATCH = [...TABLES, ...DEFAULT_LOOKUPS, ''];

export type KernelTables = {
  readonly staticRoutes: readonly StaticRoute[];
  readonly neighbourTable: readonly NeighbourEntry[];
  readonly defaultRoutes: readonly DefaultRoute[];
  /** Lists that have no room for all. */
  readonly cut: readonly CutList[];
};

export async function readKernelTables(kindOf: KindOf, signal?: AbortSignal): Promise<KernelTables> {
  const { stdout, stderr } = await runIp(['-j', '-force', '-batch', '-'], signal, BATCH.join('\n'));
  const answers = parseDefaultRoutes(lookupsIn(stdout, stderr), stderr, TABLES.length);
  return { ...parseKernelTables(stdout, stderr), defaultRoutes: await believed(answers, kindOf) };
}

/** What the batch printed, list by list; where one is missing it is not known which is which, nor who wrote a route. */
export function parseKernelTables(stdout: string, stderr = ''): Omit<KernelTables, 'defaultRoutes'> {
  const all = listsOfBatch(stdout);
  const lists = all.slice(0, all.length - lookupsIn(stdout, stderr).length);
  const isWhole = lists.length === TABLES.length;
  const rows = lists.flatMap((list, index) => {
    const protocol = isWhole ? PROTOCOLS[LISTS[index]?.filter ?? ''] : undefined;
    return protocol === undefined ? list : list.map((row) => ({ ...row, protocol }));
  });
  const [routes, neighbours] = [parseStaticRoutes(rows), parseNeighbourTable(rows)];
  // What throws packets away, or was set by hand, comes before the rest.
  const staticRoutes = firstOf(routes, DRIVER_LIMITS.staticRoutes, ({ kind }) => kind !== 'unicast');
  const neighbourTable = firstOf(neighbours, DRIVER_LIMITS.neighbourRows, ({ state }) => state === 'PERMANENT');
  return {
    ...{ staticRoutes, neighbourTable },
    cut: [
      ...cutPart('static-routes', staticRoutes.length, routes.length),
      ...cutPart('neighbour-entries', neighbourTable.length, neighbours.length),
    ],
  };
}

/** All of them, or as many as there is room for: those that come first, then the others. */
function firstOf<Row>(rows: readonly Row[], most: number, comesFirst: (row: Row) => boolean): readonly Row[] {
  if (rows.length <= most) return rows;
  return [...rows.filter(comesFirst), ...rows.filter((row) => !comesFirst(row))].slice(0, most);
}

/** The last lists that the batch printed, as many as there were lookups that did not fail. */
function lookupsIn(stdout: string, stderr: string): readonly (readonly JsonObject[])[] {
  const failed = [...failedLines(stderr).keys()].filter((line) => line >= TABLES.length).length;
  const found = DEFAULT_LOOKUPS.length - failed;
  return found === 0 ? [] : listsOfBatch(stdout).slice(-found);
}

/** One entry a prefix, kind, next hop, interface, metric and table; local SIDs and neighbour rows are left out. */
export function parseStaticRoutes(rows: readonly JsonObject[]): readonly StaticRoute[] {
  const found = new Map<string, StaticRoute>();
  for (const row of rows) {
    if (row['state'] !== undefined || row['encap'] === 'seg6local' || row['table'] === 'local') continue;
    const prefix = prefixOf(row);
    const kind = textOf(row['type']) ?? 'unicast';
    if (prefix === undefined || !isKind(kind)) continue;
    const [nextHop, ifname, table] = [textOf(row['gateway']), textOf(row['dev']), textOf(row['table'])];
    const metric = typeof row['metric'] === 'number' ? row['metric'] : undefined;
    const segments = row['encap'] === 'seg6' && Array.isArray(row['segs']) ? row['segs'].map(String) : undefined;
    const isUnsigned = segments !== undefined && row['hmac'] === undefined && !isReduced(row, segments);
    const route = {
      prefix,
      kind,
      protocol: textOf(row['protocol']) ?? 'boot',
      ...(nextHop === undefined ? {} : { nextHop }),
      ...(ifname === undefined ? {} : { ifname }),
      ...(metric === undefined ? {} : { metric }),
      ...(table === undefined ? {} : { table }),
      ...(segments === undefined ? {} : { segments }),
      ...(isUnsigned ? { unsigned: true as const } : {}),
    };
    found.set(JSON.stringify([prefix, kind, nextHop, ifname, metric, table, segments]), route);
  }
  return [...found.values()];
}

export function parseNeighbourTable(rows: readonly JsonObject[]): readonly NeighbourEntry[] {
  return rows
    .filter(
      (row) => Array.isArray(row['state']) && textOf(row['dst']) !== undefined && textOf(row['dev']) !== undefined,
    )
    .map((row) => {
      const mac = textOf(row['lladdr']);
      return {
        address: textOf(row['dst'])!,
        ifname: textOf(row['dev'])!,
        state: (row['state'] as readonly unknown[]).map(String).join(','),
        ...(mac === undefined ? {} : { mac }),
      };
    });
}

/** The table of neighbours alone, whole. */
export async function readNeighbourTable(signal?: AbortSignal): Promise<readonly NeighbourEntry[]> {
  return parseNeighbourTable(await readIp(['-j', 'neigh', 'show'], signal));
}

/** Queues, and what each dropped, held back and sent since start. */
export async function readQdiscs(signal?: AbortSignal): Promise<readonly Qdisc[]> {
  const finished = await LAUNCHER.run('tc', ['-s', '-j', 'qdisc', 'show'], {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: DRIVER_LIMITS.kernelReadBytes,
    ...(signal === undefined ? {} : { signal }),
  });
  signal?.throwIfAborted();
  return parseQdiscs(rowsOf(finished.stdout));
}

function parseQdiscs(rows: readonly JsonObject[]): readonly Qdisc[] {
  return rows
    .filter((row) => isJsonObject(row) && row['kind'] !== 'noqueue' && textOf(row['dev']) !== undefined)
    .map((row) => ({
      ifname: textOf(row['dev'])!,
      kind: textOf(row['kind']) ?? '',
      drops: counterOf(row['drops']),
      overlimits: counterOf(row['overlimits']),
      packets: counterOf(row['packets']),
      ...(textOf(row['handle']) === undefined ? {} : { handle: textOf(row['handle'])! }),
      ...(textOf(row['parent']) === undefined ? {} : { parent: textOf(row['parent'])! }),
    }));
}

/** One segment alone needs no header in the reduced modes (RFC 8986 §5.2). */
function isReduced(row: JsonObject, segments: readonly string[]): boolean {
  return segments.length === 1 && (textOf(row['mode']) ?? '').endsWith('.red');
}

function prefixOf(row: JsonObject): string | undefined {
  const dst = textOf(row['dst']);
  if (dst === undefined) return undefined;
  if (dst === 'default') return String(row['gateway'] ?? row['dev'] ?? '').includes(':') ? '::/0' : '0.0.0.0/0';
  return dst.includes('/') ? dst : `${dst}/${dst.includes(':') ? 128 : 32}`;
}

function isKind(text: string): text is StaticRoute['kind'] {
  return text === 'unicast' || text === 'blackhole' || text === 'unreachable' || text === 'prohibit';
}
