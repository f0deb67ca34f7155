// The tables of the report store, and how they are opened: WAL with `synchronous = FULL`, so that what was answered survives a power
// cut. A store of an earlier version is brought up to date in one transaction, also one that a newer program had brought up to date
// before: what its tables lack is added, and its reports stay as they are and are read as before.
import { statfsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { REPORT_LIMITS } from './limits.ts';

export type Row = Record<string, unknown>;

export type Statements = {
  readonly exec: (sql: string) => void;
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
  readonly one: (sql: string, ...values: SQLInputValue[]) => Row | undefined;
  /** How many rows changed. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
  /** All of `work` or nothing of it, also when the power fails in between. */
  atomically<T>(work: () => T): T;
  close(): void;
};

export type StoreFinding =
  /** There is no database yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly reports: number }
  /** SQLite finds it damaged, or it is no database. */
  | { readonly kind: 'damaged'; readonly reason: string }
  /** Nothing is known of it: another program holds it alone, or the disk has no room for reading it. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Replaced in tests. */
export type SqliteDisk = {
  readonly open: (path: string, settings: string) => DatabaseSync;
  readonly freeBytes: (folder: string) => number;
};

/** Of tables and indexes, what is not there is made. `bytes` is what counts towards the quota. Of a packed report `text` is empty. */
const FIRST_TABLES = `
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
  ) STRICT;`;

/** Columns of `report` that version 1 had not. Without a verdict a report counts as that of a fault. */
const LATER_COLUMNS = {
  text_bytes: 'INTEGER NOT NULL DEFAULT 0',
  packed: 'BLOB',
  kind: `TEXT AS (CASE iif(json_valid(summary), json_extract(summary, '$.verdict'), '')
    WHEN 'healthy' THEN 'healthy' WHEN 'inconclusive' THEN 'inconclusive' ELSE 'fault' END) VIRTUAL`,
  hypothesis: `TEXT AS (iif(json_valid(summary), json_extract(summary, '$.hypothesis'), NULL)) VIRTUAL`,
} as const;

/**
 * The indexes answer sums and searches without reading a report. `removal` remembers what was removed; its `told` is 0 until the audit
 * trail has the line. `loss` counts for good what went although no controller had it, and what found no room.
 */
const LATER_TABLES = `
  CREATE INDEX IF NOT EXISTS report_kind ON report (kind, hypothesis);
  CREATE INDEX IF NOT EXISTS report_age ON report (kind, stored_ms);
  CREATE INDEX IF NOT EXISTS report_stored ON report (stored_ms);
  CREATE INDEX IF NOT EXISTS report_bytes ON report (bytes);
  CREATE INDEX IF NOT EXISTS report_plain ON report (sequence) WHERE packed IS NULL;
  CREATE TABLE IF NOT EXISTS removal (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    entry TEXT NOT NULL,
    told INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS removal_id ON removal (id);
  CREATE INDEX IF NOT EXISTS removal_untold ON removal (sequence) WHERE told = 0;
  CREATE TABLE IF NOT EXISTS loss (
    reason TEXT NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (reason, kind)
  ) STRICT;`;

/** A newer database is refused. An older number says little: a program of version 1 writes it into every store that it opens, also into one of version 2. */
const VERSION = 2;

export function openSqlite(path: string, disk: SqliteDisk = systemDisk): Statements {
  let opened = openWithRoomOrWithout(path, disk);
  let triedAtBytes: number = REPORT_LIMITS.sharedRoomBytes;
  let isClosed = false;
  /** One that was opened on a full disk shuts every other program out: it is opened anew as soon as there is room. */
  const current = (): DatabaseSync => {
    const { db, isAlone } = opened;
    if (isClosed || (db.isOpen && (!isAlone || db.isTransaction))) return db;
    const freeBytes = disk.freeBytes(dirname(path));
    if (db.isOpen && freeBytes <= triedAtBytes) return db;
    triedAtBytes = freeBytes;
    if (db.isOpen) db.close();
    opened = openWithRoomOrWithout(path, disk);
    return opened.db;
  };
  const statements: Statements = {
    exec: (sql) => current().exec(sql),
    all: (sql, ...values) =>
      current()
        .prepare(sql)
        .all(...values),
    one: (sql, ...values) =>
      current()
        .prepare(sql)
        .get(...values),
    run: (sql, ...values) =>
      Number(
        current()
          .prepare(sql)
          .run(...values).changes,
      ),
    atomically: (work) => {
      const db = current();
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
    close() {
      isClosed = true;
      if (opened.db.isOpen) opened.db.close();
    },
  };
  bringUpToDate(statements);
  return statements;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, in the lowest octet of the extended code. */
const DAMAGED = new Set([11, 26]);

/**
 * For a program beside the agent, which may be writing meanwhile. Makes no file and takes none away: on a full disk the little that SQLite makes for
 * itself would be what is left of the room. Rejects with the error of the file system where this user may not look.
 */
export async function checkReportDatabase(path: string): Promise<StoreFinding> {
  if ((await sizeOf(path)) === undefined) return { kind: 'none' };
  if (!(await sizeOf(`${path}-wal`))) {
    const found = look(unchanging(path));
    // A change that came meanwhile may look like damage.
    if (found.kind === 'whole' || !(await sizeOf(`${path}-wal`))) return found;
  }
  if ((await sizeOf(`${path}-shm`)) !== undefined) return look(path);
  return { kind: 'unknown', reason: 'its last changes are in a file beside it, which only an agent takes in' };
}

/** On a full disk there is no room for the memory that processes share: without it, reports can be read all the same. */
function openWithRoomOrWithout(path: string, disk: SqliteDisk) {
  const settings = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;';
  try {
    return { db: disk.open(path, settings), isAlone: false };
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return { db: disk.open(path, `PRAGMA locking_mode = EXCLUSIVE; ${settings}`), isAlone: true };
  }
}

const systemDisk: SqliteDisk = {
  open(path, settings) {
    const db = new DatabaseSync(path);
    try {
      db.exec(settings);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  },
  freeBytes(folder) {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
};

function bringUpToDate({ exec, all, one, atomically }: Statements): void {
  atomically(() => {
    const found = Number(one('PRAGMA user_version')?.['user_version']);
    if (found > VERSION)
      throw new ParleyError(
        'us/report-store',
        `expected a report database of version ${VERSION}, got ${found}: a newer Parley made it`,
      );
    exec(FIRST_TABLES);
    // `table_info` leaves generated columns out.
    const columns = new Set(all('PRAGMA table_xinfo(report)').map(({ name }) => name));
    for (const [name, definition] of Object.entries(LATER_COLUMNS))
      if (!columns.has(name)) exec(`ALTER TABLE report ADD COLUMN ${name} ${definition}`);
    exec(LATER_TABLES);
    if (found < VERSION) exec(`PRAGMA user_version = ${VERSION}`);
  });
}

/** SQLite then takes no locks and makes no files. Right where the file beside the database has no changes. */
function unchanging(path: string): URL {
  const url = new URL('file:///');
  url.pathname = path.replaceAll('%', '%25');
  url.searchParams.set('immutable', '1');
  return url;
}

function look(where: string | URL): StoreFinding {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(where, { readOnly: true });
    const [found] = db.prepare('PRAGMA integrity_check(1)').all();
    const said = String(Object.values(found ?? {})[0]);
    if (said !== 'ok') return { kind: 'damaged', reason: said.replace(/\s+/g, ' ') };
    return { kind: 'whole', reports: Number(db.prepare('SELECT count(*) AS count FROM report').get()?.['count']) };
  } catch (error) {
    const code = Number((error as { readonly errcode?: unknown }).errcode) & 0xff;
    return { kind: DAMAGED.has(code) ? 'damaged' : 'unknown', reason: messageOf(error) };
  } finally {
    db?.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
