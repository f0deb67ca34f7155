// What the kernel says of the process of a routing daemon: for how long it has been running, how many files it has open, and how often the kernel
// killed a process of its control group for want of memory. Everything is readable without privilege; what cannot be read is left out.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Daemon } from '#model/router/control-plane.ts';

export type DaemonProcess = Pick<Daemon, 'upMs' | 'descriptors' | 'killed'>;

/**
 * `listening` is the process that began to listen on the daemon's socket, 0 being one that this process cannot see; where that is not known, or has
 * ended since, the daemon's pid file tells. A pid file may be of another container, whose processes have numbers of their own, and the number of a
 * process that has ended is given again: one that is not called like the daemon is another program.
 */
export async function readDaemonProcess(folder: string, name: string, listening?: number): Promise<DaemonProcess> {
  if (listening === 0) return {};
  const filed = Number(((await readText(join(folder, `${name}.pid`))) ?? '').trim());
  const found = (await processCalled(name, listening)) ?? (await processCalled(name, filed));
  if (found === undefined) return {};
  const { pid, about } = found;
  const [upMs, descriptors, killed] = await Promise.all([runningMs(about), descriptorsOf(pid), killedIn(pid)]);
  return {
    ...(upMs === undefined ? {} : { upMs }),
    ...(descriptors === undefined ? {} : { descriptors }),
    ...(killed === undefined ? {} : { killed }),
  };
}

/** proc(5): the start of a process is given in ticks of a hundredth of a second since boot. */
const TICK_MS = 10;
const START_FIELD = 22;

/** The second field of its `stat` is a name in brackets, which may hold brackets and spaces. */
async function processCalled(name: string, pid: number | undefined) {
  if (pid === undefined || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  const about = await readText(`/proc/${pid}/stat`);
  if (about?.slice(about.indexOf('(') + 1, about.lastIndexOf(')')) !== name) return undefined;
  return { pid, about };
}

async function runningMs(about: string): Promise<number | undefined> {
  const uptime = await readText('/proc/uptime');
  if (uptime === undefined) return undefined;
  const fields = about.slice(about.lastIndexOf(')') + 2).split(' ');
  const startMs = Number(fields[START_FIELD - 3]) * TICK_MS;
  const ageMs = Math.round(Number(uptime.split(' ')[0]) * 1_000 - startMs);
  return Number.isSafeInteger(ageMs) && ageMs >= 0 ? ageMs : undefined;
}

/** Since Linux 6.2 the size of `/proc/<pid>/fd` is the number of open files, and was 0 before. */
async function descriptorsOf(pid: number): Promise<Daemon['descriptors']> {
  const [open, limits] = await Promise.all([
    stat(`/proc/${pid}/fd`).then(
      ({ size }) => size,
      () => 0,
    ),
    readText(`/proc/${pid}/limits`),
  ]);
  const most = openFilesLimit(limits ?? '');
  return open === 0 || most === undefined ? undefined : { open, most };
}

/** The soft limit of `Max open files`; undefined where there is none. */
export function openFilesLimit(limits: string): number | undefined {
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return most === undefined ? undefined : Number(most);
}

const CGROUPS = '/sys/fs/cgroup';

async function killedIn(pid: number): Promise<string | undefined> {
  const path = memoryEventsPath((await readText(`/proc/${pid}/cgroup`)) ?? '');
  return path === undefined ? undefined : killedCount((await readText(join(CGROUPS, path))) ?? '');
}

/** The file that counts the kills of a control group, below `/sys/fs/cgroup`; the root, in which all processes are, counts none. */
export function memoryEventsPath(groups: string): string | undefined {
  const lines = groups.split('\n').map((line) => /^(\d+):([^:]*):(\/[^\0]*)$/.exec(line));
  const old = lines.find((line) => line?.[2]?.split(',').includes('memory'))?.[3];
  const path = old ?? lines.find((line) => line?.[1] === '0' && line[2] === '')?.[3];
  if (path === undefined || path === '/' || path.split('/').includes('..')) return undefined;
  return old === undefined ? `${path}/memory.events` : `memory${path}/memory.oom_control`;
}

/** `oom_kill 3`, in both versions. */
export function killedCount(text: string): string | undefined {
  return /^oom_kill (\d+)$/m.exec(text)?.[1];
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'latin1').catch(() => undefined);
}
