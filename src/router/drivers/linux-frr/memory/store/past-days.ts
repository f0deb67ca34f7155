// Reads back what the segments hold of one span of time. A segment that ended before the span is not read, and the event loop is given back
// between pieces: a router answers others meanwhile. Of the records none is kept, and one reading at a time goes on: what a reading holds does
// not grow with the span. Ages are by the wall clock, as the records are. What cannot be read is a gap.
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createInTurn } from '#base/in-turn.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { Remembered, RememberedRequest } from '#model/router/remembered-days.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import { createSettingList, type RememberedChange } from '../setting-list.ts';
import { createMinuteFold, type MinuteFold } from './past-minutes.ts';
import { parseRecord } from './records.ts';
import { decodeSegment } from './segment.ts';
import { LARGEST_BYTES, listSegments } from './segment-files.ts';

export type DaysOnDisk = { readonly bytes: number; readonly mostBytes: number; readonly reachMs: number };

/** How much the memory of days takes, and how far back its oldest record is. */
export async function daysOnDisk(dir: string, nowMs: number): Promise<DaysOnDisk> {
  const files = await filesIn(dir);
  const beganMs = files.find((file) => file.beganMs !== undefined)?.beganMs;
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    mostBytes: DRIVER_LIMITS.dayMemoryBytes,
    reachMs: beganMs === undefined ? 0 : Math.max(0, Math.round(nowMs - beganMs)),
  };
}

export type PastReader = (request: RememberedRequest, signal?: AbortSignal) => Promise<Remembered>;

/** Readings take turns. Rejects where `signal` ends. A folder without segments is a memory that reaches nowhere. */
export function createPastReader(dir: string, clock: { nowMs(): number }): PastReader {
  const inTurn = createInTurn();
  return (request, signal) => inTurn(() => readPastDays(dir, request, clock.nowMs(), signal));
}

async function readPastDays(
  dir: string,
  { sinceMs, untilMs }: RememberedRequest,
  nowMs: number,
  signal?: AbortSignal,
): Promise<Remembered> {
  signal?.throwIfAborted();
  const [fromMs, toMs] = [nowMs - sinceMs, nowMs - untilMs];
  const { reachMs, ...disk } = await daysOnDisk(dir, nowMs);
  const settings = createSettingList();
  const momentAge = ({ wallMs }: { readonly wallMs: number }) => Math.max(0, Math.round(nowMs - wallMs));
  const fold = createMinuteFold({ fromMs, toMs, nowMs });
  const into = { minute: fold.add, change: (change: RememberedChange) => settings.add(change, momentAge) };
  for (const { path } of newestKept(await filesOf(dir, fromMs, toMs)))
    await readInto(into, path, { fromMs, toMs, signal });
  const { left, ...all } = fold.done();
  const changes = settings.rows(momentAge).filter(({ agoMs }) => agoMs >= untilMs);
  const most = MODEL_LIMITS.rememberedRows;
  const changesLeft = Math.max(0, changes.length - most) + (settings.droppedAt() === undefined ? 0 : 1);
  return { reachMs, disk, ...all, changes: changes.slice(0, most), left: left + changesLeft };
}

/** As much as one memory keeps, whatever lies in the folder. */
function newestKept(files: readonly SegmentFile[]): readonly SegmentFile[] {
  let room = DRIVER_LIMITS.dayMemoryBytes + LARGEST_BYTES;
  const first = files.findLastIndex(({ bytes }) => {
    room -= bytes;
    return room < 0;
  });
  return files.slice(first + 1).filter(({ bytes }) => bytes <= LARGEST_BYTES);
}

type Into = { readonly minute: MinuteFold['add']; readonly change: (change: RememberedChange) => void };
type Span = { readonly fromMs: number; readonly toMs: number; readonly signal: AbortSignal | undefined };

/** Lines between two breaths of the event loop: about a millisecond. */
const LINES_A_TURN = 64;

async function readInto(into: Into, path: string, { fromMs, toMs, signal }: Span): Promise<void> {
  signal?.throwIfAborted();
  // Gone meanwhile: the oldest is removed for a new one.
  const octets = await readFile(path).catch(() => undefined);
  const segment = octets === undefined ? undefined : decodeSegment(octets);
  if (segment?.kind !== 'read') return;
  let parsed = 0;
  for (const line of segment.lines) {
    const atMs = Number(AT.exec(line)?.[1]);
    if (!(atMs >= fromMs && atMs <= toMs + DRIVER_LIMITS.dayFlushMs)) continue;
    const record = parseRecord(line);
    if (record?.k === 'minute') into.minute(record);
    if (record?.k === 'change') {
      const from = record.fromMs === undefined ? {} : { from: { wallMs: record.fromMs } };
      into.change({ change: record.change, at: { wallMs: record.atMs }, ...from });
    }
    if (++parsed % LINES_A_TURN !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** Of a minute, or of a change: others say nothing of a span. */
const AT = /^\{"k":"(?:minute|change)","atMs":(\d{1,15})/;

type SegmentFile = { readonly path: string; readonly bytes: number; readonly beganMs?: number };

/** A segment ends where the next begins. */
async function filesOf(dir: string, fromMs: number, toMs: number): Promise<readonly SegmentFile[]> {
  const files = await filesIn(dir);
  return files.filter(({ beganMs = 0 }, index) => {
    const endMs = files[index + 1]?.beganMs ?? Number.POSITIVE_INFINITY;
    // A clock that was set back makes a segment seem to end before it began: it is read.
    return (endMs >= fromMs || endMs < beganMs) && (beganMs <= toMs || endMs < beganMs);
  });
}

async function filesIn(dir: string): Promise<readonly SegmentFile[]> {
  const paths = (await listSegments(dir)).map((name) => join(dir, name));
  const files = await Promise.all(paths.map(async (path) => fileAt(path).catch(() => undefined)));
  return files.filter((file) => file !== undefined);
}

const HEAD_BYTES = 128;

async function fileAt(path: string): Promise<SegmentFile> {
  const { size } = await stat(path);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const beganMs = /"atMs":(\d{1,15})/.exec(buffer.toString('latin1', 0, bytesRead))?.[1];
    return { path, bytes: size, ...(beganMs === undefined ? {} : { beganMs: Number(beganMs) }) };
  } finally {
    await file.close();
  }
}
