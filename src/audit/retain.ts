// Keeps the audit trail within its age and size: whole files go, the oldest first, never the one that is written to. Where the
// rest begins is written down before anything is removed, so that it still verifies and a file that is missing still shows.
import { open, rm, stat } from 'node:fs/promises';
import { syncFolder } from '#base/files.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { parseAuditLine } from './record.ts';
import { storeAuditStart } from './start.ts';
import { type AuditHead, listAuditFiles, MAX_LINE_BYTES } from './verify.ts';

export type Retention = { readonly keepBytes: number; readonly keepMs: number };

export const RETENTION: Retention = { keepBytes: AUDIT_LIMITS.auditTrailBytes, keepMs: AUDIT_LIMITS.auditAgeMs };

/** Removes what is too old or too much. A file that cannot be read is left where it is: it is evidence. */
export async function retainAudit(dir: string, nowMs: number, { keepBytes, keepMs }: Retention): Promise<void> {
  const files = await listAuditFiles(dir);
  const stats = await Promise.all(files.map((file) => stat(file)));
  let totalBytes = stats.reduce((sum, { size }) => sum + size, 0);
  for (const [index, file] of files.slice(0, -1).entries()) {
    const { size, mtimeMs } = stats[index]!;
    if (totalBytes <= keepBytes && nowMs - mtimeMs <= keepMs) return;
    const [before, start] = [await headBeforeFile(file), await headBeforeFile(files[index + 1]!)];
    if (before === undefined || start === undefined) return;
    await storeAuditStart(dir, { ...start, before });
    await rm(file);
    // Before the next start: after a cut one file at most is still there that was to be removed.
    await syncFolder(dir);
    totalBytes -= size;
  }
}

/** What the first record of `file` says it follows. */
async function headBeforeFile(file: string): Promise<AuditHead | undefined> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    const line = end === -1 ? undefined : parseAuditLine(buffer.subarray(0, end));
    return line?.ok ? { sequence: line.value.sequence - 1, hash: line.value.previous } : undefined;
  } finally {
    await handle.close();
  }
}
