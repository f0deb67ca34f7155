// Temporary files that are made to be fetched once, soon: private to this process, bounded in number and bytes, removed after their
// time, and with everything left behind when the process starts or ends.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { ParleyError } from './error.ts';
import { LIMITS } from './limits.ts';
import { type Random, randomHex } from './random.ts';

export type SpooledFile = {
  /** 128 random bits. */
  readonly id: string;
  /** Who had it made, in the words of the maker. */
  readonly owner: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Wall-clock time of its removal. */
  readonly endsMs: number;
};

export type Spool = {
  /** Writes `pieces` until they end or LIMITS.spoolFileBytes are reached; the owner's file before goes. */
  put(owner: string, pieces: AsyncIterable<string>): Promise<SpooledFile>;
  find(id: string): SpooledFile | undefined;
  /** The octets from `start` to before `end`, a piece at a time. */
  read(file: SpooledFile, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Removes it now, or after a while that leaves room for one more try. */
  remove(id: string, afterMs?: number): Promise<void>;
  /** Removes everything. */
  close(): Promise<void>;
};

type Entry = SpooledFile & { readonly path: string; stop: AbortController };

export async function openSpool(init: {
  readonly dir: string;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<Spool> {
  const { dir, clock, random } = init;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // What an agent that was killed left behind.
  for (const name of await readdir(dir)) if (/^[0-9a-f]{32}$/.test(name)) await rm(join(dir, name), { force: true });
  const entries = new Map<string, Entry>();
  let writing = 0;
  const drop = async (entry: Entry) => {
    entries.delete(entry.id);
    entry.stop.abort();
    await rm(entry.path, { force: true });
  };
  const dropAfter = (entry: Entry, delayMs: number) => {
    entry.stop.abort();
    entry.stop = new AbortController();
    clock.sleep(delayMs, entry.stop.signal).then(
      () => drop(entry),
      () => {},
    );
  };
  return {
    async put(owner, pieces) {
      for (const entry of entries.values()) if (entry.owner === owner) await drop(entry);
      if (entries.size + writing >= LIMITS.spoolFiles)
        throw new ParleyError(
          'node/spool-full',
          `expected at most ${LIMITS.spoolFiles} files to be fetched, got one more`,
        );
      writing++;
      const id = randomHex(random, 16);
      const path = join(dir, id);
      try {
        const written = await writeAll(path, pieces);
        const endsMs = clock.nowMs() + LIMITS.spoolMs;
        const entry: Entry = { id, owner, path, endsMs, ...written, stop: new AbortController() };
        entries.set(id, entry);
        dropAfter(entry, LIMITS.spoolMs);
        return entry;
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        writing--;
      }
    },
    find: (id) => entries.get(id),
    read: ({ id }, start, end) => readRange(join(dir, id), start, end),
    async remove(id, afterMs) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      if (afterMs === undefined) await drop(entry);
      else dropAfter(entry, afterMs);
    },
    async close() {
      for (const entry of entries.values()) await drop(entry);
    },
  };
}

async function writeAll(path: string, pieces: AsyncIterable<string>) {
  const hash = createHash('sha256');
  let bytes = 0;
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx', 0o600);
    for await (const piece of pieces) {
      const octets = Buffer.from(piece);
      if (bytes + octets.length > LIMITS.spoolFileBytes) break;
      await file.write(octets);
      hash.update(octets);
      bytes += octets.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file?.close();
  }
}

async function* readRange(path: string, start: number, end: number): AsyncIterable<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(LIMITS.spoolPieceBytes, end - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0)
        throw new ParleyError('us/spool-short', `expected ${end} bytes in a spooled file, got ${at}`);
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
