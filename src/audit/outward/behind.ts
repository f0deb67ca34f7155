// How far the collector is behind an audit trail, from what is on disk: needs no running agent.

import { firstPlace, firstSequenceOf, linesFrom, placeBehind, readRecord } from '../read-on.ts';
import { loadAuditStart } from '../start.ts';
import { listAuditFiles, readAuditFile } from '../verify.ts';
import { loadPosition } from './position.ts';

export type Behind = {
  /** Records of the trail that the collector was not given yet. */
  readonly records: number;
  /** Time of the oldest of them, RFC 3339. */
  readonly since?: string;
  /** When it was last given any, RFC 3339; undefined: never. */
  readonly deliveredAt?: string;
  /** Records that retention removed before it was given them. */
  readonly removedUnsent: number;
  readonly lastRemovedAt?: string;
};

/** `dir`: folder of the trail; `path`: file of the position. Rejects where one of them cannot be read. */
export async function behindOf(dir: string, path: string): Promise<Behind> {
  const sent = await loadPosition(path);
  const last = (await listAuditFiles(dir)).at(-1);
  const end =
    last === undefined ? 0 : ((await readAuditFile(last, undefined)).head?.sequence ?? firstSequenceOf(last) - 1);
  const from = sent?.sequence ?? (await loadAuditStart(dir))?.sequence ?? 0;
  const records = Math.max(0, end - from);
  const since = records === 0 ? undefined : await oldestUnsent(dir, sent, end);
  return {
    records,
    removedUnsent: sent?.removedUnsent ?? 0,
    ...(since === undefined ? {} : { since }),
    ...(sent?.deliveredAt ? { deliveredAt: sent.deliveredAt } : {}),
    ...(sent?.lastRemovedAt === undefined ? {} : { lastRemovedAt: sent.lastRemovedAt }),
  };
}

async function oldestUnsent(
  dir: string,
  sent: Awaited<ReturnType<typeof loadPosition>>,
  end: number,
): Promise<string | undefined> {
  const behind = sent === undefined || sent.sequence === 0 ? undefined : await placeBehind(dir, sent, sent);
  const place = behind ?? (await firstPlace(dir));
  if (place === undefined) return undefined;
  for await (const lines of linesFrom(dir, place, end))
    for (const { line } of lines) {
      const record = readRecord(line);
      if (record !== undefined) return record.time;
    }
  return undefined;
}
