// The thread that owns the report database: every statement and every synchronisation of SQLite runs here, so that a
// slow disk never blocks the agent's event loop. Requests come one at a time and are answered in order.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, ParleyError } from '#base/error.ts';
import { openReportDatabase, type ReportDatabase } from './store-database.ts';
import type { StoreLimits } from './store-eviction.ts';

export type StoreRequest = {
  readonly id: number;
  readonly method: keyof ReportDatabase;
  readonly args: readonly unknown[];
};
export type StoreReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly code: ParleyError['code'] };

const { path, limits } = workerData as { readonly path: string; readonly limits: StoreLimits };
let database: ReportDatabase | undefined;

// Packing one report uses up several pools, and most of the time one of them outlived it: a hundred lay about before V8 cleaned this small heap.
Buffer.poolSize = 0;

parentPort?.on('message', ({ id, method, args }: StoreRequest) => {
  try {
    // Opened with the first request, so that a database that cannot be opened is an error of a request, not of the thread.
    database ??= openReportDatabase(path, limits);
    const value = (database[method] as (...args: readonly unknown[]) => unknown)(...args);
    reply({ id, value });
  } catch (error) {
    reply({ id, error: messageOf(error), code: error instanceof ParleyError ? error.code : 'us/report-store' });
  }
});

function reply(message: StoreReply): void {
  parentPort?.postMessage(message);
}
