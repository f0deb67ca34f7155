// Quotas on the disk of a folder, of the user and the group that own it, for a program beside the agent. Quotas of projects are not seen.
import { open } from 'node:fs/promises';
import type { DiskRoom } from '#base/reserve.ts';
import { quotaRoom } from '#router/native/disk-quota.ts';

export type OwnedRoom = DiskRoom & { readonly owner: string };

/** Those with a hard bound that this process may read: its own, and as root all of them. */
export async function quotasOf(folder: string): Promise<readonly OwnedRoom[]> {
  const handle = await open(folder, 'r');
  try {
    const { uid, gid } = await handle.stat();
    const [user, group] = [await quotaRoom(handle.fd, 'user', uid), await quotaRoom(handle.fd, 'group', gid)];
    return [
      ...(user === undefined ? [] : [{ ...user, owner: `user ${uid}` }]),
      ...(group === undefined ? [] : [{ ...group, owner: `group ${gid}` }]),
    ];
  } finally {
    await handle.close();
  }
}
