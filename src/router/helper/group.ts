// The number of the group whose members may connect to a helper's socket.
import { readFile } from 'node:fs/promises';
import { ParleyError } from '#base/error.ts';

/** A name of /etc/group, or a number. */
export async function groupIdOf(name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const line = (await readFile('/etc/group', 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`));
  if (line === undefined) throw new ParleyError('caller/bad-argument', `expected a group of /etc/group, came ${name}`);
  return Number(line.split(':')[2]);
}
