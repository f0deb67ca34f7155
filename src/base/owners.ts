// Users and groups of this machine: the number of a group for sockets that its members may open, and what to do where the system does not let this
// process at a file: whose it is, who this is, and the command that changes it.
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { ParleyError } from './error.ts';

/** Takes a name of /etc/group, or a number. Rejects with `caller/unknown-group`. */
export async function groupIdOf(name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const line = (await readFile('/etc/group', 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`));
  const id = Number(line?.split(':')[2]);
  if (line !== undefined && Number.isInteger(id)) return id;
  throw new ParleyError('caller/unknown-group', `expected a group of /etc/group or a number, got ${name}`);
}

/** True for an error of the file system that is about permission, also as a cause. */
export function isDenied(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (['EACCES', 'EPERM'].includes(String((each as NodeJS.ErrnoException).code))) return true;
  return false;
}

/** What to do about a file: `it belongs to root:parley (mode 0640), and this is alice: …`. A folder that cannot be entered is named instead. */
export async function deniedWords(path: string): Promise<string> {
  const owner = await ownerOf(path);
  if (owner === undefined) return `run it as the owner of ${path}, or with sudo`;
  const { words, me, user, path: which } = owner;
  return `${words}: run it as ${user} or with sudo; where ${me} is to own it: chown ${me} ${which}`;
}

/** The same of a socket, which its group may open. */
export async function closedSocketWords(path: string): Promise<string> {
  const owner = await ownerOf(path);
  if (owner === undefined) return 'join the group that owns it';
  return `${owner.words}: ${joinWords(owner)}`;
}

/** How one comes to open a socket of a group. Members of the group of root may read more than a question needs. */
export function joinWords({ group, me }: { readonly group: string; readonly me: string }): string {
  return group === 'root'
    ? 'run it with sudo, or name a group of operators in control.group'
    : `join its group ("usermod -aG ${group} ${me}", then log in again)`;
}

type Owner = {
  readonly words: string;
  readonly me: string;
  readonly user: string;
  readonly group: string;
  readonly path: string;
};

async function ownerOf(path: string): Promise<Owner | undefined> {
  const found = await nearest(path);
  if (found === undefined) return undefined;
  const me = userInfo().username;
  const [user, group] = await Promise.all([nameOf('/etc/passwd', found.uid), nameOf('/etc/group', found.gid)]);
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const which = found.path === path ? 'it' : found.path;
  return {
    words: `${which} belongs to ${user}:${group} (mode ${mode}), and this is ${me}`,
    me,
    user,
    group,
    path: found.path,
  };
}

type Found = { readonly path: string; readonly uid: number; readonly gid: number; readonly mode: number };

async function nearest(path: string): Promise<Found | undefined> {
  for (let each = path; ; each = dirname(each)) {
    const found = await stat(each).catch(() => undefined);
    if (found !== undefined) return { path: each, uid: found.uid, gid: found.gid, mode: found.mode };
    if (each === dirname(each)) return undefined;
  }
}

async function nameOf(file: string, id: number): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  return lines.find((line) => line.split(':')[2] === String(id))?.split(':')[0] ?? String(id);
}
