// The node's store of sealed reports (CARD-6, CARD-8): a database in a thread of its own (store-thread.ts). A report that `put`
// answered for is on disk. What leaves the store is put into the audit trail (TS-31): the database remembers which lines
// the trail does not have yet, so that none is lost when the process ends in between.
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { makeFolder } from '#base/files.ts';
import type { JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { AuditRecord, ReportStore } from '#model/ports.ts';
import type { SealedReport } from '#model/report.ts';
import { parseSealedReport, readCountersignature, sealedReportText } from './seal.ts';
import type { PageRequest, StoredReport, StoreStatus, SummaryPage, Untold } from './store-database.ts';
import type { Removal, Selection, StoreLimits } from './store-eviction.ts';
import { createStoreThread } from './store-thread.ts';

/** What controllers and lists need beside the port. */
export type PagedReportStore = ReportStore & {
  page(request?: Partial<PageRequest>): Promise<SummaryPage>;
  /** Applies retention now; `put` does so by itself. How many reports went. */
  sweep(): Promise<number>;
  /** Removes what an operator selected, oldest first, as far as one call goes; `by` as `operator/alice`. */
  remove(selection: Selection, by: string): Promise<readonly Removal[]>;
  /** Why a report is no longer there; undefined for one that never was. */
  removalOf(id: string): Promise<Removal | undefined>;
  status(): Promise<StoreStatus>;
};

export type ReportStoreInit = {
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** As `reports` of the configuration has them. */
  readonly limits: StoreLimits;
  /** Puts a line into the audit trail; one that rejects is tried again with the next change of the store. */
  readonly record?: (record: AuditRecord) => Promise<void>;
};

export const REPORT_DATABASE = 'reports.sqlite';

/** Makes the folder; the database is opened with the first request. */
export async function openReportStore(init: ReportStoreInit): Promise<PagedReportStore> {
  await makeFolder(init.dir, 0o700);
  const thread = createStoreThread({ path: join(init.dir, REPORT_DATABASE), limits: init.limits });
  const nowMs = () => init.clock.nowMs();
  const trail = createTrailWriter(thread, init.record);
  const page = (request: Partial<PageRequest> = {}) =>
    thread.ask<SummaryPage>('page', {
      ...request,
      limit: Math.min(request.limit ?? LIMITS.reportPage, LIMITS.reportPage),
    });
  return {
    async put(id, sealed, summary) {
      const text = sealedReportText(sealed);
      // What could not be read back is no report that was kept.
      if (Buffer.byteLength(text) > LIMITS.reportBytes)
        throw new ParleyError('us/report-store-full', `expected a report of at most ${LIMITS.reportBytes} bytes`);
      const lost = await thread.ask<number>('put', id, text, summary, nowMs());
      trail.write();
      return { lost };
    },
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
    async sweep() {
      const removed = await thread.ask<number>('sweep', nowMs());
      trail.write();
      return removed;
    },
    async remove(selection, by) {
      const removed = await thread.ask<readonly Removal[]>('remove', selection, by, nowMs());
      trail.write();
      return removed;
    },
    removalOf: (id) => thread.ask('removalOf', id),
    status: () => thread.ask('status'),
    async close() {
      await trail.written();
      await thread.close();
    },
  };
}

/** One line for each few removals of one reason, after they are done: the database counts them until the trail has them. */
function createTrailWriter(thread: ReturnType<typeof createStoreThread>, record: ReportStoreInit['record']) {
  let writing = Promise.resolve();
  const writeAll = async () => {
    for (;;) {
      const { removals, upTo } = await thread.ask<Untold>('untold');
      if (record === undefined || removals.length === 0) return;
      for (const group of Map.groupBy(removals, ({ reason, by }) => JSON.stringify([reason, by])).values())
        await record(recordOf(group));
      await thread.ask('told', upTo);
    }
  };
  return {
    write() {
      // Nothing is lost where it fails: what the trail does not have is tried again with the next change.
      if (record !== undefined) writing = writing.then(() => writeAll().catch(() => {}));
    },
    written: () => writing,
  };
}

function recordOf(removals: readonly Removal[]): AuditRecord {
  const [{ reason, by }] = removals as readonly [Removal];
  const lost = removals.filter(({ acknowledged }) => !acknowledged).length;
  return {
    event: 'reports-removed',
    ...(by === undefined ? {} : { party: by }),
    reason: { room: 'the store was full', age: 'older than their kind is kept', deleted: 'deleted by a caller' }[
      reason
    ],
    detail: { lost, reports: removals.map(({ by: _, reason: __, ...rest }): JsonValue => rest) },
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
