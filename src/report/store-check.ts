// Looks at a report database from beside the agent, which may be writing to it meanwhile. Makes no file and takes none away: on a full disk the
// little that SQLite makes for itself would be what is left of the room.
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf } from '#base/error.ts';

export type StoreFinding =
  /** There is no database yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly reports: number }
  /** SQLite finds it damaged, or it is no database. */
  | { readonly kind: 'damaged'; readonly reason: string }
  /** Nothing is known of it: another program holds it alone, or the disk has no room for reading it. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** SQLITE_CORRUPT and SQLITE_NOTADB, in the lowest octet of the extended code. */
const DAMAGED = new Set([11, 26]);

/** Rejects with the error of the file system where this user may not look. */
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

/** SQLite then takes no locks and makes no files. Right where the file beside the database has no changes. */
function unchanging(path: string): URL {
  const url = pathToFileURL(path);
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
