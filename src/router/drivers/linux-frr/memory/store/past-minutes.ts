// Recorded minutes put together as they are read, none of them kept: what was measured over each link, the times in which probes were lost or
// errors counted, what went up and down, and the times of which nothing is recorded. Pure but for its own sums.
import { MODEL_LIMITS } from '#model/limits.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { Remembered } from '#model/router/remembered-days.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import type { MinuteRecord } from './records.ts';

const MINUTE_MS = DRIVER_LIMITS.dayFlushMs;
/** A busy disk delays a minute; two that are lacking are a gap. */
const GAP_MS = 3 * MINUTE_MS;
const MOST = MODEL_LIMITS.rememberedRows;

export type Folded = Pick<Remembered, 'minutes' | 'gaps' | 'events' | 'losses' | 'errors' | 'links' | 'left'>;

export type MinuteFold = {
  /** In the order in which they were written. */
  add(minute: MinuteRecord): void;
  /** Once, after the last minute. Of each list the newest rows that there is room for; gaps oldest first, all else newest first. */
  done(): Folded;
};

/** Times by the wall clock. */
export function createMinuteFold(span: {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}): MinuteFold {
  const { fromMs, toMs, nowMs } = span;
  const ageOf = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
  let minutes = 0;
  let endMs = fromMs;
  const gaps = createNewest<Remembered['gaps'][number]>();
  const events = createNewest<HistoryEvent>();
  const losses = createTimes<Remembered['losses'][number]>((one, other) => ({
    ...{ ...one, sent: one.sent + other.sent, lost: one.lost + other.lost },
  }));
  const errors = createTimes<Remembered['errors'][number]>((one, other) => ({
    ...{ ...one, errors: one.errors + other.errors, drops: one.drops + other.drops },
  }));
  const links = new Map<string, LinkSum>();
  const reach = (atMs: number) => {
    if (atMs - endMs > GAP_MS) gaps.add({ fromAgoMs: ageOf(endMs), untilAgoMs: ageOf(atMs) });
    endMs = atMs;
  };
  return {
    add(minute) {
      const agoMs = ageOf(minute.atMs);
      minutes += 1;
      reach(minute.atMs);
      for (const event of eventsOf(minute, nowMs))
        if (event.agoMs <= nowMs - fromMs && event.agoMs >= nowMs - toMs) events.add(event);
      for (const link of minute.links) {
        const [ifname, sent, received] = link;
        links.set(ifname, summed(links.get(ifname), link));
        if (!isLossy(sent, sent - received)) continue;
        losses.add({ ifname, fromAgoMs: agoMs + MINUTE_MS, untilAgoMs: agoMs, sent, lost: sent - received });
      }
      for (const [ifname, , , , , errorCount, dropCount] of minute.ports) {
        if (errorCount + dropCount === 0) continue;
        const time = { fromAgoMs: agoMs + Math.max(MINUTE_MS, minute.portsMs), untilAgoMs: agoMs };
        errors.add({ ifname, ...time, errors: errorCount, drops: dropCount });
      }
    },
    done() {
      reach(toMs);
      const all = { gaps: gaps.done(), events: events.done(), losses: losses.done(), errors: errors.done() };
      return {
        minutes,
        gaps: all.gaps.rows,
        events: all.events.rows.toReversed(),
        losses: all.losses.rows,
        errors: all.errors.rows,
        links: [...links].slice(0, MOST).map(([ifname, sum]) => linkOf(ifname, sum)),
        left: Object.values(all).reduce((sum, { left }) => sum + left, Math.max(0, links.size - MOST)),
      };
    },
  };
}

type Rows<Row> = { readonly rows: readonly Row[]; readonly left: number };

/** The rows that were added last. */
function createNewest<Row>(): { add(row: Row): void; done(): Rows<Row> } {
  let rows: Row[] = [];
  let left = 0;
  const cut = () => {
    left += Math.max(0, rows.length - MOST);
    rows = rows.slice(-MOST);
  };
  return {
    add(row) {
      rows.push(row);
      if (rows.length >= 2 * MOST) cut();
    },
    done() {
      cut();
      return { rows, left };
    },
  };
}

function eventsOf({ atMs, events }: MinuteRecord, nowMs: number): readonly HistoryEvent[] {
  return events.flatMap(([before, kind, subject, up, changes]) =>
    kind === 'carrier' || kind === 'adjacency' || kind === 'session'
      ? [{ agoMs: Math.max(0, Math.round(nowMs - atMs + before)), kind, subject, up: up === 1, changes }]
      : [],
  );
}

/** Single probes are lost on every network: what counts is more than that, and more than one in two hundred. */
const STRAYS = 2;
const LOSSY_RATE = 0.005;

function isLossy(sent: number, lost: number): boolean {
  return lost > STRAYS && lost > sent * LOSSY_RATE;
}

type Time = { readonly ifname: string; readonly fromAgoMs: number; readonly untilAgoMs: number };

/** Each with the minutes beside it in which the same happened to the same interface; newest first. */
function createTimes<T extends Time>(sum: (one: T, other: T) => T): { add(time: T): void; done(): Rows<T> } {
  let all = new Map<string, T[]>();
  let [held, left] = [0, 0];
  const newest = () => [...all.values()].flat().sort((one, other) => one.untilAgoMs - other.untilAgoMs);
  /** What lies furthest back has no room, whatever is still to come. */
  const cut = (): readonly T[] => {
    const kept = newest().slice(0, MOST);
    left += held - kept.length;
    held = kept.length;
    all = Map.groupBy(kept.toReversed(), ({ ifname }) => ifname);
    return kept;
  };
  return {
    add(time) {
      const mine = all.get(time.ifname) ?? [];
      const last = mine.at(-1);
      if (last !== undefined && last.untilAgoMs - time.untilAgoMs <= 2 * MINUTE_MS) {
        mine[mine.length - 1] = { ...sum(last, time), untilAgoMs: time.untilAgoMs };
        return;
      }
      mine.push(time);
      all.set(time.ifname, mine);
      held += 1;
      if (held >= 2 * MOST) cut();
    },
    done: () => ({ rows: cut(), left }),
  };
}

type LinkMinute = MinuteRecord['links'][number];
type LinkSum = Omit<Remembered['links'][number], 'ifname' | 'medianUs'> & { readonly medians: number[] };

/** One number a minute is kept, for the median. */
function summed(before: LinkSum | undefined, [, sent, received, leastUs, medianUs, mostUs]: LinkMinute): LinkSum {
  const sum = before ?? { minutes: 0, sent: 0, lost: 0, leastUs: 0, mostUs: 0, medians: [] };
  const next = {
    ...{ ...sum, minutes: sum.minutes + 1, sent: sum.sent + sent, lost: sum.lost + sent - received },
  };
  // Nothing came back in this minute.
  if (leastUs <= 0) return next;
  sum.medians.push(medianUs);
  return {
    ...next,
    leastUs: sum.leastUs === 0 ? leastUs : Math.min(sum.leastUs, leastUs),
    mostUs: Math.max(sum.mostUs, mostUs),
  };
}

/** `medianUs` is the median of the minutes' medians. */
function linkOf(ifname: string, { medians, ...sum }: LinkSum): Remembered['links'][number] {
  const sorted = medians.toSorted((one, other) => one - other);
  return { ifname, ...sum, medianUs: sorted[sorted.length >> 1] ?? 0 };
}
