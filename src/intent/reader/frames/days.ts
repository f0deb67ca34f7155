// "From yesterday" behind a state that lasts: "p2 is down from yesterday" is since then, "errors on p2 from yesterday" are those of that day.
import { ENDS_PRESENT } from '../../words/asking-words.ts';
import type { Item } from '../item.ts';
import { type Frame, isMeaning, isWord } from './parts.ts';

export const lasting: Frame = (items) =>
  items.some((item, at) => isDayFrom(items, item, at)) && isState(items)
    ? items.map((item, at) =>
        item.kind === 'time' && isDayFrom(items, item, at) ? { ...item, when: `since-${item.when}` } : item,
      )
    : items;

/** Days and parts of days of which there is a "since". */
const DAYS =
  /^(?:yesterday(?:-(?:morning|afternoon|evening|night))?|day-before-yesterday|last-night|last-week|this-(?:morning|afternoon|evening|week)|weekend)$/;

function isDayFrom(items: readonly Item[], item: Item, at: number): boolean {
  const isFrom = (each: Item | undefined) => isMeaning(each, 'role') && isWord(each, /^from$/);
  return item.kind === 'time' && DAYS.test(item.when) && (/^from /i.test(item.text) || isFrom(items[at - 1]));
}

/** What is so now, and not what happened, or a list of things. */
function isState(items: readonly Item[]): boolean {
  if (items.some((item) => isWord(item, OVER))) return false;
  return items.some(
    (item) =>
      ((isWord(item, ENDS_PRESENT) || isWord(item, GOES_ON)) && !isMeaning(item, 'show')) ||
      (isMeaning(item, 'topic', 'verb', 'not') && isWord(item, LASTS)),
  );
}

/** "Is the problem from this morning solved": what was. */
const OVER = /^(?:(?:what )?happen(?:s|ed)?(?: \w+)?|solved|resolved|fixed|recovered|over|gone away|cleared)$/;
const GOES_ON = /(?:^| )(?:been|cannot|has|have|keeps?|gets?)$|^(?:is|are|there is)(?: |$)/;
const LASTS =
  /(?:able|down|slow|dead|broken|offline|lossy|wrong|bad|ing|gone)$|^(?:cannot|loses?|drops|flaps|bounces|fails|reach|reaches)(?: |$)|^(?:drop|discards) (?:packets|frames|traffic)$/;
