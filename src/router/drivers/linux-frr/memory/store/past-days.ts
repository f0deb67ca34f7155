// Reads back what the segments hold of one span of time. A segment that ended before the span is not read, and the event loop is given back
// between pieces: a router answers others meanwhile. Ages are by the wall clock, as the records are. What cannot be read is a gap.
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { Remembered, RememberedRequest } from '#model/router/remembered-days.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import { createSettingList, type RememberedChange } from '../setting-list.ts';
import { gapsIn, linkSums, timesOf } from './past-minutes.ts';
import { type MinuteRecord, parseRecord } from './records.ts';
import { decodeSegment } from './segment.ts';
import { listSegments } from './segment-files.ts';

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

/** Rejects where `signal` ends. A folder without segments is a memory that reaches nowhere. */
export async function readPastDays(
  dir: string,
  { sinceMs, untilMs }: RememberedRequest,
  nowMs: number,
  signal?: AbortSignal,
): Promise<Remembered> {
  const [fromMs, toMs] = [nowMs - sinceMs, nowMs - untilMs];
  const { reachMs, ...disk } = await daysOnDisk(dir, nowMs);
  const found: Found = { minutes: [], changes: [] };
  for (const { path } of await filesOf(dir, fromMs, toMs)) await readInto(found, path, { fromMs, toMs, signal });
  const ageOf = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
  const settings = createSettingList();
  const momentAge = ({ wallMs }: { readonly wallMs: number }) => ageOf(wallMs);
  for (const change of found.changes) settings.add(change, momentAge);
  const { minutes } = found;
  const all = {
    gaps: gapsIn(minutes, { fromMs, toMs }).map(([from, to]) => ({ fromAgoMs: ageOf(from), untilAgoMs: ageOf(to) })),
    events: minutes
      .flatMap((minute) => eventsOf(minute, nowMs))
      .filter(({ agoMs }) => agoMs <= sinceMs && agoMs >= untilMs)
      .reverse(),
    ...timesOf(minutes, nowMs),
    links: linkSums(minutes),
    changes: settings.rows(momentAge).filter(({ agoMs }) => agoMs >= untilMs),
  };
  const most = MODEL_LIMITS.rememberedRows;
  const left = Object.values(all).reduce(
    (sum, list) => sum + Math.max(0, list.length - most),
    settings.droppedAt() === undefined ? 0 : 1,
  );
  const { gaps, events, losses, errors, links, changes } = all;
  return {
    ...{ reachMs, minutes: minutes.length, left, disk },
    ...{ gaps: gaps.slice(-most), events: events.slice(0, most), losses: losses.slice(0, most) },
    ...{ errors: errors.slice(0, most), links: links.slice(0, most), changes: changes.slice(0, most) },
  };
}

type Found = { readonly minutes: MinuteRecord[]; readonly changes: RememberedChange[] };
type Span = { readonly fromMs: number; readonly toMs: number; readonly signal: AbortSignal | undefined };

/** Lines between two breaths of the event loop: about a millisecond. */
const LINES_A_TURN = 64;

async function readInto({ minutes, changes }: Found, path: string, { fromMs, toMs, signal }: Span): Promise<void> {
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
    if (record?.k === 'minute') minutes.push(record);
    if (record?.k === 'change') {
      const from = record.fromMs === undefined ? {} : { from: { wallMs: record.fromMs } };
      changes.push({ change: record.change, at: { wallMs: record.atMs }, ...from });
    }
    if (++parsed % LINES_A_TURN !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** Of a minute, or of a change: others say nothing of a span. */
const AT = /^\{"k":"(?:minute|change)","atMs":(\d{1,15})/;

function eventsOf({ atMs, events }: MinuteRecord, nowMs: number): readonly HistoryEvent[] {
  return events.flatMap(([before, kind, subject, up, changes]) =>
    kind === 'carrier' || kind === 'adjacency' || kind === 'session'
      ? [{ agoMs: Math.max(0, Math.round(nowMs - atMs + before)), kind, subject, up: up === 1, changes }]
      : [],
  );
}

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
