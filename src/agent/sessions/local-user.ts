// Who of this machine opened the operators' socket: the kernel's word, and the name that /etc/passwd has for it (TS-31).
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { peerUserOf } from '#router/native/peer-user.ts';

/** `alice (uid 1000)`, or `uid 1000` where it has no name there; undefined where the kernel does not tell. */
export async function localUserOf(socket: Socket): Promise<string | undefined> {
  const uid = await peerUserOf(socket);
  if (uid === undefined) return undefined;
  const name = await userNameOf(uid);
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
}

/** The name in /etc/passwd; undefined where that has no such user. Users of a directory service are not looked up. */
export async function userNameOf(uid: number, file = '/etc/passwd'): Promise<string | undefined> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const name = lines.map((line) => line.split(':')).find((fields) => fields[2] === String(uid))?.[0];
  return name !== undefined && /^[\w.-]{1,64}\$?$/.test(name) ? name : undefined;
}
