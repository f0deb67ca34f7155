// A reserve is a file that holds room on a disk for what must still be written once it is full; and how much room a disk has.
import { open, rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull } from './disk-full.ts';
import { syncFolder } from './files.ts';
import { LIMITS } from './limits.ts';
import { systemRandom } from './random.ts';

export type DiskRoom = {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Files (inodes) that can still be made; undefined where the file system has no bound. */
  readonly freeFiles?: number;
};

/** Of the disk that has `path`, for a process without privileges. */
export async function diskRoom(path: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, ...(files === 0 ? {} : { freeFiles: ffree }) };
}

export type Reserve = {
  readonly path: string;
  /** Makes it if it is not there and the disk has room to spare; false while it is not there. Rejects only where the disk is broken. */
  keep(): Promise<boolean>;
  /** Gives the room back to the disk. */
  release(): Promise<void>;
  /** Gives `bytes` of it back: it is there no longer for `keep`, which makes a whole one where it can. */
  shrink(bytes: number): Promise<void>;
};

/** `bytes` that are really taken on the disk of `path`. */
export function createReserve(path: string, bytes: number): Reserve {
  const temporary = `${path}.tmp`;
  const isThere = async () => {
    const found = await stat(path).catch(() => undefined);
    return found?.size === bytes;
  };
  return {
    path,
    async keep() {
      if (await isThere()) return true;
      // Of a process that ended while it made one.
      await rm(temporary, { force: true });
      const { freeBytes } = await diskRoom(dirname(path));
      // Not the last room of a disk: making the reserve must not be what fills it.
      if (freeBytes < bytes * LIMITS.reserveHeadroom) return false;
      try {
        await fill(temporary, bytes);
        await rename(temporary, path);
        await syncFolder(dirname(path));
        return true;
      } catch (error) {
        await rm(temporary, { force: true });
        if (isDiskFull(error)) return false;
        throw error;
      }
    },
    release: () => rm(path, { force: true }),
    async shrink(by) {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) await truncate(path, Math.max(0, found.size - by));
    },
  };
}

async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    // A file system that compresses gives zeros no room.
    await file.writeFile(systemRandom.bytes(bytes));
    await file.sync();
  } finally {
    await file.close();
  }
}
