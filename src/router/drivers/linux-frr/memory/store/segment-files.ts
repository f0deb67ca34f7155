// The segments of the memory of days in their folder: read back once, then appended to, the oldest removed first. One write and one fsync for
// all records of a minute. A disk that is full, read-only or broken fails a write, which is tried again with the next; it stops nothing.
import { type FileHandle, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '#base/files.ts';
import type { Log } from '#base/log.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import { decodeSegment, headLine } from './segment.ts';

export type SegmentFiles = {
  /** True where the next write begins a segment, which has to begin with all settings. */
  isFull(nowMs: number): boolean;
  /** Appends the lines and makes them durable, or rejects and leaves nothing of them. Not twice at once. */
  write(lines: readonly string[], nowMs: number): Promise<void>;
};

export type SegmentBounds = { readonly segmentBytes: number; readonly allBytes: number };
const BOUNDS: SegmentBounds = { segmentBytes: DRIVER_LIMITS.segmentBytes, allBytes: DRIVER_LIMITS.dayMemoryBytes };

/** The segment that is written to. */
type Current = { readonly path: string; readonly beganMs: number; bytes: number; isTorn: boolean };

const NAME = /^\d{8}\.log$/;
const NAME_DIGITS = 8;

/** `read` gets the records of each segment that this version can read, the oldest first, and when it began. Never rejects. */
export async function openSegments(
  init: { readonly dir: string; readonly log: Log; readonly bounds?: SegmentBounds },
  read: (lines: readonly string[]) => void,
): Promise<SegmentFiles> {
  const { dir, log, bounds = BOUNDS } = init;
  const names = await listSegments(dir);
  let current: Current | undefined;
  for (const name of names) current = await readSegment(join(dir, name), log, read);
  const begin = async (nowMs: number): Promise<Current> => {
    // What could not be written to is still empty.
    if (current?.bytes === 0) return current;
    await makeFolder(dir, 0o700);
    await retain(dir, bounds);
    const last = (await listSegments(dir)).at(-1) ?? '0';
    const path = join(dir, `${String(Number.parseInt(last, 10) + 1).padStart(NAME_DIGITS, '0')}.log`);
    await (await open(path, 'wx', 0o600)).close();
    await syncFolder(dir);
    return { path, beganMs: nowMs, bytes: 0, isTorn: false };
  };
  const isFull = (nowMs: number) =>
    current === undefined ||
    current.bytes === 0 ||
    current.bytes >= bounds.segmentBytes ||
    nowMs - current.beganMs >= DRIVER_LIMITS.segmentMs ||
    nowMs < current.beganMs;
  return {
    isFull,
    async write(lines, nowMs) {
      const isNew = isFull(nowMs);
      const into = isNew ? await begin(nowMs) : current!;
      // A folder that was removed meanwhile is made anew with the next write.
      current = undefined;
      const file = await open(into.path, 'r+');
      current = into;
      try {
        if (into.isTorn) await file.truncate(into.bytes);
        into.isTorn = true;
        const octets = Buffer.from([...(isNew ? [headLine(nowMs)] : []), ...lines].join(''));
        await writeAll(file, octets, into.bytes);
        await file.datasync();
        into.bytes += octets.length;
        into.isTorn = false;
      } finally {
        await file.close();
      }
    },
  };
}

export async function listSegments(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .slice(-DRIVER_LIMITS.segments);
}

/** The segment, where it may be appended to. */
async function readSegment(
  path: string,
  log: Log,
  read: (lines: readonly string[]) => void,
): Promise<Current | undefined> {
  try {
    const { size, birthtimeMs } = await stat(path);
    if (size > LARGEST_BYTES) {
      log.warn('a segment of the memory of days is too large and was not read', { path, size });
      return undefined;
    }
    const segment = decodeSegment(await readFile(path));
    if (segment.kind === 'unknown') {
      log.info('a segment of the memory of days has another version and was not read', {
        path,
        version: segment.version,
      });
      return undefined;
    }
    const { lines, goodBytes, tornBytes, damaged, beganMs = birthtimeMs } = segment;
    if (damaged > 0) log.warn('records of the memory of days are damaged and were not read', { path, damaged });
    if (tornBytes > 0) {
      log.warn('the last record of a segment of the memory of days is torn and was cut off', { path, tornBytes });
      await truncate(path, goodBytes);
    }
    read(lines);
    return { path, beganMs, bytes: goodBytes, isTorn: false };
  } catch (error) {
    log.warn('a segment of the memory of days could not be read', { path, reason: String(error) });
    return undefined;
  }
}

/** A segment is full at its size, and one minute more may have gone into it. */
export const LARGEST_BYTES = DRIVER_LIMITS.segmentBytes + 2 * DRIVER_LIMITS.dayRecordChars;

async function writeAll(handle: FileHandle, octets: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < octets.length; ) {
    const { bytesWritten } = await handle.write(octets, done, octets.length - done, offset + done);
    done += bytesWritten;
  }
}

/** Makes room for one more segment. By size alone: a clock that was set wrong for a moment makes nothing old. */
async function retain(dir: string, { segmentBytes, allBytes }: SegmentBounds): Promise<void> {
  const paths = (await listSegments(dir)).map((name) => join(dir, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  let totalBytes = sizes.reduce<number>((sum, size) => sum + size, segmentBytes);
  for (const [index, path] of paths.entries()) {
    if (totalBytes <= allBytes && paths.length - index < DRIVER_LIMITS.segments) return;
    await rm(path, { force: true });
    totalBytes -= sizes[index]!;
  }
}
