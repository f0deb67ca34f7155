// Time in a question: "in the last two minutes", "an hour ago", "since 10 minutes". Recognises spans that end now, and nothing
// else; a time of day is not understood.

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

/** The text without its span of time, and how long before now that begins. */
export function withoutTime(text: string): { readonly rest: string; readonly sinceMs?: number } {
  const found = SPAN.exec(text);
  const unit = found?.[2] ?? found?.[4];
  const scale = UNITS.find(([pattern]) => pattern.test(unit ?? ''))?.[1];
  if (found === null || scale === undefined) return { rest: text };
  const word = (found[1] ?? found[3] ?? 'one').toLowerCase();
  const amount = WORDS[word] ?? Number(word);
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
  return { rest: rest.replace(/\s+/g, ' ').trim(), sinceMs: Math.round(amount * scale) };
}
