// Reports in SQLite, packed. Synchronous: runs in store-worker.ts only. What leaves for room or by age, and what is said about it:
// store-eviction.ts.

import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { ReportSummary } from '#model/ports.ts';
import { REPORT_LIMITS } from './limits.ts';
import { pack, unpack } from './pack.ts';
import {
  countLoss,
  type Loss,
  losses,
  makeRoom,
  REPORT_KINDS,
  type Removal,
  type ReportKind,
  removalOf,
  removeSelected,
  type Selection,
  type StoreLimits,
  sweep,
  used,
} from './store-eviction.ts';
import { openSqlite, type Statements } from './store-sqlite.ts';

export type StoredReport = { readonly text: string; readonly receipts: readonly string[] };

export type SummaryPage = { readonly reports: readonly ReportSummary[]; readonly nextCursor?: string };

export type PageRequest = {
  readonly cursor?: string;
  readonly limit: number;
  /** Only reports that this controller has not acknowledged. */
  readonly notAcknowledgedBy?: string;
};

export type StoreStatus = {
  readonly count: number;
  readonly bytes: number;
  readonly mostCount: number;
  readonly mostBytes: number;
  /** What went although no controller had acknowledged it, ever since the store was made. */
  readonly lost: readonly Loss[];
};

/** Removals that the audit trail does not have yet. */
export type Untold = { readonly removals: readonly Removal[]; readonly upTo: number };

export type ReportDatabase = {
  /** How many reports that are not healthy, and that no controller has, went for it. Throws `us/report-store-full`. */
  put(id: string, text: string, summary: ReportSummary, nowMs: number): number;
  get(id: string): StoredReport | undefined;
  /** Newest first. Throws `caller/report-cursor` for a cursor that is not one of ours. */
  page(request: PageRequest): SummaryPage;
  acknowledge(id: string, by: string, receipt: string, nowMs: number): boolean;
  /** Removes what retention no longer keeps; how many. */
  sweep(nowMs: number): number;
  /** Removes a bounded number of what an operator selected, oldest first. */
  remove(selection: Selection, by: string, nowMs: number): readonly Removal[];
  removalOf(id: string): Removal | undefined;
  untold(): Untold;
  told(upTo: number): void;
  status(): StoreStatus;
  close(): void;
};

export function openReportDatabase(path: string, limits: StoreLimits): ReportDatabase {
  const statements = openSqlite(path);
  const { all, one, run, atomically } = statements;
  return {
    put: (id, text, summary, nowMs) => {
      const report = { id, text, kind: kindOf(summary.verdict), packed: pack(text), summary: JSON.stringify(summary) };
      const lost = atomically(() => putPacked(statements, limits, report, nowMs));
      if (lost !== undefined) return lost;
      // After everything was taken back: a report that finds no room removes none.
      countLoss(statements, 'refused', report.kind, nowMs);
      throw new ParleyError('us/report-store-full', fullMessage(report.kind));
    },
    get: (id) => {
      const row = one('SELECT text, text_bytes, packed FROM report WHERE id = ?', id);
      if (row === undefined) return undefined;
      const receipts = all('SELECT receipt FROM acknowledgement WHERE id = ? ORDER BY at_ms, controller', id);
      const packed = row['packed'];
      const textBytes = Math.min(Number(row['text_bytes']), LIMITS.reportBytes);
      const text = packed instanceof Uint8Array ? unpack(packed, textBytes) : String(row['text']);
      return { text, receipts: receipts.map((each) => String(each['receipt'])) };
    },
    page: (request) => readPage(all, request),
    acknowledge: (id, by, receipt, nowMs) =>
      atomically(() => {
        if (one('SELECT 1 AS found FROM report WHERE id = ?', id) === undefined) return false;
        // The first receipt stands: it is the earliest proof that the report existed.
        run(
          'INSERT OR IGNORE INTO acknowledgement (id, controller, at_ms, receipt) VALUES (?, ?, ?, ?)',
          id,
          by,
          nowMs,
          receipt,
        );
        return true;
      }),
    sweep: (nowMs) => atomically(() => sweep(statements, limits, nowMs)),
    remove: (selection, by, nowMs) => atomically(() => removeSelected(statements, selection, by, nowMs)),
    removalOf: (id) => removalOf(statements, id),
    untold: () => {
      const rows = all(
        'SELECT sequence, entry FROM removal WHERE told = 0 ORDER BY sequence LIMIT ?',
        REPORT_LIMITS.removalsToldAtOnce,
      );
      const removals = rows.map((row) => JSON.parse(String(row['entry'])) as Removal);
      return { removals, upTo: Number(rows.at(-1)?.['sequence'] ?? 0) };
    },
    told: (upTo) => void run('UPDATE removal SET told = 1 WHERE told = 0 AND sequence <= ?', upTo),
    status: () => ({
      ...used(statements),
      ...{ mostCount: limits.count, mostBytes: limits.bytes, lost: losses(statements) },
    }),
    close: () => statements.close(),
  };
}

type PackedReport = {
  readonly id: string;
  readonly text: string;
  readonly kind: ReportKind;
  readonly packed: Uint8Array;
  readonly summary: string;
};

/** How many reports that are no healthy ones and that no controller has went for it; undefined, and nothing done, without room. */
function putPacked(db: Statements, limits: StoreLimits, report: PackedReport, nowMs: number): number | undefined {
  const { id, text, kind, packed, summary } = report;
  const lostBefore = lostOf(db);
  db.run('SAVEPOINT room');
  const bytes = packed.length + Buffer.byteLength(summary);
  if (!makeRoom(db, limits, { kind, bytes }, nowMs)) {
    db.run('ROLLBACK TO room');
    return undefined;
  }
  db.run(
    `INSERT INTO report (id, stored_ms, bytes, summary, text, text_bytes, packed) VALUES (?, ?, ?, ?, '', ?, ?)`,
    ...[id, nowMs, bytes, summary, Buffer.byteLength(text), packed],
  );
  return lostOf(db) - lostBefore;
}

function lostOf(db: Statements): number {
  const counted = losses(db).filter(({ reason, kind }) => reason === 'room' && kind !== 'healthy');
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/** A report without one of the known verdicts is kept like that of a fault. */
function kindOf(verdict: string): ReportKind {
  return REPORT_KINDS.find((each) => each === verdict) ?? 'fault';
}

function fullMessage(kind: ReportKind): string {
  const full = {
    healthy: 'a store full of reports of faults and inconclusive ones that no controller has',
    inconclusive: 'a store full of reports of faults that no controller has',
    fault: 'a report larger than the whole quota',
  }[kind];
  return `expected room for a report, got ${full}: see "parley report list", delete some or raise reports.quotaBytes`;
}

function readSummary(row: Record<string, unknown>): ReportSummary {
  const by = JSON.parse(String(row['by'])) as string[];
  const summary = JSON.parse(String(row['summary'])) as ReportSummary;
  return by.length === 0 ? summary : { ...summary, acknowledgedBy: by.sort() };
}

function readPage(all: Statements['all'], request: PageRequest): SummaryPage {
  const { cursor, limit, notAcknowledgedBy } = request;
  if (cursor !== undefined && !/^[1-9]\d{0,14}$/.test(cursor)) {
    throw new ParleyError('caller/report-cursor', 'expected a cursor of this list, got another text');
  }
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const rows = all(
    `SELECT sequence, summary, (SELECT json_group_array(controller) FROM acknowledgement a WHERE a.id = report.id) AS by
     FROM report WHERE sequence < ?
     AND (? IS NULL OR NOT EXISTS (SELECT 1 FROM acknowledgement a WHERE a.id = report.id AND a.controller = ?))
     ORDER BY sequence DESC LIMIT ?`,
    before,
    notAcknowledgedBy ?? null,
    notAcknowledgedBy ?? null,
    limit + 1,
  );
  const reports = rows.slice(0, limit).map(readSummary);
  return rows.length > limit ? { reports, nextCursor: String(rows[limit - 1]?.['sequence']) } : { reports };
}
