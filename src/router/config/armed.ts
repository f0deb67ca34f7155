// The mark by which parley-rollback says that it watches a change. No change is applied before a living process has set it.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import { mayChangeLive } from './live.ts';
import { isAlive, type Owner } from './moment.ts';

type Mark = { readonly id: string; readonly watcher: Owner; readonly live?: boolean };

export async function setArmed(folder: string, id: string, watcher: Owner): Promise<void> {
  const path = join(folder, 'armed');
  await writeFile(
    `${path}.${watcher.pid}`,
    JSON.stringify({ id, watcher, live: await mayChangeLive() } satisfies Mark),
    { mode: 0o600 },
  );
  await rename(`${path}.${watcher.pid}`, path);
}

/** Rejects with `node/no-watchdog` when parley-rollback does not watch the change in time; for live settings, when it could not undo them. */
export async function waitUntilArmed(folder: string, id: string, clock: Clock, live = false): Promise<void> {
  const endMs = clock.monotonicMs() + CONFIG_HELPER_LIMITS.rollbackArmMs;
  while (clock.monotonicMs() < endMs) {
    const mark = await readMark(folder);
    if (mark?.id === id && (await isAlive(mark.watcher)) && (!live || mark.live === true)) return;
    await clock.sleep(20);
  }
  throw new ParleyError('node/no-watchdog', 'expected parley-rollback to watch the change, it does not');
}

async function readMark(folder: string): Promise<Mark | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'armed'), 'utf8')) as Mark;
  } catch {
    // Not there, or of another version: parley-rollback does not watch.
    return undefined;
  }
}
