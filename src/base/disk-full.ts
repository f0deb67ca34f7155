// A full disk, told apart from one that is broken: what was refused for it can be tried again, and reading goes on.
import { ParleyError } from './error.ts';

/** What a process gets from a disk, or from a quota, without room. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'node/disk-full', 'us/audit-full']);
/** SQLite's "database or disk is full", and the size of its shared memory that could not be made. */
const SQLITE_FULL = new Set([13, 4874]);
const CAUSES = 4;

/** Also true when it is the cause of `error`. */
export function isDiskFull(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < CAUSES && each instanceof Error; depth++) {
    const { code, errcode } = each as { readonly code?: unknown; readonly errcode?: unknown };
    if (FULL.has(String(code)) || SQLITE_FULL.has(Number(errcode))) return true;
    each = each.cause;
  }
  return false;
}

/** What was to be done with the file, and what to do about it; `error` itself when it is another one. */
export function diskFullOr(error: unknown, path: string): unknown {
  if (!isDiskFull(error) || error instanceof ParleyError) return error;
  return new ParleyError('node/disk-full', `expected room on the disk of ${path}, it is full: free some`, {
    cause: error,
  });
}
