// What leaves the report store, in which order, and what remains of it (CARD-8, TS-20; docs/decisions/0047-a-store-that-does-not-fill-up.md):
// reports that are too old for their kind; for room, what a controller has, then healthy, then inconclusive ones, then faults that
// a newer report names again, then the oldest fault. No report makes room for itself among reports that are worth more. Each
// leaves an entry that says why, and a count where no controller had it.
import { isoTime } from '#base/clock.ts';
import { REPORT_LIMITS } from './limits.ts';
import { pack } from './pack.ts';
import type { Row, Statements } from './store-sqlite.ts';

export const REPORT_KINDS = ['healthy', 'inconclusive', 'fault'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

export type StoreLimits = {
  readonly count: number;
  /** Of all reports together, as they lie in the store. */
  readonly bytes: number;
  /** Age at which a report goes; `acknowledged`: once a controller has it, whatever its kind. */
  readonly keepMs: Readonly<Record<ReportKind | 'acknowledged', number>>;
};

/** `room`: for a newer one. `age`: older than its kind is kept. `deleted`: an operator's call. */
export type RemovalReason = 'room' | 'age' | 'deleted';

export type Removal = {
  readonly id: string;
  readonly kind: ReportKind;
  readonly created: string;
  /** What it said, so that a fault that is lost is still named; not of what an operator wanted gone. */
  readonly hypothesis?: string;
  /** Whether a controller had acknowledged it. */
  readonly acknowledged: boolean;
  readonly reason: RemovalReason;
  /** With `deleted`: the caller, as `operator/alice`. */
  readonly by?: string;
  /** RFC 3339. */
  readonly removed: string;
};

/** `refused`: the report itself found no room. */
export type Loss = {
  readonly reason: 'room' | 'age' | 'refused';
  readonly kind: ReportKind;
  readonly count: number;
  /** RFC 3339. */
  readonly last: string;
};

/** What is to be deleted: these ids, or everything that fits both of the others. */
export type Selection = {
  readonly ids?: readonly string[];
  readonly kind?: ReportKind;
  /** Reports that were stored before. */
  readonly beforeMs?: number;
};

/** Oldest first within each; `worth` is that of the least report that may take the place. */
const FOR_ROOM = [
  { worth: 0, sql: 'SELECT min(sequence) AS least FROM report WHERE id IN (SELECT id FROM acknowledgement)' },
  { worth: 0, sql: "SELECT min(sequence) AS least FROM report WHERE kind = 'healthy'" },
  { worth: 1, sql: "SELECT min(sequence) AS least FROM report WHERE kind = 'inconclusive'" },
  {
    // The same findings in a newer report.
    worth: 2,
    sql: `SELECT min(first) AS least FROM (SELECT min(sequence) AS first FROM report
          WHERE kind = 'fault' AND hypothesis IS NOT NULL GROUP BY hypothesis HAVING count(*) > 1)`,
  },
  { worth: 2, sql: "SELECT min(sequence) AS least FROM report WHERE kind = 'fault'" },
] as const;

/** True when there is room for one more report of `bytes` octets now; false leaves some removed: the caller takes all of it back. */
export function makeRoom(
  db: Statements,
  limits: StoreLimits,
  report: { readonly kind: ReportKind; readonly bytes: number },
  nowMs: number,
): boolean {
  removeOld(db, limits, nowMs);
  if (report.bytes > limits.bytes) return false;
  const worth = REPORT_KINDS.indexOf(report.kind);
  const room = { count: limits.count - 1, bytes: limits.bytes - report.bytes };
  const candidates = FOR_ROOM.filter((each) => each.worth <= worth).map(({ sql }) => sql);
  return evict(db, room, candidates, nowMs).fits;
}

/**
 * Removes what age no longer keeps, and beyond a quota that was lowered what controllers have; how many. What no controller has
 * goes for a newer report only.
 */
export function sweep(db: Statements, limits: StoreLimits, nowMs: number): number {
  const old = removeOld(db, limits, nowMs);
  return old + evict(db, limits, [FOR_ROOM[0].sql], nowMs).removed;
}

function evict(
  db: Statements,
  room: Pick<StoreLimits, 'count' | 'bytes'>,
  candidates: readonly string[],
  nowMs: number,
): { readonly fits: boolean; readonly removed: number } {
  let { count, bytes } = used(db);
  let removed = 0;
  while (count > room.count || bytes > room.bytes) {
    const savedBytes = bytes > room.bytes ? packOne(db) : undefined;
    if (savedBytes !== undefined) {
      bytes -= savedBytes;
      continue;
    }
    const row = firstOf(db, candidates);
    if (row === undefined) return { fits: false, removed };
    remove(db, row, { reason: 'room' }, nowMs);
    count -= 1;
    bytes -= Number(row['bytes']);
    removed += 1;
  }
  return { fits: true, removed };
}

function firstOf({ one }: Statements, candidates: readonly string[]): Row | undefined {
  for (const sql of candidates) {
    const least = one(sql)?.['least'];
    if (least !== null && least !== undefined)
      return one(`SELECT ${SHOWN} FROM report WHERE sequence = ?`, Number(least));
  }
  return undefined;
}

/** What an operator selected: a bounded number of reports, oldest first. */
export function removeSelected(
  db: Statements,
  { ids, kind, beforeMs }: Selection,
  by: string,
  nowMs: number,
): readonly Removal[] {
  const most = REPORT_LIMITS.reportsDeletedAtOnce;
  const rows =
    ids === undefined
      ? db.all(
          `SELECT ${SHOWN} FROM report WHERE (? IS NULL OR kind = ?) AND stored_ms < ? ORDER BY sequence LIMIT ?`,
          ...[kind ?? null, kind ?? null, beforeMs ?? Number.MAX_SAFE_INTEGER, most],
        )
      : ids.flatMap((id) => db.all(`SELECT ${SHOWN} FROM report WHERE id = ?`, id)).slice(0, most);
  return rows.map((row) => remove(db, row, { reason: 'deleted', by }, nowMs));
}

export function used({ one }: Statements): { readonly count: number; readonly bytes: number } {
  const row = one('SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM report');
  return { count: Number(row?.['count']), bytes: Number(row?.['bytes']) };
}

/** Counts for good; the entries of `removal` are bounded. */
export function countLoss({ run }: Statements, reason: Loss['reason'], kind: ReportKind, nowMs: number): void {
  run(
    `INSERT INTO loss (reason, kind, count, last_ms) VALUES (?, ?, 1, ?)
     ON CONFLICT (reason, kind) DO UPDATE SET count = count + 1, last_ms = excluded.last_ms`,
    ...[reason, kind, nowMs],
  );
}

export function losses({ all }: Statements): readonly Loss[] {
  return all('SELECT reason, kind, count, last_ms FROM loss ORDER BY reason, kind').map((row) => ({
    reason: row['reason'] as Loss['reason'],
    kind: row['kind'] as ReportKind,
    count: Number(row['count']),
    last: isoTime(Number(row['last_ms'])),
  }));
}

/** Why a report is not there any more; undefined for one that never was, or whose entry is too old. */
export function removalOf({ one }: Statements, id: string): Removal | undefined {
  const row = one('SELECT entry FROM removal WHERE id = ? ORDER BY sequence DESC LIMIT 1', id);
  return row === undefined ? undefined : (JSON.parse(String(row['entry'])) as Removal);
}

/** The trail bounds what one line may say. */
const HYPOTHESIS_CHARS = 200;

const SHOWN =
  "sequence, id, bytes, kind, iif(json_valid(summary), summary, '{}') AS summary, EXISTS (SELECT 1 FROM acknowledgement a WHERE a.id = report.id) AS acknowledged";

function removeOld(db: Statements, { keepMs }: StoreLimits, nowMs: number): number {
  const rows = REPORT_KINDS.flatMap((kind) =>
    db.all(`SELECT ${SHOWN} FROM report WHERE kind = ? AND stored_ms < ?`, kind, nowMs - keepMs[kind]),
  );
  const had = db.all(
    `SELECT ${SHOWN} FROM report WHERE stored_ms < ? AND id IN (SELECT id FROM acknowledgement)`,
    nowMs - keepMs.acknowledged,
  );
  const old = new Map([...rows, ...had].map((row) => [row['sequence'], row]));
  for (const row of old.values()) remove(db, row, { reason: 'age' }, nowMs);
  return old.size;
}

/** The row goes and its entry comes in the caller's transaction: neither is ever there without the other. */
function remove(db: Statements, row: Row, why: Pick<Removal, 'reason' | 'by'>, nowMs: number): Removal {
  const { created = '', hypothesis } = JSON.parse(String(row['summary'])) as Partial<Removal>;
  const id = String(row['id']);
  const removal: Removal = {
    ...{ id, kind: row['kind'] as ReportKind, created },
    ...(hypothesis === undefined || why.reason === 'deleted'
      ? {}
      : { hypothesis: hypothesis.slice(0, HYPOTHESIS_CHARS) }),
    ...{ acknowledged: row['acknowledged'] === 1, ...why, removed: isoTime(nowMs) },
  };
  db.run('DELETE FROM report WHERE sequence = ?', Number(row['sequence']));
  db.run('INSERT INTO removal (id, entry) VALUES (?, ?)', id, JSON.stringify(removal));
  db.run('DELETE FROM removal WHERE sequence <= (SELECT max(sequence) FROM removal) - ?', REPORT_LIMITS.removalEntries);
  if (!removal.acknowledged && why.reason !== 'deleted') countLoss(db, why.reason, removal.kind, nowMs);
  return removal;
}

/**
 * A report of an earlier version lies there as text: packing it makes room that no other report pays for. Octets that it saved; undefined
 * when none is left.
 */
function packOne(db: Statements): number | undefined {
  const row = db.one(
    'SELECT sequence, bytes, summary, text FROM report WHERE packed IS NULL ORDER BY sequence LIMIT 1',
  );
  if (row === undefined) return undefined;
  const text = String(row['text']);
  const packed = pack(text);
  const bytes = packed.length + Buffer.byteLength(String(row['summary']));
  db.run(
    "UPDATE report SET packed = ?, text = '', text_bytes = ?, bytes = ? WHERE sequence = ?",
    ...[packed, Buffer.byteLength(text), bytes, Number(row['sequence'])],
  );
  return Number(row['bytes']) - bytes;
}
