// What the audit trail does on a full disk (TS-31): a reserve file becomes the file of its last words, which say that the disk is full; what
// is refused from then on is counted, and said once there is room again, when the reserve is made anew.
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isoTime } from '#base/clock.ts';
import { isDiskFull } from '#base/disk-full.ts';
import { ParleyError } from '#base/error.ts';
import { syncFolder } from '#base/files.ts';
import type { Reserve } from '#base/reserve.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { AuditFile } from './file.ts';

export type FullDisk = {
  /** The record of the last words; undefined without a reserve, which was used for them before. */
  lastWords(): AuditRecord | undefined;
  /** Turns the reserve into `path` with `bytes` in it, in room that the reserve has already; undefined without a reserve. */
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
};

export function createFullDisk({ reserve, openFile, nowMs }: FullDiskInit): FullDisk {
  let since: number | undefined;
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
        await rename(reserve.path, path);
        await syncFolder(dirname(path));
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
      return { event: 'audit/disk-has-room', detail: { fullSince: isoTime(since), unrecorded } };
    },
    settled() {
      since = undefined;
      unrecorded = 0;
    },
  };
}

/** A read goes on without its record; a change is refused. */
export function auditFull(cause: unknown): ParleyError {
  return new ParleyError(
    'us/audit-full',
    'expected room for the audit trail, its disk is full: free some, no change is made until then',
    { cause },
  );
}
