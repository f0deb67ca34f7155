// Reads a file that decides who may do what: only if it, and every folder above it, can be written by its owner alone. A user who may replace
// a folder may replace what is in it. Symbolic links are refused: what they lead to may be changed by another user.
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf, ParleyError } from './error.ts';

const GROUP_OR_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

type Status = { readonly uid: number; readonly mode: number; isDirectory(): boolean; isFile(): boolean };

/** The text of `path`. Rejects with `node/unsafe-file` when a user other than root may change it, or when it cannot be read. */
export async function readRootFile(path: string): Promise<string> {
  const absolute = resolve(path);
  for (const folder of foldersAbove(absolute)) {
    const status = await lstat(folder).catch((error) => unreadable(absolute, error));
    if (!status.isDirectory()) throw unsafe(absolute, `${folder} is no folder`);
    const fault = faultOf(status, (status.mode & STICKY) !== 0);
    if (fault !== undefined) throw unsafe(absolute, `${folder} ${fault}`);
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(absolute, flags).catch((error) => unreadable(absolute, error));
  try {
    // Of the open file: the name may mean another one by now.
    const status = await file.stat();
    if (!status.isFile()) throw unsafe(absolute, 'it is no file');
    const fault = faultOf(status, false);
    if (fault !== undefined) throw unsafe(absolute, `it ${fault}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Undefined when only root may change it. In a sticky folder, as /tmp, no other user may rename or remove what root owns. */
function faultOf({ uid, mode }: Status, isSticky: boolean): string | undefined {
  if (uid !== ROOT) return `belongs to user ${uid}`;
  if ((mode & GROUP_OR_OTHERS) !== 0 && !isSticky) return 'may be written by its group or by others';
  return undefined;
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}

function unsafe(path: string, detail: string): ParleyError {
  return new ParleyError('node/unsafe-file', `expected ${path} to be a file that only root may change: ${detail}`);
}

function unreadable(path: string, cause: unknown): never {
  throw new ParleyError(
    'node/unsafe-file',
    `expected ${path} to be a file that only root may change: ${messageOf(cause)}`,
    {
      cause,
    },
  );
}
