// What the node has left: room in the few file systems that routing programs write to, and whether the kernel killed for want of memory. Starts no
// program, opens no file of others and needs no privilege. A file system behind a network is not asked: where its server is away, the call never returns.
import { statfs } from 'node:fs/promises';
import { kernelTable } from '#base/kernel-file.ts';
import type { DiskCondition, FileSystem, Resources } from '#model/router/state-schema.ts';
import { hasRoom } from '#model/settings/resource-rows.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** Where FRR has its configuration, its sockets and what is left of its crashes, and where logs are. */
const FOLDERS = ['/etc/frr', '/run/frr', '/var/log', '/var/tmp'] as const;

type Room = {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
};
export type ReadRoom = (folder: string) => Promise<Room>;
export type ReadTable = (path: string) => string;

export async function readResources(room: ReadRoom = statfs, table: ReadTable = kernelTable): Promise<Resources> {
  const mounts = parseMounts(table('/proc/self/mountinfo'));
  const found = new Map<string, FileSystem>();
  for (const folder of FOLDERS) {
    const mount = mountOf(folder, mounts);
    const read = mount?.isLocal && (await room(folder).catch(() => undefined));
    if (!mount || !read) continue;
    const known = found.get(mount.device) ?? fileSystemOf(mount, read);
    found.set(mount.device, { ...known, holds: [...known.holds, folder] });
  }
  const killed = /^oom_kill (\d+)$/m.exec(table('/proc/vmstat'))?.[1];
  return { fileSystems: [...found.values()], ...(killed === undefined ? {} : { killed }) };
}

/** `device`: of one file system, which may be mounted at several places (`PrivateTmp=yes`). */
export type Mount = {
  readonly mount: string;
  readonly device: string;
  readonly isReadOnly: boolean;
  readonly isLocal: boolean;
};

/** Whose files are elsewhere, or which mounts one that is when it is asked. */
const REMOTE = /^(?:nfs|cifs|smb|ceph|afs|9p|fuse|autofs|glusterfs|lustre|gfs2|ocfs2|virtiofs)/;

/** Since Linux 6.15 ext4 says otherwise than by `ro` that it writes no more after an error (`errors=remount-ro`), or was shut down. */
const READ_ONLY: readonly string[] = ['ro', 'emergency_ro', 'shutdown'];

/**
 * proc_pid_mountinfo(5): device and mount point are the third and fifth field, type and options of the file system the first and third behind the dash. Options of the mount itself do
 * not count: a service is shown everything read-only by its own unit (`ProtectSystem=strict`), and a container by its image.
 */
export function parseMounts(text: string): readonly Mount[] {
  const lines = text.split('\n').slice(0, DRIVER_LIMITS.mounts);
  return lines.flatMap((line) => {
    const [own = '', rest = ''] = line.split(' - ');
    const [, , device, , mount] = own.split(' ');
    const [type = '', , options = ''] = rest.split(' ');
    if (device === undefined || mount === undefined) return [];
    const [isReadOnly, isLocal] = [options.split(',').some((option) => READ_ONLY.includes(option)), !REMOTE.test(type)];
    return [{ mount: unescaped(mount), device, isReadOnly, isLocal }];
  });
}

/** The longest that holds the folder; of several at one place the last, which covers the others. */
function mountOf(folder: string, mounts: readonly Mount[]): Mount | undefined {
  const holding = mounts.filter(({ mount }) => mount === '/' || folder === mount || folder.startsWith(`${mount}/`));
  return holding.reduce<Mount | undefined>(
    (best, each) => (best === undefined || each.mount.length >= best.mount.length ? each : best),
    undefined,
  );
}

function fileSystemOf({ mount, isReadOnly }: Mount, { bsize, blocks, bavail, files, ffree }: Room): FileSystem {
  const totalBytes = blocks * bsize;
  const availableBytes = bavail * bsize;
  // Some file systems have no table of inodes.
  const isFull = !hasRoom({ totalBytes, availableBytes }) || (files > 0 && ffree === 0);
  const condition: DiskCondition = isReadOnly ? 'read-only' : isFull ? 'full' : 'writable';
  return { mount, holds: [], condition, totalBytes, availableBytes };
}

/** Space, tab, newline and backslash are written in octal. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
