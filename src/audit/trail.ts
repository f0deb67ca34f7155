// The append-only audit trail (TS-31): records that wait together are written and synchronised together, off the event
// loop. An append resolves when its record is on disk, and rejects when it cannot be put there; it never hangs.
// A write that a crash cut short is cut off at the next start; a chain that is broken is left as it is and said so. On a full disk it opens as
// well, and appends reject with `us/audit-full`.
import { join } from 'node:path';
import { afterInput, type Clock, isoTime, STOPPED } from '#base/clock.ts';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { makeFolder, syncFolder } from '#base/files.ts';
import { createReserve } from '#base/reserve.ts';
import type { AuditRecord, AuditSink } from '#model/ports.ts';
import { type AuditFile, openAuditFile } from './file.ts';
import { auditFull, createFullDisk, type FullDisk, fullSinceOf } from './full-disk.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { formatAuditLine, GENESIS } from './record.ts';
import { RETENTION, type Retention, retainAudit } from './retain.ts';
import { keepTorn, tornBatch } from './torn.ts';
import { type AuditHead, auditFileName, listAuditFiles, readAuditFile } from './verify.ts';

export type AuditTrail = AuditSink & {
  /** The last record on disk: to be kept elsewhere, because a chain does not show that its end was cut off. */
  readonly head: AuditHead;
  /** Resolves when what was appended until now is on disk, or was refused. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

export type AuditTrailInit = {
  readonly dir: string;
  readonly clock: Clock;
  /** Size at which the next file begins. */
  readonly fileBytes?: number;
  readonly openFile?: (path: string) => Promise<AuditFile>;
  /** Makes the names in a folder durable. */
  readonly syncNames?: (folder: string) => Promise<void>;
  readonly retention?: Retention;
  /** Room kept for the last words on a full disk. */
  readonly reserveBytes?: number;
};

type Waiting = {
  readonly record: AuditRecord;
  readonly atMs: number;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
};

const RESERVE_FILE = 'reserve';

/** In which the wait for the disk is counted. */
const WAIT_STEPS = 8;

export async function openAuditTrail(init: AuditTrailInit): Promise<AuditTrail> {
  const { dir, clock, fileBytes = AUDIT_LIMITS.auditFileBytes } = init;
  const { openFile = openAuditFile, syncNames = syncFolder } = init;
  await makeFolder(dir, 0o700);
  const start = await resume(dir, openFile);
  const retain = () =>
    retainAudit(dir, clock.nowMs(), init.retention ?? RETENTION).catch((error) => {
      // Nothing is removed without a note of it, which needs room itself.
      if (!isDiskFull(error)) throw error;
    });
  await retain();
  const reserve = createReserve(join(dir, RESERVE_FILE), init.reserveBytes ?? AUDIT_LIMITS.auditReserveBytes);
  const nowMs = () => clock.nowMs();
  const full = createFullDisk({ reserve, openFile, nowMs, leftFullMs: await fullSinceOf(dir) });
  const writer = createWriter({ dir, fileBytes, openFile, syncNames, retain, full, nowMs, ...start });
  const queue: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let stalled = false;
  let closed = false;

  const rejectAll = (batch: readonly Waiting[], error: Error) => {
    for (const waiting of batch) waiting.failed(error);
  };
  const flush = async () => {
    // What is appended in the same turn goes to disk together.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.splice(0, AUDIT_LIMITS.auditBatch);
      const over = new AbortController();
      const watchdog = watched(clock, over.signal).then(
        () => {
          stalled = true;
          rejectAll([...batch, ...queue.splice(0)], stalledError());
        },
        () => {},
      );
      try {
        await writer.write(batch);
        for (const waiting of batch) waiting.done();
      } catch (error) {
        const why = isDiskFull(error)
          ? auditFull(error)
          : new ParleyError('us/audit-unwritable', `audit trail: ${messageOf(error)}`, { cause: error });
        rejectAll(batch, why);
      } finally {
        stalled = false;
        over.abort(STOPPED);
        await watchdog;
      }
    }
    flushing = undefined;
  };
  const trail: AuditTrail = {
    append: (record) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new ParleyError('us/audit-closed', 'expected an open audit trail, got a closed one'));
        if (stalled) return reject(stalledError());
        if (queue.length >= AUDIT_LIMITS.auditQueue) {
          return reject(
            new ParleyError('us/audit-overloaded', `more than ${AUDIT_LIMITS.auditQueue} records wait for the disk`),
          );
        }
        queue.push({ record, atMs: clock.nowMs(), done: resolve, failed: reject });
        flushing ??= flush();
      }),
    get head() {
      return writer.head();
    },
    settled: async () => flushing,
    async close() {
      if (closed) return;
      closed = true;
      const over = new AbortController();
      await Promise.race([flushing, clock.sleep(AUDIT_LIMITS.auditWaitMs, over.signal).catch(() => {})]);
      over.abort(STOPPED);
      await writer.close();
    },
  };
  for (const record of start.remarks)
    await trail.append(record).catch((error) => {
      if (!isDiskFull(error)) throw error;
    });
  return trail;
}

/**
 * Resolves when the disk has had its time, and rejects as soon as it has answered. A process that had no processor for some seconds has not
 * looked meanwhile: what it missed counts as one step.
 */
async function watched(clock: Clock, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < WAIT_STEPS; step++) {
    await clock.sleep(AUDIT_LIMITS.auditWaitMs / WAIT_STEPS, signal);
    await afterInput();
    signal.throwIfAborted();
  }
}

function stalledError(): ParleyError {
  return new ParleyError(
    'us/audit-stalled',
    `the disk of the audit trail did not answer within ${AUDIT_LIMITS.auditWaitMs} ms`,
  );
}

type Start = {
  readonly file: AuditFile | undefined;
  readonly sizeBytes: number;
  readonly head: AuditHead;
  /** What was found at start and belongs into the trail. */
  readonly remarks: readonly AuditRecord[];
};

/** Finds the end of the newest file, cuts off there what a power cut left of a write, and goes on behind it; behind a break, in a new file. */
async function resume(dir: string, openFile: (path: string) => Promise<AuditFile>): Promise<Start> {
  const path = (await listAuditFiles(dir)).at(-1);
  const nothing: AuditHead = { sequence: 0, hash: GENESIS };
  if (path === undefined) return { file: undefined, sizeBytes: 0, head: nothing, remarks: [] };
  const read = await readAuditFile(path, undefined);
  const first = Number(/(\d{15})\.jsonl$/.exec(path)?.[1]);
  const head = read.head ?? { sequence: first - 1, hash: GENESIS };
  const torn = read.firstBreak === undefined ? undefined : await tornBatch(path, read.goodBytes);
  if (torn !== undefined) await keepTorn(dir, torn);
  const tornBytes = torn?.length ?? read.tornBytes;
  if (read.firstBreak !== undefined && torn === undefined) {
    // The numbers after a break were used, so the new file begins beyond any of them.
    const detail = { line: read.firstBreak.line, offset: read.firstBreak.offset };
    const remark: AuditRecord = { event: 'audit/break-found', reason: read.firstBreak.reason, detail };
    return { file: undefined, sizeBytes: 0, head: { ...head, sequence: head.sequence + BREAK_GAP }, remarks: [remark] };
  }
  if (read.head === undefined && tornBytes === 0)
    return { file: await openFile(path), sizeBytes: 0, head: await headBefore(dir, path, head), remarks: [] };
  const file = await openFile(path);
  const remarks: AuditRecord[] = [];
  if (tornBytes > 0) {
    await file.truncate(read.goodBytes);
    remarks.push({ event: 'audit/torn-tail-cut', detail: { bytes: tornBytes } });
  }
  const end = read.head ?? (await headBefore(dir, path, head));
  return { file, sizeBytes: read.goodBytes, head: end, remarks };
}

const BREAK_GAP = 1_000_000;

/** A newest file without a whole line follows the end of the one before it. */
async function headBefore(dir: string, path: string, fallback: AuditHead): Promise<AuditHead> {
  const files = await listAuditFiles(dir);
  const before = files[files.indexOf(path) - 1];
  return before === undefined ? fallback : ((await readAuditFile(before, undefined)).head ?? fallback);
}

type WriterInit = Pick<Start, 'file' | 'sizeBytes' | 'head'> & {
  readonly dir: string;
  readonly fileBytes: number;
  readonly openFile: (path: string) => Promise<AuditFile>;
  readonly syncNames: (folder: string) => Promise<void>;
  /** Makes room after a new file has begun. */
  readonly retain: () => Promise<void>;
  readonly full: FullDisk;
  readonly nowMs: () => number;
};

type Entry = Pick<Waiting, 'record' | 'atMs'>;

/** One batch at a time. A batch that fails leaves no trace: the file is cut back before the next one is written. */
function createWriter(init: WriterInit) {
  const { full, nowMs } = init;
  let { file, sizeBytes, head } = init;
  let dirty = false;
  /** A synchronisation of this file failed for want of room: nothing more is written into it. */
  let isLeft = false;
  /** The name of this file is not known to be durable: also that of one that is gone on with, whose maker may have died before it was. */
  let isNamed = file === undefined;
  let lost: Error | undefined;

  // After a failed sync it is not known what is on disk, and a second one of the same octets would say that all is well. Where only room is
  // missing (NFS, quotas and thin volumes say so no earlier), they are cut off, and a new file begins behind the last record that is durable.
  const orLost = (error: unknown): never => {
    if (!isDiskFull(error)) lost = error instanceof Error ? error : new Error(String(error));
    throw error;
  };
  const sync = (target: AuditFile) =>
    target.datasync().catch((error) => {
      isLeft = true;
      return orLost(error);
    });
  /** What is before `sizeBytes` was durable before. What is cut off must not come back after a crash, beside the file that goes on from there. */
  const cutBack = async () => {
    if (file !== undefined && dirty) {
      await file.truncate(sizeBytes);
      await sync(file);
    }
    dirty = false;
  };
  const begin = async (next: AuditFile, bytes: number) => {
    const before = file;
    file = next;
    sizeBytes = bytes;
    isLeft = false;
    isNamed = false;
    await before?.close();
  };
  const ready = async (): Promise<AuditFile> => {
    if (lost !== undefined) throw lost;
    await cutBack();
    if (file === undefined || isLeft || sizeBytes >= init.fileBytes) {
      await begin(await init.openFile(join(init.dir, auditFileName(head.sequence + 1))), 0);
      await init.retain();
    }
    if (!isNamed) await init.syncNames(init.dir).catch(orLost);
    isNamed = true;
    return file!;
  };
  const append = async (batch: readonly Entry[]) => {
    const target = await ready();
    const lines = linesOf(batch, head);
    dirty = true;
    await target.write(lines.bytes, sizeBytes);
    await sync(target);
    dirty = false;
    sizeBytes += lines.bytes.length;
    head = lines.head;
  };
  /** The last words, in the room of the reserve: they begin a file of their own. What that frees may do for more. */
  const sayFull = async () => {
    const record = full.lastWords();
    if (record === undefined || lost !== undefined) return;
    await cutBack();
    const lines = linesOf([{ record, atMs: nowMs() }], head);
    const made = await full.takeReserve(join(init.dir, auditFileName(head.sequence + 1)), lines.bytes);
    if (made === undefined) return;
    head = lines.head;
    await begin(made, lines.bytes.length);
  };
  return {
    head: () => head,
    async write(batch: readonly Entry[]) {
      const remark = await full.settle();
      const entries = remark === undefined ? batch : [{ record: remark, atMs: nowMs() }, ...batch];
      try {
        await append(entries);
        if (remark !== undefined) full.settled();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        try {
          await sayFull();
          await append(batch);
        } catch (again) {
          full.missed(batch.length);
          await cutBack();
          throw again;
        }
      }
    },
    close: async () => file?.close(),
  };
}

function linesOf(batch: readonly Entry[], before: AuditHead): { readonly bytes: Buffer; readonly head: AuditHead } {
  const lines: string[] = [];
  let head = before;
  for (const { record, atMs } of batch) {
    const place = { sequence: head.sequence + 1, time: isoTime(atMs), previous: head.hash };
    const line = formatAuditLine(record, place);
    lines.push(`${line.text}\n`);
    head = { sequence: place.sequence, hash: line.hash };
  }
  return { bytes: Buffer.from(lines.join('')), head };
}
