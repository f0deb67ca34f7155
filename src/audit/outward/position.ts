// How far the collector has the audit trail, in a file beside the trail: the last record that it was given, and where that record's line stands.
// Written durably after each delivery, never before: after a crash records are sent twice, none is left out (TS-31).
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileDurably } from '#base/files.ts';

const position = z.strictObject({
  schemaVersion: z.literal(1),
  /** The last record that was delivered; 0: none yet. */
  sequence: z.number().int().min(0),
  hash: z.string().max(64),
  /** Name of the file of the trail that has its line, and where in it the line begins, octets; only to find it fast. */
  file: z.string().max(64),
  offset: z.number().int().min(0),
  /** Behind so many lines that are no records and were sent after that record. */
  damagedTo: z
    .strictObject({ file: z.string().max(64), offset: z.number().int().min(0), lines: z.number().int().min(1) })
    .exactOptional(),
  deliveredAt: z.string().max(32),
  /** Records that retention removed before they were delivered, since the file was made. */
  removedUnsent: z.number().int().min(0),
  lastRemovedAt: z.string().max(32).optional(),
});

export type SentPosition = Omit<z.infer<typeof position>, 'schemaVersion'>;

/** Name of the file beside the trail's folder. */
export const POSITION_FILE = 'audit-sent.json';

/** Undefined where there is no such file, or it is none of ours. */
export async function loadPosition(path: string): Promise<SentPosition | undefined> {
  return (await readPosition(path)).sent;
}

/** `damaged`: why the file that is there says nothing. Rejects where it cannot be read. */
export async function readPosition(path: string): Promise<{ readonly sent?: SentPosition; readonly damaged?: string }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return {};
  try {
    const { schemaVersion: _, ...sent } = position.parse(JSON.parse(text));
    return { sent };
  } catch {
    return { damaged: `expected the position of the audit trail's collector in ${path}, it is damaged` };
  }
}

export async function storePosition(path: string, sent: SentPosition): Promise<void> {
  await writeFileDurably(path, `${JSON.stringify({ schemaVersion: 1, ...sent })}\n`);
}
