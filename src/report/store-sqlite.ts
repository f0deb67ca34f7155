// The tables of the report store, and how they are opened: WAL with `synchronous = FULL`, so that what was answered survives a power
// cut. A store of an earlier version is brought up to date in one transaction; its reports stay as they are and are read as before.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ParleyError } from '#base/error.ts';

export type Row = Record<string, unknown>;

export type Statements = {
  readonly db: DatabaseSync;
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
  readonly one: (sql: string, ...values: SQLInputValue[]) => Row | undefined;
  /** How many rows changed. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
  /** All of `work` or nothing of it, also when the power fails in between. */
  atomically<T>(work: () => T): T;
};

/** `bytes` is what counts towards the quota. Of a packed report `text` is empty. */
const VERSION_1 = `
  CREATE TABLE report (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    stored_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    summary TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE acknowledgement (
    id TEXT NOT NULL REFERENCES report(id) ON DELETE CASCADE,
    controller TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    PRIMARY KEY (id, controller)
  ) STRICT;`;

/**
 * Without a verdict a report counts as that of a fault. The indexes answer sums and searches without reading a report. Reports are packed; what was removed is remembered. `told` is 0 until the audit trail has the line. `loss` counts for good what went
 * although no controller had it, and what found no room.
 */
const VERSION_2 = `
  ALTER TABLE report ADD COLUMN text_bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE report ADD COLUMN packed BLOB;
  ALTER TABLE report ADD COLUMN kind TEXT AS (CASE iif(json_valid(summary), json_extract(summary, '$.verdict'), '')
    WHEN 'healthy' THEN 'healthy' WHEN 'inconclusive' THEN 'inconclusive' ELSE 'fault' END) VIRTUAL;
  ALTER TABLE report ADD COLUMN hypothesis TEXT
    AS (iif(json_valid(summary), json_extract(summary, '$.hypothesis'), NULL)) VIRTUAL;
  CREATE INDEX report_kind ON report (kind, hypothesis);
  CREATE INDEX report_age ON report (kind, stored_ms);
  CREATE INDEX report_stored ON report (stored_ms);
  CREATE INDEX report_bytes ON report (bytes);
  CREATE INDEX report_plain ON report (sequence) WHERE packed IS NULL;
  CREATE TABLE removal (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    entry TEXT NOT NULL,
    told INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX removal_id ON removal (id);
  CREATE INDEX removal_untold ON removal (sequence) WHERE told = 0;
  CREATE TABLE loss (
    reason TEXT NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (reason, kind)
  ) STRICT;`;

const VERSIONS = [VERSION_1, VERSION_2];

export function openSqlite(path: string): Statements {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;');
  const statements: Statements = {
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
  bringUpToDate(statements);
  return statements;
}

function bringUpToDate({ db, one, atomically }: Statements): void {
  atomically(() => {
    const found = Number(one('PRAGMA user_version')?.['user_version']);
    if (found > VERSIONS.length)
      throw new ParleyError(
        'us/report-store',
        `expected a report database of version ${VERSIONS.length}, got ${found}: a newer Parley made it`,
      );
    for (const sql of VERSIONS.slice(found)) db.exec(sql);
    if (found < VERSIONS.length) db.exec(`PRAGMA user_version = ${VERSIONS.length}`);
  });
}
