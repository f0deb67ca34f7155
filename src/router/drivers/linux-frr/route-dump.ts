// The kernel's routing table page by page with bounded memory (NET-6): one `ip -j route` keeps running between two pages and is
// held back by its pipe. A page whose dump is gone goes on behind its cursor in a new one. zebra is never asked for a table.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { childEnvironment } from '#base/process.ts';
import type { AddressFamily, RouteEntry, RoutePage } from '#model/device-port.ts';
import { createRowSplitter, type RowSplitter } from './json-rows.ts';
import { compareRoutes, formatCursor, keyOf, parseCursor, type RouteKey, routeOf } from './route-order.ts';

export type RouteReader = {
  page(family: AddressFamily, cursor: string | undefined, most: number, signal?: AbortSignal): Promise<RoutePage>;
  close(): void;
};

type Dump = {
  readonly id: string;
  readonly family: AddressFamily;
  readonly child: ChildProcess;
  readonly chunks: AsyncIterator<Buffer>;
  readonly splitter: RowSplitter;
  /** Read and not given out yet; `place` is the first of them. */
  pending: readonly RouteEntry[];
  place: number;
  /** Of the last route that was given out, and how many of that key were. */
  last: RouteKey | undefined;
  same: number;
  /** In a dump that goes on behind a cursor: routes of the cursor's key that are still to be passed over. */
  skip: number;
  /** True until the routes behind the cursor are reached; always for IPv6, whose dumps the kernel may begin again. */
  checking: boolean;
  ended: boolean;
  busy: boolean;
  usedMs: number;
};

export function createRouteReader(init: { readonly clock: Clock }): RouteReader {
  const { clock } = init;
  const dumps = new Map<string, Dump>();
  let count = 0;
  const drop = (dump: Dump) => {
    dumps.delete(dump.id);
    dump.child.kill('SIGKILL');
  };
  const makeRoom = () => {
    for (const dump of dumps.values())
      if (!dump.busy && clock.monotonicMs() - dump.usedMs > LIMITS.routeDumpIdleMs) drop(dump);
    const idle = [...dumps.values()].filter((dump) => !dump.busy);
    if (dumps.size < LIMITS.routeDumps) return;
    if (idle.length === 0)
      throw new ParleyError(
        'node/helper-busy',
        `expected at most ${LIMITS.routeDumps} table reads at once, came one more`,
      );
    drop(idle.toSorted((one, other) => one.usedMs - other.usedMs)[0]!);
  };
  const start = (family: AddressFamily): Dump => {
    makeRoom();
    const dump = startDump(family, (++count).toString(16), clock.monotonicMs());
    dumps.set(dump.id, dump);
    return dump;
  };
  const find = (family: AddressFamily, cursor: string | undefined): Dump => {
    if (cursor === undefined) return start(family);
    const read = parseCursor(family, cursor);
    if (!read.ok) throw new ParleyError('caller/bad-cursor', read.reason, { data: { path: 'cursor' } });
    const { dump, after, same } = read.value;
    const open = dumps.get(dump);
    const goesOn =
      open?.family === family && !open.busy && open.last !== undefined && compareRoutes(family, open.last, after) === 0;
    if (goesOn) return open;
    const fresh = start(family);
    fresh.last = after;
    fresh.same = same;
    fresh.skip = same;
    fresh.checking = true;
    return fresh;
  };
  return {
    async page(family, cursor, most, signal) {
      const dump = find(family, cursor);
      dump.busy = true;
      try {
        const routes = await take(dump, most, signal);
        if (dump.place < dump.pending.length || !(await fill(dump, signal)))
          return { routes, next: formatCursor(family, dump.id, dump.last!, dump.same) };
        drop(dump);
        return { routes, next: undefined };
      } catch (error) {
        drop(dump);
        throw error;
      } finally {
        dump.busy = false;
        dump.usedMs = clock.monotonicMs();
      }
    },
    close() {
      for (const dump of dumps.values()) drop(dump);
    },
  };
}

function startDump(family: AddressFamily, id: string, nowMs: number): Dump {
  const child = spawn('ip', ['-j', family === 'ipv4' ? '-4' : '-6', 'route', 'show', 'table', 'main'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: childEnvironment({ LC_ALL: 'C' }),
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new ParleyError('node/kernel-unreadable', `expected ip to run, came ${error.message}`)),
    );
  });
  failed.catch(() => {});
  child.unref();
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return {
    id,
    family,
    child,
    chunks: { next: () => Promise.race([chunks.next(), failed]) },
    splitter: createRowSplitter(),
    pending: [],
    place: 0,
    last: undefined,
    same: 0,
    skip: 0,
    checking: family === 'ipv6',
    ended: false,
    busy: false,
    usedMs: nowMs,
  };
}

async function take(dump: Dump, most: number, signal: AbortSignal | undefined): Promise<RouteEntry[]> {
  const routes: RouteEntry[] = [];
  while (routes.length < most) {
    if (dump.place >= dump.pending.length && (await fill(dump, signal))) break;
    const end = Math.min(dump.pending.length, dump.place + most - routes.length);
    for (; dump.place < end; dump.place++) routes.push(dump.pending[dump.place]!);
  }
  remember(dump, routes);
  return routes;
}

/** The key of the last route given out, and how many before it have the same. */
function remember(dump: Dump, routes: readonly RouteEntry[]): void {
  const last = routes.at(-1);
  if (last === undefined) return;
  const key = keyOf(last.prefix, last.metric)!;
  const from = routes.findLastIndex(({ prefix, metric }) => prefix !== last.prefix || metric !== last.metric);
  const goesOn = from < 0 && dump.last !== undefined && compareRoutes(dump.family, key, dump.last) === 0;
  dump.same = routes.length - 1 - from + (goesOn ? dump.same : 0);
  dump.last = key;
}

/** Reads on until there are routes behind the last one; true when the table has ended. */
async function fill(dump: Dump, signal: AbortSignal | undefined): Promise<boolean> {
  while (dump.place >= dump.pending.length) {
    signal?.throwIfAborted();
    if (dump.ended) return true;
    const chunk = await dump.chunks.next();
    dump.ended = chunk.done === true;
    const rows = chunk.done ? dump.splitter.finish() : dump.splitter.push(chunk.value);
    const routes = rows.flatMap((row) => routeOf(dump.family, row) ?? []);
    dump.pending = dump.checking && dump.last !== undefined ? routesBehind(dump, dump.last, routes) : routes;
    dump.place = 0;
  }
  return false;
}

/** A dump that was begun again repeats routes; those up to the last one were given out already. */
function routesBehind(dump: Dump, last: RouteKey, routes: readonly RouteEntry[]): readonly RouteEntry[] {
  const behind = routes.filter(({ prefix, metric }) => {
    const key = keyOf(prefix, metric);
    if (key === undefined) return false;
    const order = compareRoutes(dump.family, key, last);
    return order > 0 || (order === 0 && dump.skip-- <= 0);
  });
  if (behind.length > 0 && dump.family === 'ipv4') dump.checking = false;
  return behind;
}
