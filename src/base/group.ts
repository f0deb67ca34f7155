// The number of a group of this machine, for sockets that its members may open.
import { readFile } from 'node:fs/promises';
import { ParleyError } from './error.ts';

/** Takes a name of /etc/group, or a number. Rejects with `caller/unknown-group`. */
export async function groupIdOf(name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const line = (await readFile('/etc/group', 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`));
  const id = Number(line?.split(':')[2]);
  if (line !== undefined && Number.isInteger(id)) return id;
  throw new ParleyError('caller/unknown-group', `expected a group of /etc/group or a number, got ${name}`);
}
