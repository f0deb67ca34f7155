// Recorded minutes put together: what was measured over each link, the times in which probes were lost or errors counted, and the times of
// which nothing is recorded. Pure.
import type { Remembered } from '#model/router/remembered-days.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import type { MinuteRecord } from './records.ts';

const MINUTE_MS = DRIVER_LIMITS.dayFlushMs;
/** A busy disk delays a minute; two that are lacking are a gap. */
const GAP_MS = 3 * MINUTE_MS;

type Times = Pick<Remembered, 'losses' | 'errors'>;

/** Stretches of the span, at both ends too, of which there is no minute. By the wall clock, oldest first. */
export function gapsIn(
  minutes: readonly MinuteRecord[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly (readonly [fromMs: number, toMs: number])[] {
  const ends = [fromMs, ...minutes.map(({ atMs }) => atMs), toMs];
  return ends.slice(1).flatMap((endMs, index) => {
    const beganMs = ends[index]!;
    return endMs - beganMs > GAP_MS ? [[beganMs, endMs] as const] : [];
  });
}

/** Minutes with more than strays; each with the minutes beside it in which the same happened to the same interface; newest first. */
export function timesOf(minutes: readonly MinuteRecord[], nowMs: number): Times {
  const losses = new Map<string, Remembered['losses'][number][]>();
  const errors = new Map<string, Remembered['errors'][number][]>();
  for (const { atMs, links, ports, portsMs } of minutes) {
    const agoMs = Math.max(0, Math.round(nowMs - atMs));
    for (const [ifname, sent, received] of links) {
      if (!isLossy(sent, sent - received)) continue;
      const time = { ifname, fromAgoMs: agoMs + MINUTE_MS, untilAgoMs: agoMs, sent, lost: sent - received };
      add(losses, time, (one, other) => ({ ...one, sent: one.sent + other.sent, lost: one.lost + other.lost }));
    }
    for (const [ifname, , , , , errorCount, dropCount] of ports) {
      if (errorCount + dropCount === 0) continue;
      const span = { fromAgoMs: agoMs + Math.max(MINUTE_MS, portsMs), untilAgoMs: agoMs };
      add(errors, { ifname, ...span, errors: errorCount, drops: dropCount }, (one, other) => ({
        ...{ ...one, errors: one.errors + other.errors, drops: one.drops + other.drops },
      }));
    }
  }
  return { losses: newestFirst(losses), errors: newestFirst(errors) };
}

/** Single probes are lost on every network: what counts is more than that, and more than one in two hundred. */
const STRAYS = 2;
const LOSSY_RATE = 0.005;

function isLossy(sent: number, lost: number): boolean {
  return lost > STRAYS && lost > sent * LOSSY_RATE;
}

type Time = { readonly ifname: string; readonly fromAgoMs: number; readonly untilAgoMs: number };

function add<T extends Time>(all: Map<string, T[]>, time: T, sum: (one: T, other: T) => T): void {
  const mine = all.get(time.ifname) ?? [];
  const last = mine.at(-1);
  const follows = last !== undefined && last.untilAgoMs - time.untilAgoMs <= 2 * MINUTE_MS;
  if (follows) mine[mine.length - 1] = { ...sum(last, time), untilAgoMs: time.untilAgoMs };
  else mine.push(time);
  all.set(time.ifname, mine);
}

function newestFirst<T extends Time>(all: ReadonlyMap<string, readonly T[]>): readonly T[] {
  return [...all.values()].flat().sort((one, other) => one.untilAgoMs - other.untilAgoMs);
}

/** `medianUs` is the median of the minutes' medians. */
export function linkSums(minutes: readonly MinuteRecord[]): Remembered['links'] {
  const all = new Map<string, MinuteRecord['links'][number][]>();
  for (const link of minutes.flatMap(({ links }) => links)) {
    const mine = all.get(link[0]);
    if (mine === undefined) all.set(link[0], [link]);
    else mine.push(link);
  }
  return [...all].map(([ifname, mine]) => {
    const sum = (of: (link: (typeof mine)[number]) => number) => mine.reduce((total, link) => total + of(link), 0);
    const sent = sum(([, count]) => count);
    const answered = mine.filter(([, , , leastUs]) => leastUs > 0);
    const medians = answered.map(([, , , , medianUs]) => medianUs).sort((one, other) => one - other);
    return {
      ...{ ifname, minutes: mine.length, sent, lost: sent - sum(([, , received]) => received) },
      leastUs: answered.reduce((least, [, , , leastUs]) => (least === 0 ? leastUs : Math.min(least, leastUs)), 0),
      medianUs: medians[medians.length >> 1] ?? 0,
      mostUs: answered.reduce((most, link) => Math.max(most, link[5]), 0),
    };
  });
}
