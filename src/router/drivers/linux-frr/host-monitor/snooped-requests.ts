// What hosts on the ports were heard to ask for, kept for as long as the node's other memories; the last time that it passed counts.
// Bounded: when it is full, what has been silent longest goes.
import { LIMITS } from '#base/limits.ts';
import type { Heard } from '#model/router/dhcp.ts';
import type { HeardNow, HeardRow } from '../../../protocol/read-operations.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type HeardMemory = {
  add(rows: readonly HeardRow[], atMs: number): void;
  heard(nowMs: number): readonly Heard[];
};

export function createHeardMemory(): HeardMemory {
  const known = new Map<string, { readonly row: HeardRow; readonly atMs: number }>();
  return {
    add(rows, atMs) {
      for (const row of rows) {
        const key = JSON.stringify([row.ifname, row.what, row.from, row.to]);
        known.delete(key);
        known.set(key, { row, atMs });
      }
      const old = [...known].filter(([, entry], index) => {
        return known.size - index > LIMITS.observedRequests || atMs - entry.atMs > DRIVER_LIMITS.historyMs;
      });
      for (const [key] of old) known.delete(key);
    },
    heard: (nowMs) =>
      [...known.values()].map(({ row, atMs }) => ({ ...row, agoMs: Math.max(0, Math.round(nowMs - atMs)) })),
  };
}

/** What passed on the ports since the call before. */
export async function readHeard(helper: ReadHelper, ifnames: readonly string[]): Promise<HeardNow> {
  if (ifnames.length === 0) return { rows: [], signs: [] };
  return helper.call('heard', { ifnames });
}
