// Durable files: written whole or not at all, and still there after a power cut.
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskFullOr } from './disk-full.ts';

/** What has happened to a file that is being written durably. */
export const DURABLE_STEPS = ['written', 'synced', 'renamed', 'durable'] as const;
export type DurableStep = (typeof DURABLE_STEPS)[number];

/** Writes `path` by way of a temporary file, fsync, rename and fsync of the folder; `onStep` hears of each. Rejects with `node/disk-full` on a full disk. */
export async function writeFileDurably(
  path: string,
  content: string | Uint8Array,
  mode = 0o600,
  onStep: (step: DurableStep) => Promise<void> | void = () => {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await file.writeFile(content);
      await onStep('written');
      await file.sync();
      await onStep('synced');
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await onStep('renamed');
    await syncFolder(dirname(path));
    await onStep('durable');
  } catch (error) {
    await rm(temporary, { force: true });
    throw diskFullOr(error, path);
  }
}

/** Makes a created, renamed or removed name durable. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } finally {
    await folder?.close();
  }
}
