// Reports in SQLite: WAL with `synchronous = FULL`, so that what was answered survives a power cut. Synchronous: runs
// in store-worker.ts only. Retention: by age in every case, by bytes and number only among acknowledged reports;
// nothing else is forgotten (CARD-8, TS-20).
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ParleyError } from '#base/error.ts';
import type { ReportSummary } from '#model/ports.ts';

export type StoreLimits = { readonly count: number; readonly bytes: number; readonly ageMs: number };

export type StoredReport = { readonly text: string; readonly receipts: readonly string[] };

export type SummaryPage = { readonly reports: readonly ReportSummary[]; readonly nextCursor?: string };

export type PageRequest = {
  readonly cursor?: string;
  readonly limit: number;
  /** Only reports that this controller has not acknowledged. */
  readonly notAcknowledgedBy?: string;
};

export type ReportDatabase = {
  put(id: string, text: string, summary: ReportSummary, nowMs: number): void;
  get(id: string): StoredReport | undefined;
  /** Newest first. Throws `caller/report-cursor` for a cursor that is not one of ours. */
  page(request: PageRequest): SummaryPage;
  acknowledge(id: string, by: string, receipt: string, nowMs: number): boolean;
  /** Removes what retention no longer keeps; how many. */
  sweep(nowMs: number): number;
  close(): void;
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS report (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    stored_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    summary TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS acknowledgement (
    id TEXT NOT NULL REFERENCES report(id) ON DELETE CASCADE,
    controller TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    PRIMARY KEY (id, controller)
  ) STRICT;
  PRAGMA user_version = 1;`;

const ACKNOWLEDGED = 'EXISTS (SELECT 1 FROM acknowledgement a WHERE a.id = report.id)';

export function openReportDatabase(path: string, limits: StoreLimits): ReportDatabase {
  const { db, all, one, run, atomically } = openSqlite(path);
  const used = () =>
    one('SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM report') as { count: number; bytes: number };
  const isOver = (more: number) => {
    const { count, bytes } = used();
    return count + (more > 0 ? 1 : 0) > limits.count || bytes + more > limits.bytes;
  };
  /** Oldest first, and only what age or a controller's receipt allows. */
  const makeRoom = (more: number, nowMs: number): number => {
    let removed = run('DELETE FROM report WHERE stored_ms < ?', nowMs - limits.ageMs);
    while (isOver(more)) {
      const gone = run(`DELETE FROM report WHERE sequence = (SELECT min(sequence) FROM report WHERE ${ACKNOWLEDGED})`);
      if (gone === 0) break;
      removed += gone;
    }
    return removed;
  };
  return {
    put: (id, text, summary, nowMs) =>
      atomically(() => {
        const bytes = Buffer.byteLength(text);
        makeRoom(bytes, nowMs);
        if (isOver(bytes)) {
          throw new ParleyError(
            'us/report-store-full',
            'expected room for a report, got a store full of unacknowledged ones',
          );
        }
        run(
          'INSERT INTO report (id, stored_ms, bytes, summary, text) VALUES (?, ?, ?, ?, ?)',
          id,
          nowMs,
          bytes,
          JSON.stringify(summary),
          text,
        );
      }),
    get: (id) => {
      const row = one('SELECT text FROM report WHERE id = ?', id);
      if (row === undefined) return undefined;
      const receipts = all('SELECT receipt FROM acknowledgement WHERE id = ? ORDER BY at_ms, controller', id);
      return { text: String(row['text']), receipts: receipts.map((each) => String(each['receipt'])) };
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
    sweep: (nowMs) => atomically(() => makeRoom(0, nowMs)),
    close: () => db.close(),
  };
}

function readSummary(row: Record<string, unknown>): ReportSummary {
  const by = JSON.parse(String(row['by'])) as string[];
  const summary = JSON.parse(String(row['summary'])) as ReportSummary;
  return by.length === 0 ? summary : { ...summary, acknowledgedBy: by.sort() };
}

type Statements = {
  readonly db: DatabaseSync;
  readonly all: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown>[];
  readonly one: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown> | undefined;
  /** How many rows changed. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
  atomically<T>(work: () => T): T;
};

function openSqlite(path: string): Statements {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;');
  db.exec(SCHEMA);
  return {
    db,
    all: (sql, ...values) => db.prepare(sql).all(...values),
    one: (sql, ...values) => db.prepare(sql).get(...values),
    run: (sql, ...values) => Number(db.prepare(sql).run(...values).changes),
    atomically: (work) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const value = work();
        db.exec('COMMIT');
        return value;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
  };
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
