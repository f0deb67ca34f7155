// How much a user or a group may still write on a disk: quotactl(2), which Node does not offer. Without a quota there the kernel says so.
import type { DiskRoom } from '#base/reserve.ts';
import { loadLibc } from './libc.ts';

/** The unit of its bounds in space; what is used is in octets. */
const BLOCK_BYTES = 1_024n;
/** USRQUOTA and GRPQUOTA. */
const KINDS = { user: 0, group: 1 } as const;

/** Of the disk of an open file or folder; undefined without a hard bound, and where this process may not ask. */
export async function quotaRoom(fd: number, kind: keyof typeof KINDS, id: number): Promise<DiskRoom | undefined> {
  const block = (await loadLibc()).quota(fd, KINDS[kind], id);
  return block === undefined ? undefined : roomOfQuota(block);
}

/** Undefined for a quota without a hard bound. */
export function roomOfQuota(block: Buffer): DiskRoom | undefined {
  const [blocks, , usedBytes, files, , usedFiles] = Array.from({ length: 6 }, (_, index) =>
    block.readBigUInt64LE(index * 8),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint];
  if (blocks === 0n && files === 0n) return undefined;
  const left = (bound: bigint, used: bigint) => Number(bound > used ? bound - used : 0n);
  const totalBytes = blocks * BLOCK_BYTES;
  return {
    ...(blocks === 0n
      ? { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
      : { freeBytes: left(totalBytes, usedBytes), totalBytes: Number(totalBytes) }),
    ...(files === 0n ? {} : { freeFiles: left(files, usedFiles) }),
  };
}
