// What the audit trail does on a full disk (TS-31): a reserve file becomes the file of its last words, which say that the disk is full; what
// is refused from then on is counted, and said once there is room again, when the reserve is made anew.
import { open, rename, stat } from 'node:fs/promises';
import { isoTime } from '#base/clock.ts';
import { isDiskFull } from '#base/disk-full.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import type { Reserve } from '#base/reserve.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { AuditFile } from './file.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { listAuditFiles } from './verify.ts';

export type FullDisk = {
  /** The record of the last words; undefined without a reserve, which was used for them before. */
  lastWords(): AuditRecord | undefined;
  /** Turns the reserve into `path` with `bytes` in it, in room that the reserve has already; undefined without a reserve. The name is not durable yet. */
  takeReserve(path: string, bytes: Uint8Array): Promise<AuditFile | undefined>;
  /** Counts records that are not in the trail. */
  missed(count: number): void;
  /** Makes the reserve where there is room; what then is to be recorded, if a disk was full. */
  settle(): Promise<AuditRecord | undefined>;
  /** The record that `settle` gave is on disk. */
  settled(): void;
};

export type FullDiskInit = {
  readonly reserve: Reserve;
  readonly openFile: (path: string) => Promise<AuditFile>;
  readonly nowMs: () => number;
  /** Since when the disk was full as this trail was left, if it was: how many records it lacks from then is known no more. */
  readonly leftFullMs?: number | undefined;
};

export function createFullDisk({ reserve, openFile, nowMs, leftFullMs }: FullDiskInit): FullDisk {
  let isLeftFull = leftFullMs !== undefined;
  let since = leftFullMs;
  let unrecorded = 0;
  let isKept = false;
  return {
    lastWords() {
      if (!isKept) return undefined;
      since ??= nowMs();
      return {
        event: 'audit/disk-full',
        reason:
          'the disk of this trail is full: reads and questions go on, what they did is not recorded until there is room',
      };
    },
    async takeReserve(path, bytes) {
      if (!isKept) return undefined;
      isKept = false;
      const file = await openFile(reserve.path);
      try {
        await file.write(bytes, 0);
        await file.datasync();
        await file.truncate(bytes.length);
        await file.datasync();
        // Once it has its name it is part of the trail, whatever follows: that the name is durable is seen to before the next record.
        await rename(reserve.path, path);
        return file;
      } catch (error) {
        await file.close();
        // On some file systems also what is written over takes new room.
        if (isDiskFull(error)) return undefined;
        throw error;
      }
    },
    missed(count) {
      since ??= nowMs();
      unrecorded += count;
    },
    async settle() {
      if (isKept && since === undefined) return undefined;
      isKept = await reserve.keep();
      if (!isKept || since === undefined) return undefined;
      const detail = { fullSince: isoTime(since), unrecorded };
      const unknown = { reason: 'how many records are missing from before the last start is not known' };
      return { event: 'audit/disk-has-room', ...(isLeftFull ? unknown : {}), detail };
    },
    settled() {
      since = undefined;
      isLeftFull = false;
      unrecorded = 0;
    },
  };
}

/**
 * Since when the disk was full, in ms since the epoch, where the trail says so and not that there was room again; undefined otherwise. Reads the
 * end of the trail: whole files, from the newest, until their size is that of one.
 */
export async function fullSinceOf(dir: string): Promise<number | undefined> {
  let readBytes = 0;
  for (const path of (await listAuditFiles(dir)).toReversed()) {
    const last = await lastDiskEvent(path);
    if (last !== undefined) return last.event === 'audit/disk-full' ? Date.parse(last.time) : undefined;
    readBytes += (await stat(path)).size;
    if (readBytes >= AUDIT_LIMITS.auditFileBytes) return undefined;
  }
  return undefined;
}

async function lastDiskEvent(path: string): Promise<{ readonly event: string; readonly time: string } | undefined> {
  let last: { readonly event: string; readonly time: string } | undefined;
  const file = await open(path);
  for await (const line of file.readLines()) {
    // Most lines are of calls: they are not parsed.
    if (!line.includes('"audit/disk-')) continue;
    const decoded = decodeStrictJson(Buffer.from(line));
    if (!decoded.ok || !isJsonObject(decoded.value)) continue;
    const { event, time } = decoded.value;
    if (typeof event === 'string' && event.startsWith('audit/disk-') && typeof time === 'string')
      last = { event, time };
  }
  return last;
}

/** A read goes on without its record; a change is refused. */
export function auditFull(cause: unknown): ParleyError {
  return new ParleyError(
    'us/audit-full',
    'expected room for the audit trail, its disk is full: free some, no change is made until then',
    { cause },
  );
}
