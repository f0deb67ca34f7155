// Work in a folder as the user whom it belongs to: what root writes into the agent's folders must be the agent's, and a path there that the
// agent made to lead elsewhere must lead root nowhere.
import { chown, mkdir, readFile, stat } from 'node:fs/promises';

/** Runs `work` as the owner of `dir` where this process is root and another user owns it. */
export async function asOwnerOf<Value>(dir: string, work: () => Promise<Value>): Promise<Value> {
  const owner = await stat(dir).catch(() => undefined);
  if (process.geteuid?.() !== 0 || owner === undefined || owner.uid === 0) return work();
  const group = process.getegid?.() ?? 0;
  process.setegid?.(owner.gid);
  process.seteuid?.(owner.uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
  }
}

/** Makes `dir` where it is missing; what root makes goes to `user`, where there is such a user. */
export async function makeFolderFor(dir: string, user: string): Promise<void> {
  const isThere = await stat(dir).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const ids = process.geteuid?.() === 0 ? await idsOf(user) : undefined;
  if (ids !== undefined) await chown(dir, ids.uid, ids.gid);
}

async function idsOf(user: string): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${user}:`))?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
