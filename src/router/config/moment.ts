// Time that survives the death of a process and tells a reboot: the kernel's boot id and the seconds since that boot. The wall
// clock is kept beside them for people; no decision rests on it.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';

export type Moment = { readonly bootId: string; readonly uptimeMs: number; readonly wallMs: number };

export type MomentSource = () => Promise<Moment>;

export function createMomentSource(
  clock: Pick<Clock, 'nowMs'>,
  bootIdPath = '/proc/sys/kernel/random/boot_id',
): MomentSource {
  return async () => {
    const [bootId, uptime] = await Promise.all([readFile(bootIdPath, 'utf8'), readFile('/proc/uptime', 'utf8')]);
    return { bootId: bootId.trim(), uptimeMs: Math.round(Number(uptime.split(' ')[0]) * 1_000), wallMs: clock.nowMs() };
  };
}

/** A process, told apart from a later one with the same number by its start. */
export type Owner = { readonly pid: number; readonly startTicks: string };

export async function ownerOf(pid: number): Promise<Owner | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the start time is the 22nd field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { pid, startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

export async function isAlive(owner: Owner): Promise<boolean> {
  return (await ownerOf(owner.pid))?.startTicks === owner.startTicks;
}
