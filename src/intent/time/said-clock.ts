// Times of day as they are typed and as they are said: "14:00", "2 pm", "half past two", "4 in the morning", "three fifteen".

const HOURS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const MINUTES: Readonly<Record<string, number>> = {
  ...{ 'oh five': 5, 'o five': 5, ten: 10, fifteen: 15, twenty: 20, 'twenty five': 25, thirty: 30 },
  ...{ 'thirty five': 35, forty: 40, 'forty five': 45, fifty: 50, 'fifty five': 55 },
};
const SAID_MINUTES = Object.keys(MINUTES)
  .sort((one, other) => other.length - one.length)
  .join('|');

export const CLOCK =
  "(\\d{1,2}:\\d{2}|\\d{1,2} ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock|uhr)|(?:[01]?\\d|2[0-3])h[0-5]\\d|midnight|noon|" +
  `(?:${HOURS}|\\d{1,2}) (?:in the (?:morning|afternoon|evening)|at night)|(?:${HOURS}) (?:o'clock|am|pm)|(?:${HOURS}) (?:${SAID_MINUTES})(?: am| pm)?|` +
  '(?:half past|(?:a )?quarter past|(?:a )?quarter to) (?:\\d{1,2}|[a-z]{3,6}))';

/** "Between 1 and 2 pm": what is said behind the second is of both. */
export const HOUR_RANGE =
  '(?:between|from) (\\d{1,2})(?::00)? (?:and|to|until|till) (\\d{1,2}) ?(am|pm|in the morning|in the afternoon|in the evening)';

export function hourRangeOf([, from = '', to = '', half = '']: readonly (string | undefined)[]): string | undefined {
  const ends = clockOf(`${to} ${half}`);
  // "From 11 to 1 pm" begins in the morning.
  const isSame = Number(from) % 12 < Number(to) % 12 || Number(to) % 12 === 0;
  const begins = clockOf(isSame ? `${from} ${half}` : `${from} ${/^(?:am|in the morning)$/.test(half) ? 'pm' : 'am'}`);
  return begins === undefined || ends === undefined ? undefined : `between-${begins}-${ends}`;
}

/** `HH:MM`; undefined for a time of day that there is not. */
export function clockOf(typed = ''): string | undefined {
  const said = saidClockOf(typed);
  if (said !== undefined) return clockOf(said);
  if (typed === 'noon') return '12:00';
  if (typed === 'midnight') return '00:00';
  const [, hour = '', minute = '00', half = ''] = /^(\d{1,2})(?:[:h](\d{2}))? ?([ap]?)/.exec(typed) ?? [];
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half === 'p' ? 12 : 0);
  const isTime =
    hour !== '' && hours <= 23 && Number(minute) <= 59 && (half === '' || (Number(hour) >= 1 && Number(hour) <= 12));
  return isTime ? `${String(hours).padStart(2, '0')}:${minute}` : undefined;
}

/** "Half past two", "quarter to three": the hour as a number, and the minutes. */
function saidClockOf(typed: string): string | undefined {
  const [, word = '', part = ''] =
    /^(\w+) (in the (?:morning|afternoon|evening)|at night|o'clock|am|pm)$/.exec(typed) ?? [];
  const number = numberOf(word);
  if (part !== '' && number !== undefined && !(/^\d/.test(word) && /^(?:o'clock|am|pm)$/.test(part)))
    return part === "o'clock" ? `${number}:00` : halfOf(number, part);
  const [, hour = '', said = '', half = ''] =
    new RegExp(`^(${HOURS}) (${SAID_MINUTES})(?: (am|pm))?$`).exec(typed) ?? [];
  const [at, minutes] = [numberOf(hour), MINUTES[said]];
  if (at !== undefined && minutes !== undefined) return `${at}:${String(minutes).padStart(2, '0')} ${half}`.trim();
  const [, side, word2 = ''] = /^(half past|(?:a )?quarter past|(?:a )?quarter to) (\w+)$/.exec(typed) ?? [];
  const past = numberOf(word2);
  if (side === undefined || past === undefined || past < 1 || past > 23) return undefined;
  if (side === 'half past') return `${past}:30`;
  return side.endsWith('past') ? `${past}:15` : `${past - 1}:45`;
}

/** "4 in the morning", "2 at night", "11 at night". */
function halfOf(hour: number, part: string): string | undefined {
  if (hour < 1 || hour > 12) return undefined;
  const isMorning = part === 'am' || part === 'in the morning' || (part === 'at night' && hour % 12 < 6);
  return `${hour} ${isMorning ? 'am' : 'pm'}`;
}

function numberOf(word: string): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  const at = HOURS.split('|').indexOf(word);
  return at < 0 ? undefined : at + 1;
}
