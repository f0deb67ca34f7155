// The node's store of sealed reports (CARD-6, CARD-8): a database in a thread of its own. A report that `put` answered
// for is on disk. The thread starts with the first request; a lost one fails what it was asked and is replaced.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ReportStore } from '#model/ports.ts';
import type { SealedReport } from '#model/report.ts';
import { REPORT_LIMITS } from './limits.ts';
import { parseSealedReport, readCountersignature, sealedReportText } from './seal.ts';
import type { PageRequest, ReportDatabase, StoredReport, StoreLimits, SummaryPage } from './store-database.ts';
import type { StoreReply, StoreRequest } from './store-worker.ts';

/** What controllers and lists need beside the port. */
export type PagedReportStore = ReportStore & {
  page(request?: Partial<PageRequest>): Promise<SummaryPage>;
  /** Applies retention now; `put` does so by itself. How many reports went. */
  sweep(): Promise<number>;
};

export type ReportStoreInit = {
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly limits?: StoreLimits;
};

const DEFAULT_LIMITS: StoreLimits = {
  count: LIMITS.reportCount,
  bytes: REPORT_LIMITS.reportStoreBytes,
  ageMs: REPORT_LIMITS.reportAgeMs,
};
const REPORT_DATABASE = 'reports.sqlite';

/** Makes the folder; the database is opened with the first request. */
export async function openReportStore(init: ReportStoreInit): Promise<PagedReportStore> {
  await mkdir(init.dir, { recursive: true, mode: 0o700 });
  const thread = createThread({ path: join(init.dir, REPORT_DATABASE), limits: init.limits ?? DEFAULT_LIMITS });
  const nowMs = () => init.clock.nowMs();
  const page = (request: Partial<PageRequest> = {}) =>
    thread.ask<SummaryPage>('page', {
      ...request,
      limit: Math.min(request.limit ?? LIMITS.reportPage, LIMITS.reportPage),
    });
  return {
    put: (id, sealed, summary) => thread.ask('put', id, sealedReportText(sealed), summary, nowMs()),
    async get(id) {
      const stored = await thread.ask<StoredReport | undefined>('get', id);
      return stored === undefined ? undefined : withReceipts(stored);
    },
    async list() {
      const reports = [];
      let cursor: string | undefined;
      do {
        const next = await page(cursor === undefined ? {} : { cursor });
        reports.push(...next.reports);
        cursor = next.nextCursor;
      } while (cursor !== undefined);
      return reports;
    },
    page,
    acknowledge: (id, by, receipt: JsonValue) => thread.ask('acknowledge', id, by, JSON.stringify(receipt), nowMs()),
    sweep: () => thread.ask('sweep', nowMs()),
    close: () => thread.close(),
  };
}

/** Receipts that are countersignatures become part of the file; they were verified before they were stored. */
function withReceipts(stored: StoredReport): SealedReport {
  const sealed = parseSealedReport(Buffer.from(stored.text));
  if (!sealed.ok) throw new ParleyError('us/report-damaged', `expected a report in the store, got: ${sealed.reason}`);
  const receipts = stored.receipts.map((text) => readCountersignature(JSON.parse(text))).filter((each) => each.ok);
  return {
    ...sealed.value,
    countersignatures: [...sealed.value.countersignatures, ...receipts.map((each) => each.value)],
  };
}

type Pending = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

function createThread(data: { readonly path: string; readonly limits: StoreLimits }) {
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
