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

/** "since 10:15" is about now: what began then is still so. */
const CLOCK_TIME =
  /\b(?:(?:at|around|about|until|before|after|between)\s+(?:\d{1,2}:\d{2}(?![\w:])|\d{1,2}\s*(?:am|pm|o'clock))|(?<!since\s)(?:yesterday|last\s+(?:night|evening|morning|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day))|(?:\d{1,3}|two|three|four|five|six|seven|a\s+few)\s+(?:days|weeks)\s+ago)\b/i;

/** The words that name a time of day or a day. */
export function clockTimeIn(text: string): string | undefined {
  return CLOCK_TIME.exec(text)?.[0];
}

/** The text without its span of time, and how long before now that begins. */
export function withoutTime(text: string): { readonly rest: string; readonly sinceMs?: number } {
  const found = SPAN.exec(text);
  const unit = found?.[2] ?? found?.[4];
  const scale = UNITS.find(([pattern]) => pattern.test(unit ?? ''))?.[1];
  if (found === null || scale === undefined) return { rest: text };
  // "from m to s" names nodes: a letter alone is a unit only behind a number, or behind "last".
  if (unit!.length === 1 && (found[1] ?? found[3]) === undefined && !/\b(?:last|past|previous)\b/i.test(found[0]))
    return { rest: text };
  const word = (found[1] ?? found[3] ?? 'one').toLowerCase();
  const amount = WORDS[word] ?? Number(word);
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
  return { rest: rest.replace(/\s+/g, ' ').trim(), sinceMs: Math.round(amount * scale) };
}
