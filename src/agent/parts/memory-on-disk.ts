// How much of the disk a node's memory of days takes, and how far it reaches: for commands that look at a state folder.
import { join } from 'node:path';

export async function memoryOnDisk(state: string, nowMs: number) {
  const { daysOnDisk } = await import('#router/drivers/linux-frr/memory/store/past-days.ts');
  return daysOnDisk(join(state, 'memory'), nowMs);
}
