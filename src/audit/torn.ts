// What a power cut leaves of records that were being written: a disk puts sectors down in any order, so a later one may be there where an earlier
// one is not and reads as zeros. No record of such a write was promised; all that were are before it. Tells that from a damage that has
// another cause, and keeps what is cut off.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '#base/disk-full.ts';
import { writeFileDurably } from '#base/files.ts';

/** The least that a disk writes as a whole. */
const SECTOR_BYTES = 512;
/** In the folder of the trail, the last that was cut off. */
const TORN_FILE = 'torn';

/**
 * The octets behind `goodBytes` where one of their sectors was never written; undefined where all of them were, so that something else has
 * damaged the trail. A record has no zero octet.
 */
export async function tornBatch(path: string, goodBytes: number): Promise<Buffer | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer: tail } = await file.read(Buffer.alloc(size - goodBytes), 0, size - goodBytes, goodBytes);
    const first = tail.indexOf(0);
    if (first === -1) return undefined;
    const at = goodBytes + first;
    const end = Math.min(size, at - (at % SECTOR_BYTES) + SECTOR_BYTES) - goodBytes;
    const isWholeSector = first === 0 || at % SECTOR_BYTES === 0;
    return isWholeSector && tail.subarray(first, end).every((octet) => octet === 0) ? tail : undefined;
  } finally {
    await file.close();
  }
}

/** Kept for people, in place of an earlier one; not where the disk has no room for it. */
export async function keepTorn(dir: string, tail: Uint8Array): Promise<void> {
  await writeFileDurably(join(dir, TORN_FILE), tail).catch((error) => {
    if (!isDiskFull(error)) throw error;
  });
}
