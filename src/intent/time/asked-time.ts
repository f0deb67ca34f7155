// Time in a question, as words: which stretch of it they name, under a name that stands for it (`10m`, `last-night`, `since-14:00`, `past`),
// and the words that name it again. Knows no clock: a span is made of it where the asked node's clock is (span.ts).

import { isHalf, partsOf, together } from './day-and-clock.ts';
import { CLOCK, clockOf, HOUR_RANGE, hourRangeOf } from './said-clock.ts';

/** What was found at a place: its name, how many words it took, and whether it is a length of time that need not be past. */
export type TimeFound = { readonly when: string; readonly words: number; readonly isLength: boolean };

const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{
    eleven: 11,
    twelve: 12,
    fifteen: 15,
    twenty: 20,
    thirty: 30,
    forty: 40,
    sixty: 60,
    ninety: 90,
    few: 5,
    'a few': 5,
  },
  ...{ couple: 2, 'a couple of': 2, 'couple of': 2, half: 0.5, 'half an': 0.5, 'half a': 0.5, several: 5 },
  ...{ 'a quarter of an': 0.25, 'quarter of an': 0.25, quarter: 0.25 },
};
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 604_800_000],
  [/^months?$/, 2_592_000_000],
];
const AMOUNT = `(\\d{1,4}(?:\\.\\d{1,2})?|${Object.keys(NUMBERS)
  .sort((one, other) => other.length - one.length)
  .join('|')})`;
const UNIT = '(seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|[smhdw])';
const SHORT = '(\\d{1,4}(?:\\.\\d{1,2})?)(s|secs?|m|mins?|h|hrs?|d|w)';
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const PART = '(?:morning|afternoon|evening|night)';
/** Says only that none of it is left out. */
const WHOLE = '(?:through |during |for )?(?:all|the whole|the entire|whole|entire)';
/** Behind a time of day; any other zone is a word that is not known. */
const ZONE = '( ?(?:utc|gmt|z|zulu))?';

type Maker = (found: readonly (string | undefined)[]) => string | undefined;

const LENGTH: Maker = ([, amount, unit]) => lengthName(amount, unit);

/** Stands for what has not come yet, of which no answer says anything. */
export const FUTURE = 'future';

/** Each begins where a word does; the first that fits is taken. */
const ROWS: readonly (readonly [RegExp, Maker, isLength?: true])[] = [
  [row(`(?:(?:for|in|within|over|during) )?(?:the )?next (?:(?:${AMOUNT} )?${UNIT}|${SHORT})`), () => FUTURE],
  // "In the last week" is seven days and "in the last month" thirty; "last week" is the one before this.
  [row('last (week|month)'), ([, unit]) => `last-${unit}`],
  [
    row(`(?:(?:in|within|over|during|for|since|from|of) )?(?:the )?(?:last|past|previous) (?:${AMOUNT} )?${UNIT}`),
    LENGTH,
  ],
  [row(`(?:(?:in|within|over|during|for|since|from|of) )?(?:the )?(?:last|past|previous) ${SHORT}`), LENGTH],
  [row(`(?:since |from |from about |about |around )?${AMOUNT} ${UNIT} ago`), LENGTH],
  [row(`(?:since |from )?${SHORT} ago`), LENGTH],
  [row(`since (?:about )?${AMOUNT} ${UNIT}`), LENGTH],
  [row(`since ${SHORT}`), LENGTH],
  [row(`(?:for|within|in|over|during) (?:the )?${AMOUNT} ${UNIT}`), LENGTH, true],
  [row(`(?:for|within|in|over|during) (?:the )?${SHORT}`), LENGTH, true],
  [row(SHORT), LENGTH],
  [row(HOUR_RANGE), hourRangeOf],
  [
    row(`(?:from |between |approx |around |about )?${CLOCK} ?[-–] ?${CLOCK}${ZONE}`),
    ([, from, to, zone]) => both([undefined, from, zone, to, zone]),
  ],
  [row(`between ${CLOCK}${ZONE} (?:and|to) ${CLOCK}${ZONE}`), (found) => both(found)],
  [row(`from ${CLOCK}${ZONE} (?:to|until|till) ${CLOCK}${ZONE}`), (found) => both(found)],
  [
    row(
      `(?:ever since|since about|since around|since|after|from|starting at|starting from|starting|beginning at|as of|onwards from|from about|from around) ${CLOCK}${ZONE}(?: today)?(?: onwards?| on)?(?! \\d)`,
    ),
    ([, clock, zone]) => clockName('since', clock, zone),
  ],
  [
    row(`(?:at|around|about|at about|at around|about at) ${CLOCK}${ZONE}(?: today)?`),
    ([, clock, zone]) => clockName('at', clock, zone),
  ],
  [row('(?:since|after|from) (\\d{4}-\\d{2}-\\d{2})'), ([, date]) => dateName('since', date)],
  [row('(?:on |at )?(\\d{4}-\\d{2}-\\d{2})'), ([, date]) => dateName('on', date)],
  [row(`(?:since|from) (last )?(${DAY})`), ([, last, day]) => `since-${dayName(last, day)}`],
  [
    row(
      `(?:since|ever since|from(?=.* (?:on(?= [,.?!]|$)|(?:onwards?|until|till|to now)(?: |$)))) (yesterday ${PART}|yesterday|the day before yesterday|last night|last week|this morning|this afternoon|this evening|this week|the weekend|last weekend)`,
    ),
    ([, day]) => `since-${weekendless(day!)}`,
  ],
  [
    row(
      '(?:since |from )(?:today|the start of the day)|(?:earlier |over the course of |during |for )?today|so far today|earlier in the day',
    ),
    () => 'today',
  ],
  [
    row(
      `(?:earlier |from )?(this (?:morning|afternoon|evening|week|month)|yesterday ${PART}|last (?:night|week|month|evening))`,
    ),
    ([, day]) => named(day!),
  ],
  [row(`${WHOLE} day(?: long)? (today|yesterday)`), ([, day]) => day],
  [row(`${WHOLE} day(?: long)? (?:on )?(last )?(${DAY})`), ([, last, day]) => dayName(last, day)],
  [row(`${WHOLE} (morning|afternoon|evening)(?: long)? today`), ([, part]) => `this-${part}`],
  [row(`${WHOLE} (${PART})(?: long)? yesterday`), ([, part]) => `yesterday-${part}`],
  [
    row(`${WHOLE} (${PART})(?: long)? (?:on )?(last )?(${DAY})`),
    ([, part, last, day]) => partName(dayName(last, day), part),
  ],
  [row(`yesterday ${WHOLE} day(?: long)?`), () => 'yesterday'],
  [row(`(?:on )?(last )?(${DAY}) ${WHOLE} day(?: long)?`), ([, last, day]) => dayName(last, day)],
  [row('(?:through |during )?(?:all|the whole|the entire) night(?: long)?'), () => 'last-night'],
  [
    row('(?:through |during )?(?:all|the whole|the entire) (morning|afternoon|evening|week|month)(?: long)?'),
    ([, part]) => `this-${part}`,
  ],
  [row('(?:all|the whole|the entire) day(?: long)?'), () => 'today'],
  [row(`(?:in|during|over) the (morning|afternoon|evening)`), ([, part]) => `this-${part}`],
  [row('(?:on )?(?:the )?day before yesterday'), () => 'day-before-yesterday'],
  [row('(?:during |in |on )?(?:the )?night before last'), () => 'night-before-last'],
  [row('(?:during |in |over |through )?the night|this night|overnight'), () => 'last-night'],
  [row('(?:from )?yesterday|the day yesterday|during yesterday'), () => 'yesterday'],
  [
    row(`(?:on |during )?(last |this )?(${DAY}) (${PART})`),
    ([, last, day, part]) => partName(dayName(last, day), part),
  ],
  [row('(?:over|during|on|at|in)? ?(?:the |this |last )?weekend'), () => 'weekend'],
  [row(`(?:on )?(last |this )?(${DAY})`), ([, last, day]) => dayName(last, day)],
  [
    row(
      'as far back as is remembered|as far back as known|(?:since|from|at|as of) (?:when|which|what) (?:time|hour|day|date|moment)|what time|since when|since how long|since ever|all the time|how often|in the past|historically|some time ago|a while ago|a moment ago|at some point',
    ),
    () => 'past',
  ],
  // Only beside a day.
  [row(`${CLOCK}${ZONE}`), ([, clock, zone]) => clockName('clock', clock, zone)],
  [row('(?:between|from) (\\d{1,2}) (?:and|to|until|till) (\\d{1,2})'), ([, from, to]) => `hours-${from}-${to}`],
  [row('(?:at|around|about|at about|at around) (\\d{1,2})'), ([, hour]) => `hour-${hour}`],
];

/** What begins with the first of these words, a day and a time of day together; they are in lower case. */
export function timeAt(words: readonly string[]): TimeFound | undefined {
  const first = phraseAt(words);
  if (first === undefined) return undefined;
  const second = phraseAt(words.slice(first.words));
  const when = second === undefined ? undefined : together(first.when, second.when);
  if (second !== undefined && when !== undefined) return { when, words: first.words + second.words, isLength: false };
  return isHalf(first.when) ? undefined : first;
}

function phraseAt(words: readonly string[]): TimeFound | undefined {
  const text = words.slice(0, MOST_WORDS).join(' ');
  for (const [pattern, make, isLength] of ROWS) {
    const found = pattern.exec(text);
    const when = found === null ? undefined : make(found);
    if (found === null || when === undefined) continue;
    return { when, words: found[0].trim().split(' ').length, isLength: isLength === true };
  }
  return undefined;
}

/** Words of time that may be misspelled. */
export const TIME_WORDS: readonly string[] = (
  'today yesterday morning afternoon evening night tonight week month weekend since last hour hours minute minutes day days ago ' +
  'monday tuesday wednesday thursday friday saturday sunday overnight midnight noon earlier'
).split(' ');

/** A day, a month, a part of a day, or a date: "nights", "november", "25th". */
export function isTimeWord(low: string): boolean {
  return TIME_WORDS.some((word) => low === word || low === `${word}s`) || CALENDAR.test(low);
}

const CALENDAR =
  /^(?:\d{1,2}(?:st|nd|rd|th)|(?:january|february|april|june|july|august|september|october|november|december)|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|(?:hourly|daily|nightly|weekly|monthly|quarter|years?))$/;

/** Words in the longest phrase of time. */
const MOST_WORDS = 9;

/** Ends the name of a time of day that is not by the asked node's own clock. */
const UTC = '-utc';

/** The name without its zone, and whether the zone is UTC. */
export function zoneOf(when: string): { readonly name: string; readonly isUtc: boolean } {
  return when.endsWith(UTC) ? { name: when.slice(0, -UTC.length), isUtc: true } : { name: when, isUtc: false };
}

/** `in the last 10 minutes`, `since 14:00`: read again it is the same time. */
export function timeWords(when: string): string {
  const { name, isUtc } = zoneOf(when);
  const { clock, day } = partsOf(name) ?? { clock: name };
  const words = isUtc ? `${wordsFor(clock)} UTC` : wordsFor(clock);
  return day === undefined ? words : `${words} ${/^\d/.test(day) ? `on ${day}` : wordsFor(day)}`;
}

function wordsFor(when: string): string {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(when) ?? [];
  if (unit !== undefined) return `in the last ${count} ${LONG_UNITS[unit]}${count === '1' ? '' : 's'}`;
  if (when === 'past') return 'as far back as is remembered';
  if (when === 'weekend') return 'over the weekend';
  if (when === 'since-weekend') return 'since the weekend';
  if (new RegExp(`^${DAY}$`).test(when)) return `on ${when}`;
  const [, from, to] = /^between-([\d:]+)-([\d:]+)$/.exec(when) ?? [];
  if (to !== undefined) return `between ${from} and ${to}`;
  const [, word, date] = /^(on|since)-(\d{4}-\d{2}-\d{2})$/.exec(when) ?? [];
  return date === undefined ? when.replaceAll('-', ' ') : `${word} ${date}`;
}

const LONG_UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };

/** Milliseconds of a length such as `10m`; undefined for any other time. */
export function lengthMs(when: string): number | undefined {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(when) ?? [];
  const scale = UNITS.find(([pattern]) => pattern.test(unit ?? ''))?.[1];
  return scale === undefined ? undefined : Number(count) * scale;
}

/** `90s`, `10m`, `2h`, `1d`: the greatest unit of which there is a whole number. */
export function lengthOf(ms: number): string {
  const [name, scale] = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['m', 60_000],
    ] as const
  ).find(([, each]) => ms % each === 0) ?? ['s', 1_000];
  return `${Math.round(ms / scale)}${name}`;
}

function lengthName(amount = 'one', unit = ''): string | undefined {
  const scale = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
  const count = NUMBERS[amount] ?? Number(amount);
  return scale === undefined || !(count > 0) ? undefined : lengthOf(count * scale);
}

function clockName(word: string, typed: string | undefined, zone?: string): string | undefined {
  const clock = clockOf(typed);
  return clock === undefined ? undefined : `${word}-${clock}${zone === undefined ? '' : UTC}`;
}

/** A zone behind the first time alone is of that one only: what the other is in was not said. */
function both([, from, fromZone, to, zone]: readonly (string | undefined)[]): string | undefined {
  const [one, other] = [clockOf(from), clockOf(to)];
  if (one === undefined || other === undefined || (fromZone !== undefined && zone === undefined)) return undefined;
  return `between-${one}-${other}${zone === undefined ? '' : UTC}`;
}

/** "Thursday night" begins on Thursday. */
function partName(day: string, part = ''): string {
  const hours: Readonly<Record<string, string>> = {
    ...{ morning: '00:00-12:00', afternoon: '12:00-18:00', evening: '18:00-00:00', night: '18:00-06:00' },
  };
  return `between-${hours[part]}-on-${day}`;
}

/** Said on a Friday, "last Friday" is a week ago. */
function dayName(last: string | undefined, day = ''): string {
  return last === 'last ' ? `last-${day}` : day;
}

function dateName(word: string, date: string | undefined): string | undefined {
  return date === undefined || Number.isNaN(Date.parse(`${date}T00:00:00Z`)) ? undefined : `${word}-${date}`;
}

function named(day: string): string {
  return day === 'last evening' ? 'yesterday-evening' : day.replaceAll(' ', '-');
}

function weekendless(day: string): string {
  return named(day.replace(/^(?:the|last) weekend$/, 'weekend').replace(/^the /, ''));
}

function row(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})(?= |$)`);
}
