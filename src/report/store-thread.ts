// Requests to the thread of the report database (store-worker.ts). It starts with the first request; one that is lost fails what it was
// asked and is replaced.
import { Worker } from 'node:worker_threads';
import { ParleyError } from '#base/error.ts';
import type { ReportDatabase } from './store-database.ts';
import type { StoreLimits } from './store-eviction.ts';
import type { StoreReply, StoreRequest } from './store-worker.ts';

type Pending = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

export function createStoreThread(data: { readonly path: string; readonly limits: StoreLimits }) {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let lastId = 0;
  let closed = false;

  const fail = (error: Error) => {
    worker = undefined;
    for (const { reject } of pending.values())
      reject(new ParleyError('us/report-store', `report store: ${error.message}`, { cause: error }));
    pending.clear();
  };
  const start = (): Worker => {
    const fromSource = import.meta.url.endsWith('.ts');
    const name = fromSource ? './store-worker.ts' : './store-worker.js';
    const made = new Worker(new URL(name, import.meta.url), {
      workerData: data,
      name: 'report-store',
      // Not what this process was started with: a thread takes fewer options, and small heaps suffice it.
      execArgv: fromSource ? ['--conditions=parley-source'] : [],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    made.on('message', (reply: StoreReply) => {
      const waiting = pending.get(reply.id);
      pending.delete(reply.id);
      if (pending.size === 0) made.unref();
      if ('error' in reply) waiting?.reject(new ParleyError(reply.code, reply.error));
      else waiting?.resolve(reply.value as never);
    });
    made.on('error', fail);
    made.on('exit', () => worker === made && fail(new Error('the thread ended')));
    return made;
  };
  const ask = <T>(method: keyof ReportDatabase, ...args: readonly unknown[]): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (closed) return reject(new ParleyError('us/report-store', 'expected an open report store, got a closed one'));
      worker ??= start();
      worker.ref();
      lastId += 1;
      pending.set(lastId, { resolve: resolve as (value: never) => void, reject });
      worker.postMessage({ id: lastId, method, args } satisfies StoreRequest);
    });
  return {
    ask,
    async close() {
      if (closed) return;
      const last = worker === undefined ? undefined : ask('close');
      closed = true;
      await last;
      const ended = worker;
      worker = undefined;
      await ended?.terminate();
    },
  };
}
