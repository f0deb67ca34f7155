// Whether a node's report database is whole, for a program beside the agent: reads it as the agent may be writing it, and changes nothing.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { REPORT_DATABASE } from './store.ts';

/** How many reports it has; undefined where there is no database yet. Throws where SQLite finds it damaged, or it is none. */
export async function checkReportDatabase(dir: string): Promise<number | undefined> {
  const path = join(dir, REPORT_DATABASE);
  const isThere = await access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (!isThere) return undefined;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const [found] = db.prepare('PRAGMA integrity_check(1)').all();
    const said = String(Object.values(found ?? {})[0]);
    if (said !== 'ok') throw new Error(said.replace(/\s+/g, ' '));
    return Number(db.prepare('SELECT count(*) AS count FROM report').get()?.['count']);
  } finally {
    db.close();
  }
}
