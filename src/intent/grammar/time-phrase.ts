// Time in a question: "in the last two minutes", "an hour ago", "since 10 minutes". Recognises spans that end now; times of day and days
// of a calendar only to say that they mean nothing here, since no two clocks are compared.

const WORDS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{
    fifteen: 15,
    twenty: 20,
    thirty: 30,
    few: 5,
    'a few': 5,
    'a couple of': 2,
    couple: 2,
    'half an': 0.5,
    'half a': 0.5,
  },
};
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?)$/i, 1_000],
  [/^(?:m|mins?|minutes?)$/i, 60_000],
  [/^(?:h|hrs?|hours?)$/i, 3_600_000],
];
const AMOUNT = `(?:(\\d{1,4}|${Object.keys(WORDS)
  .sort((one, other) => other.length - one.length)
  .join('|')})\\s*)?`;
const UNIT = '(seconds?|secs?|minutes?|mins?|hours?|hrs?|[smh])';
const SPAN = new RegExp(
  `\\b(?:(?:in|within|over|during|for|since|from)\\s+(?:the\\s+)?(?:last|past|previous)?\\s*${AMOUNT}${UNIT}(?:\\s+ago)?|${AMOUNT}${UNIT}\\s+ago)\\b`,
  'i',
);

/** A span that says itself that it is over; any other is a duration unless the sentence tells of what was. */
const SAYS_PAST = /\b(?:last|past|previous|ago|since|from)\b/i;
const TELLS =
  /\b(?:was|were|did|had|has|have|been|broke|broken|went|gone|happened|dropped|lost|failed|changed|fla(?:p|pped|pping|ps)|down)\b/i;
const ORDERS = /^(?:please\s+)?(?:verify|measure|check|test|probe|ping|run|send|watch)\b/i;

/** "since 10:15" is about now: what began then is still so. */
const CLOCK_TIME =
  /\b(?:(?:at|around|about|until|before|after|between)\s+(?:\d{1,2}:\d{2}(?![\w:])|\d{1,2}\s*(?:am|pm|o'clock))|(?<!since\s)(?:yesterday|last\s+(?:night|evening|morning|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day))|(?:\d{1,3}|two|three|four|five|six|seven|a\s+few)\s+(?:days|weeks)\s+ago)\b/i;

const SINCE_CLOCK_TIME = /\bsince\s+(?:\d{1,2}:\d{2}(?![\w:])|\d{1,2}\s*(?:am|pm|o'clock)\b)/i;

const TIME_OF_DAY =
  /\b(?:(?:since|from|after)\s+(?:(\d{1,2}):(\d{2})(?![\w:])|(\d{1,2})\s*(am|pm)\b|(midnight|noon)\b)|(?:since\s+)?(today)\b)/i;

/** `since 14:00`, `since 2 pm`, `today`: the time of day as `HH:MM`, and the text without it. */
export function timeOfDayIn(text: string): { readonly rest: string; readonly sinceClock: string } | undefined {
  const found = TIME_OF_DAY.exec(text);
  if (found === null) return undefined;
  const [, hour, minute = '00', twelve, half, word] = found;
  // "today", as well as "midnight", is since 00:00.
  const ofWord = word?.toLowerCase() === 'noon' ? 12 : 0;
  const ofHalf = (Number(twelve) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const hours = hour !== undefined ? Number(hour) : twelve !== undefined ? ofHalf : ofWord;
  if (hours > 23 || Number(minute) > 59 || Number(twelve ?? 1) > 12 || twelve === '0') return undefined;
  return { rest: without(text, found), sinceClock: `${String(hours).padStart(2, '0')}:${minute}` };
}

const DAYS = new RegExp(
  `\\b(?:(?:in|within|over|during|for|since)\\s+)?(?:the\\s+)?(?:(?:last|past|previous)\\s+${AMOUNT}(day|week)s?|${AMOUNT}(day|week)s?\\s+ago)\\b`,
  'i',
);
const DAY_MS = 86_400_000;

/** `in the last two days`, `a week ago`: how long ago it began, and the text without it. */
export function daysIn(text: string): { readonly rest: string; readonly sinceMs: number } | undefined {
  const found = DAYS.exec(text);
  if (found === null) return undefined;
  const lengthMs = (found[2] ?? found[4])!.toLowerCase() === 'week' ? 7 * DAY_MS : DAY_MS;
  return { rest: without(text, found), sinceMs: Math.round(amountOf(found[1] ?? found[3]) * lengthMs) };
}

/** The words that name a time of day or a day. */
export function clockTimeIn(text: string): string | undefined {
  return CLOCK_TIME.exec(text)?.[0];
}

/**
 * The text without its span of time, and how long before now that begins; without the time of day since when something is so. How long
 * something is to be measured, or takes, is no time of the past.
 */
export function withoutTime(typed: string): { readonly rest: string; readonly sinceMs?: number } {
  const text = typed.replace(SINCE_CLOCK_TIME, ' ').replace(/\s+/g, ' ').trim();
  const found = SPAN.exec(text);
  const unit = found?.[2] ?? found?.[4];
  const scale = UNITS.find(([pattern]) => pattern.test(unit ?? ''))?.[1];
  if (found === null || scale === undefined) return { rest: text };
  // "from m to s" names nodes: a letter alone is a unit only behind a number, or behind "last".
  if (unit!.length === 1 && (found[1] ?? found[3]) === undefined && !/\b(?:last|past|previous)\b/i.test(found[0]))
    return { rest: text };
  const rest = without(text, found);
  const isPast = SAYS_PAST.test(found[0]) || (TELLS.test(text) && !ORDERS.test(text));
  return isPast ? { rest, sinceMs: Math.round(amountOf(found[1] ?? found[3]) * scale) } : { rest };
}

/** Of "the last hour" it is one. */
function amountOf(word = 'one'): number {
  return WORDS[word.toLowerCase()] ?? Number(word);
}

function without(text: string, found: RegExpExecArray): string {
  return `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`.replace(/\s+/g, ' ').trim();
}
