// The name of a user of this machine, for people who read what was recorded of the number.
import { readFile } from 'node:fs/promises';

/** The name in /etc/passwd; undefined where that has no such user. Users of a directory service are not looked up. */
export async function userNameOf(uid: number, file = '/etc/passwd'): Promise<string | undefined> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const name = lines.map((line) => line.split(':')).find((fields) => fields[2] === String(uid))?.[0];
  return name !== undefined && /^[\w.-]{1,64}\$?$/.test(name) ? name : undefined;
}
