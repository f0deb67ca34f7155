// How full a node's report store is, and what it lost, for `parley report list` and `parley doctor`.
import type { StoreStatus } from '#report/store-database.ts';
import type { Loss } from '#report/store-eviction.ts';
import { printable } from '../terminal/output.ts';

const WHY = {
  room: 'to make room',
  age: 'for their age',
  refused: 'because they found no room themselves',
} as const;
const KIND = { fault: 'of faults', inconclusive: 'inconclusive', healthy: 'healthy' } as const;

/** Nothing for an agent of an earlier version. */
export function storeLines(store: StoreStatus | undefined): readonly string[] {
  return store === undefined ? [] : ['', usedLine(store), ...store.lost.map(lossLine)];
}

/** `12 reports, 1.4 of 268.4 MB`. */
export function usedLine({ count, bytes, mostCount, mostBytes }: StoreStatus): string {
  const most = count > mostCount * 0.9 ? ` of at most ${mostCount}` : '';
  return `${count} reports${most}, ${megabytes(bytes)} of ${megabytes(mostBytes)} MB`;
}

/** `lost        3 reports (of faults) removed to make room, and no controller had them; last on 2026-01-01T…`. */
export function lossLine({ reason, kind, count, last }: Loss): string {
  const what = `${count} ${count === 1 ? 'report' : 'reports'} (${KIND[kind] ?? printable(String(kind))})`;
  const went = reason === 'refused' ? 'not kept' : 'removed';
  return `lost        ${what} ${went} ${WHY[reason] ?? printable(String(reason))}, and no controller had ${count === 1 ? 'it' : 'them'}; last on ${printable(String(last))}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
