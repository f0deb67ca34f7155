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

/** `belongs to root:parley (mode 0640), and this is alice: …`. A folder that cannot be entered is named instead of what is in it. */
export async function deniedWords(path: string): Promise<string> {
  const found = await nearest(path);
  const me = userInfo().username;
  if (found === undefined) return `this is ${me}: run it as the owner of ${path}, or with sudo`;
  const [owner, group] = await Promise.all([nameOf('/etc/passwd', found.uid), nameOf('/etc/group', found.gid)]);
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const which = found.path === path ? 'it' : found.path;
  return `${which} belongs to ${owner}:${group} (mode ${mode}), and this is ${me}: run it as ${owner} or with sudo; where ${me} is to own it: chown ${me} ${found.path}`;
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
