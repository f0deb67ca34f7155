// The stretch of time that a question names, by the asked node's own clock and time zone: how long ago it began and ended. Nodes tell how long
// ago something was, so that no two clocks are compared. Pure: the time is an argument.
import { INTENT_LIMITS } from '../limits.ts';
import { lengthMs, zoneOf } from './asked-time.ts';
import { partsOf } from './day-and-clock.ts';

export type Span = { readonly sinceMs: number; readonly untilMs?: number };

export type LocalTime = {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** How far local time is ahead of UTC, minutes. */
  readonly offsetMinutes: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** "At 3 am" is a quarter of an hour to either side. */
const AROUND_MS = 15 * MINUTE_MS;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** From and until in hours of the day that began at local midnight; of a night the day before. */
const PARTS: Readonly<Record<string, readonly [from: number, until: number]>> = {
  today: [0, 24],
  'this-morning': [0, 12],
  'this-afternoon': [12, 18],
  'this-evening': [18, 24],
  yesterday: [-24, 0],
  'yesterday-morning': [-24, -12],
  'yesterday-afternoon': [-12, -6],
  'yesterday-evening': [-6, 0],
  'yesterday-night': [-6, 6],
  'last-night': [-6, 6],
  'day-before-yesterday': [-48, -24],
  'night-before-last': [-30, -18],
};

/** Undefined for a name that stands for no time, and for a date that has not come. */
export function spanOf(asked: string, { nowMs, offsetMinutes }: LocalTime): Span | undefined {
  const { name: when, isUtc } = zoneOf(asked);
  const length = lengthMs(when);
  if (length !== undefined) return { sinceMs: length };
  if (when === 'past') return { sinceMs: INTENT_LIMITS.wholeMemoryMs };
  const localMs = nowMs + (isUtc ? 0 : offsetMinutes) * MINUTE_MS;
  const ofDayMs = ((localMs % DAY_MS) + DAY_MS) % DAY_MS;
  const parts = partsOf(when);
  const range =
    parts !== undefined
      ? onDay(parts, localMs, ofDayMs)
      : when.startsWith('since-')
        ? since(when.slice('since-'.length), localMs)
        : rangeOf(when, localMs, ofDayMs);
  if (range === undefined) return undefined;
  const [fromMs, untilMs] = range;
  if (fromMs > localMs && /\d{4}-\d{2}-\d{2}/.test(when)) return undefined;
  const sinceMs = Math.max(0, Math.round(localMs - fromMs));
  const endedMs = untilMs === undefined ? 0 : Math.max(0, Math.round(localMs - untilMs));
  return endedMs === 0 ? { sinceMs } : { sinceMs, untilMs: endedMs };
}

/** A time of day on a day; on a weekday that is today, and a time that has not come, it was a week ago. */
function onDay(
  { clock, day }: { readonly clock: string; readonly day: string },
  localMs: number,
  ofDayMs: number,
): Range | undefined {
  const start = rangeOf(/^\d/.test(day) ? `on-${day}` : day, localMs, ofDayMs)?.[0];
  const [, word, one = '', other = ''] = /^(at|since|between)-([\d:]+)(?:-([\d:]+))?$/.exec(clock) ?? [];
  const [from, until] = [clockMs(one), clockMs(other)];
  if (start === undefined || from === undefined) return undefined;
  const isAhead = start + from > localMs && DAYS.includes(day);
  const moment = start + from - (isAhead ? 7 * DAY_MS : 0);
  if (word === 'since') return [moment];
  if (word === 'at') return [moment - AROUND_MS, moment + AROUND_MS];
  return until === undefined ? undefined : [moment, moment + ((until - from + DAY_MS) % DAY_MS)];
}

type Range = readonly [fromMs: number, untilMs?: number];

function since(what: string, localMs: number): Range | undefined {
  const ofDayMs = ((localMs % DAY_MS) + DAY_MS) % DAY_MS;
  const clock = clockMs(what);
  if (clock !== undefined) return [localMs - ((ofDayMs - clock + DAY_MS) % DAY_MS)];
  const range = rangeOf(/^\d{4}-/.test(what) ? `on-${what}` : what, localMs, ofDayMs);
  return range === undefined ? undefined : [range[0]];
}

/** Local milliseconds. */
function rangeOf(when: string, localMs: number, ofDayMs: number): Range | undefined {
  const midnight = localMs - ofDayMs;
  const part = PARTS[when];
  if (part !== undefined) return [midnight + part[0] * HOUR_MS, midnight + part[1] * HOUR_MS];
  const weekday = new Date(midnight).getUTCDay();
  if (when === 'weekend') {
    const saturday = midnight - ((weekday + 1) % 7) * DAY_MS;
    return [saturday, saturday + 2 * DAY_MS];
  }
  const last = /^last-(\w+day)$/.exec(when)?.[1];
  const day = DAYS.indexOf(last ?? when);
  if (day >= 0) {
    const ago = (weekday - day + 7) % 7;
    const from = midnight - (last !== undefined && ago === 0 ? 7 : ago) * DAY_MS;
    return [from, from + DAY_MS];
  }
  const monday = midnight - ((weekday + 6) % 7) * DAY_MS;
  if (when === 'this-week') return [monday];
  if (when === 'last-week') return [monday - 7 * DAY_MS, monday];
  return monthOf(when, midnight) ?? clockRange(when, localMs, ofDayMs);
}

function monthOf(when: string, midnight: number): Range | undefined {
  const date = new Date(midnight);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  if (when === 'this-month') return [first];
  if (when === 'last-month') return [Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1), first];
  const onDate = /^on-(\d{4}-\d{2}-\d{2})$/.exec(when)?.[1];
  if (onDate === undefined) return undefined;
  const from = Date.parse(`${onDate}T00:00:00Z`);
  return Number.isNaN(from) ? undefined : [from, from + DAY_MS];
}

/** A time of day is the last one that there was. */
function clockRange(when: string, localMs: number, ofDayMs: number): Range | undefined {
  const at = clockMs(/^at-([\d:]+)$/.exec(when)?.[1] ?? '');
  if (at !== undefined) {
    const moment = localMs - ((ofDayMs - at + DAY_MS) % DAY_MS);
    return [moment - AROUND_MS, moment + AROUND_MS];
  }
  const [, one = '', other = ''] = /^between-([\d:]+)-([\d:]+)$/.exec(when) ?? [];
  const [from, until] = [clockMs(one), clockMs(other)];
  if (from === undefined || until === undefined) return undefined;
  const begins = localMs - ((ofDayMs - from + DAY_MS) % DAY_MS);
  return [begins, begins + ((until - from + DAY_MS) % DAY_MS)];
}

function clockMs(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  return minutes === undefined ? undefined : Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}
