// Forgets on disk what was remembered of hosts: LLDP names of what is on a port stand among all settings of the memory of days, in records that
// build on each other, so that the whole of it is removed. Once, and noted by a file, so that a restart removes nothing more.
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';
import { syncFolder } from '#base/files.ts';
import type { Log } from '#base/log.ts';
import { listSegments } from './segment-files.ts';

/** Is there while what follows in the folder was written without hosts. */
const MARK = 'without-hosts';

/** Brings the folder in line with the setting. Never rejects: what could not be removed is said, and tried again at the next start. */
export async function settleHosts(dir: string, rememberHosts: boolean, log: Log): Promise<void> {
  const mark = join(dir, MARK);
  const isMarked = (await stat(mark).catch(() => undefined)) !== undefined;
  if (isMarked !== rememberHosts) return;
  try {
    if (rememberHosts) return await rm(mark);
    let removed = 0;
    // A list has the newest ones only.
    for (let names = await listSegments(dir); names.length > 0; names = await listSegments(dir)) {
      for (const name of names) await rm(join(dir, name));
      removed += names.length;
    }
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(mark, '', { mode: 0o600 });
    await syncFolder(dir);
    if (removed > 0) log.info('the memory of days was removed, as no hosts are remembered from now on');
  } catch (error) {
    log.error('what was remembered of hosts could not be removed: remove the folder', {
      dir,
      reason: messageOf(error),
    });
  }
}
