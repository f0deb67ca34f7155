// The kernel's routing table page by page with bounded memory (NET-6): one rtnetlink dump stays open between two pages and holds one
// datagram. A page whose dump is gone, or whose table changed where it stands, goes on behind its cursor in a new one. zebra is
// never asked for a table. Refuses to go on when the table changes faster than it can be read: a page that lacks routes is worse.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { AddressFamily, RouteRequest } from '#model/router/device-port.ts';
import { type Libc, loadLibc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { createRouteEntries, type RouteEntries } from './route-entries.ts';
import { compareRoutes, formatCursor, parseCursor } from './route-order.ts';
import { openTable, type Table } from './route-table.ts';

export type RouteReader = {
  /** As DevicePort's `routes`. */
  page(request: RouteRequest, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
};

type Dump = { readonly id: string; readonly table: Table; busy: boolean; usedMs: number };

export function createRouteReader(init: { readonly clock: Clock }): RouteReader {
  const { clock } = init;
  const dumps = new Map<string, Dump>();
  let count = 0;
  const drop = (dump: Dump) => {
    dumps.delete(dump.id);
    dump.table.close();
  };
  const makeRoom = () => {
    for (const dump of dumps.values())
      if (!dump.busy && clock.monotonicMs() - dump.usedMs > DRIVER_LIMITS.routeDumpIdleMs) drop(dump);
    const idle = [...dumps.values()].filter((dump) => !dump.busy);
    if (dumps.size < DRIVER_LIMITS.routeDumps) return;
    if (idle.length === 0)
      throw new ParleyError(
        'node/helper-busy',
        `expected at most ${DRIVER_LIMITS.routeDumps} table reads at once, got one more`,
      );
    drop(idle.toSorted((one, other) => one.usedMs - other.usedMs)[0]!);
  };
  let reach: { readonly libc: Libc; readonly entries: RouteEntries } | undefined;
  const find = async (family: AddressFamily, cursor: string | undefined): Promise<Dump> => {
    if (reach === undefined) {
      const libc = await loadLibc();
      reach ??= { libc, entries: createRouteEntries(libc) };
    }
    const read = cursor === undefined ? undefined : parseCursor(family, cursor);
    if (read?.ok === false) throw new ParleyError('caller/bad-cursor', read.reason, { data: { path: 'cursor' } });
    const position = read?.value;
    const open = position && dumps.get(position.dump);
    const last = open?.table.position?.after;
    if (open !== undefined && open.table.family === family && !open.busy && last !== undefined) {
      if (compareRoutes(family, last, position!.after) === 0) return open;
    }
    makeRoom();
    const table = openTable({ ...reach, family, position });
    const dump: Dump = { id: (++count).toString(16), table, busy: false, usedMs: clock.monotonicMs() };
    dumps.set(dump.id, dump);
    return dump;
  };
  return {
    async page({ family, cursor, most, each }, signal) {
      const dump = await find(family, cursor);
      dump.busy = true;
      try {
        const room = { left: most };
        while (room.left > 0) {
          const routes = await dump.table.take(room, signal);
          if (routes === undefined) break;
          each(routes);
          await setImmediate();
          signal?.throwIfAborted();
        }
        if (await dump.table.hasMore(signal)) {
          const { after, same } = dump.table.position!;
          return formatCursor(family, dump.id, after, same);
        }
        drop(dump);
        return undefined;
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
