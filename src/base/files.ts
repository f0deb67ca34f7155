// Durable files: written whole or not at all, and still there after a power cut. And files that are read whole or not at all.
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
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
  await makeFolder(dirname(path));
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

/**
 * Makes the folder, and those above it that are not there, each with its name durable before the next. The last one's is made durable
 * also where it is there already: the process that made it may have died before it was.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && parent !== path) {
      await makeFolder(parent, mode);
      return makeFolder(path, mode);
    }
    // Where this process may not write, or nothing can be written, there is nothing to make: mkdir says that first.
    if (!(await isFolder(path))) throw error;
  }
  await syncFolder(parent).catch((error: NodeJS.ErrnoException) => {
    // A folder above that this process may enter and not read, such as a home: its owner has made the name.
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
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

const CHUNK_BYTES = 65_536;

/**
 * Latin-1 text; undefined when there is no such file, or when it has more than `maxBytes`. Never more is held, whatever size it says it has (files of
 * /proc say none).
 */
export async function readWhole(path: string, maxBytes: number): Promise<string | undefined> {
  const handle = await open(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const chunks: string[] = [];
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let heldBytes = 0; heldBytes <= maxBytes; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return chunks.join('');
      heldBytes += bytesRead;
      chunks.push(chunk.toString('latin1', 0, bytesRead));
    }
    return undefined;
  } finally {
    await handle.close();
  }
}
