// A day and a time of day that are said together, as one time: "between 02:00 and 04:00 yesterday", "since Monday 8pm". A part of a day becomes the
// day that the time of day is on; a time that is not in that part is no time. Of today the name is that of the time of day alone.

/** Names of times of day that mean nothing without a day: `clock-18:00`, and hours without minutes, `hour-2`, `hours-2-4`. */
const CLOCK = /^(at|since|between|clock)-(\d{2}:\d{2})(?:-(\d{2}:\d{2}))?(-utc)?$/;
const HOURS = /^hours?-(\d{1,2})(?:-(\d{1,2}))?$/;
const DAY =
  /^(since-)?(?:on-)?(today|yesterday|(?:last-)?(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d{2}-\d{2})$/;
const PART = /^(since-)?(last-night|this-(?:morning|afternoon|evening)|yesterday-(?:morning|afternoon|evening|night))$/;

/** Hours of the day that the part is named after; a night goes on into the next. */
const PARTS: Readonly<Record<string, readonly [from: number, until: number]>> = {
  ...{ morning: [0, 12], afternoon: [12, 18], evening: [17, 24], night: [18, 30] },
};

/** True for the name of a time that needs another beside it. */
export function isHalf(when: string): boolean {
  return /^(?:clock|hours?)-/.test(when);
}

/** `since-18:00-on-yesterday`; undefined for two times that are not a day and a time of day. */
export function together(one: string, other: string): string | undefined {
  return onDay(one, other) ?? onDay(other, one);
}

/** `on-yesterday` without its time of day, and that. */
export function partsOf(when: string): { readonly clock: string; readonly day: string } | undefined {
  const [, clock, day] = /^((?:at|since|between)-[\d:-]+?)-on-(.+)$/.exec(when) ?? [];
  return clock === undefined || day === undefined ? undefined : { clock, day };
}

function onDay(day: string, time: string): string | undefined {
  const [, since, named] = DAY.exec(day) ?? [];
  if (named !== undefined) {
    const [, word = '', from = '', to, zone = ''] = CLOCK.exec(time) ?? [];
    return from === '' ? undefined : nameOf(word, [from, to], named, { isSince: since !== undefined, zone });
  }
  const [, sincePart, part] = PART.exec(day) ?? [];
  return part === undefined ? undefined : inPart(part, time, sincePart !== undefined);
}

/** "At 3 last night" is today, "at 23:00 last night" yesterday. */
function inPart(part: string, time: string, isSince: boolean): string | undefined {
  const range = PARTS[part.split('-')[1]!];
  const [, word = '', from = '', to, zone = ''] = CLOCK.exec(time) ?? [];
  const [, hour, hourTo] = HOURS.exec(time) ?? [];
  if (range === undefined || (from === '' && hour === undefined)) return undefined;
  const begins = hour === undefined ? hoursIn(range, from) : bareIn(range, Number(hour));
  const ends = hour === undefined ? to : hourTo === undefined ? undefined : clockOf(bareIn(range, Number(hourTo)));
  if (begins === undefined || (hourTo !== undefined && ends === undefined)) return undefined;
  const isDayBefore = part.startsWith('yesterday-') || part === 'last-night';
  const day = isDayBefore && begins < 24 ? 'yesterday' : 'today';
  const said = hour === undefined ? word : hourTo === undefined ? 'at' : 'between';
  return nameOf(said, [clockOf(begins)!, ends], day, { isSince, zone });
}

function nameOf(
  word: string,
  [from, to]: readonly [string, string | undefined],
  day: string,
  { isSince, zone }: { readonly isSince: boolean; readonly zone: string },
): string | undefined {
  // "Between 02:00 and 04:00 since yesterday" is neither.
  if (isSince && word === 'between') return undefined;
  const said = isSince ? 'since' : word === 'clock' ? 'at' : word;
  const clock = to === undefined ? from : `${from}-${to}`;
  return day === 'today' ? `${said}-${clock}${zone}` : `${said}-${clock}-on-${day}${zone}`;
}

/** Hours since the midnight before the part, where the time is in it. */
function hoursIn([from, until]: readonly [number, number], clock: string): number | undefined {
  const hours = Number(clock.slice(0, 2)) + Number(clock.slice(3)) / 60;
  return [hours, hours + 24].find((each) => each >= from && each < until);
}

/** An hour of twelve. */
function bareIn([from, until]: readonly [number, number], hour: number): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return [hour % 12, (hour % 12) + 12, (hour % 12) + 24].find((each) => each >= from && each <= until);
}

function clockOf(hours: number | undefined): string | undefined {
  if (hours === undefined) return undefined;
  const ofDay = hours % 24;
  const minutes = Math.round((ofDay % 1) * 60);
  return `${String(Math.floor(ofDay)).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
