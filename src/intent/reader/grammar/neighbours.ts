// Words that say nothing of their own pass only beside words of certain classes: "loss rate" and not "rate loss", "suffers from loss" and not "the
// suffers". In any other place such a word says something, of which it is not known what.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { type Sign, signsOf } from './signs.ts';

/** For each class, what may stand before it and behind it; `!` before all that may not. Words that may stand anywhere are passed over. A class without a row stands beside any. */
const BESIDE: Readonly<Record<Sign, readonly [before: string, behind: string]>> = {
  // "Heavy loss", "our beautiful network", "how much", "is the loss high".
  J: ['!FGC', '!QLHFaGgYBD'],
  a: ['!FaGC', 'TKJMENSVCUa'],
  // "Team, p2 is down", "you network guys".
  G: ['^GOPN', '^GOAWVYPHN'],
  U: ['!SQFGgKCMEID', '!SQFJaGgM'],
  // "My boss wants to know".
  g: ['^PWRAHYOU', '^YADXBIW'],
  K: ['!FGgC', '!SHaGUgCMY'],
  // "Ticket 4711: …", "priority: 2".
  C: ['^UQCOLZa', '^QCYLZ'],
  // "Loss rate", "in one direction", "the amount of loss".
  M: ['!ZLFGUgEYI', 'R^ZANXMJVWK'],
  // "The reason for the loss", "any idea why p2 is down".
  E: ['!NTFGgKMI', 'R^WALNSPZVXOE'],
  Y: ['!FJaGB', '!aCD'],
  B: ['!QFaGCBD', '!HaGUgCYD'],
  I: ['!FaGCD', '!HaGgCD'],
  D: ['!QHFJaGCMYBID', '!SLaGUgCYBID'],
};

export function misplacedIn(items: readonly Item[]): Refusal | undefined {
  const at = misplacedAt(items);
  const item = at === undefined ? undefined : items[at];
  if (item?.kind !== 'meaning') return undefined;
  return {
    reason: 'unclear',
    words: `"${item.text}" where it stands, of which it is not known what it says: say what is asked, and leave out the rest`,
  };
}

/** Of the ways to read each word as one of its classes, one must fit from the start to the end; the word at which the last one fails. */
function misplacedAt(items: readonly Item[]): number | undefined {
  let open: readonly Sign[] = ['^'];
  let last = -1;
  for (const [at, item] of items.entries()) {
    const signs = signsOf(item);
    if (signs.includes('')) continue;
    const next = signs.filter((sign) => open.some((before) => fits(before, sign)));
    if (next.length === 0) return isOwn(items[at]) ? at : last;
    open = next;
    last = at;
  }
  return open.some((before) => fits(before, '^')) ? undefined : last;
}

/** An opener opens and closes anything. */
function fits(before: Sign, behind: Sign): boolean {
  if (before === 'O' || behind === 'O') return true;
  return allows(BESIDE[before]?.[1], behind) && allows(BESIDE[behind]?.[0], before);
}

function allows(signs: string | undefined, sign: Sign): boolean {
  if (signs === undefined) return true;
  return signs.startsWith('!') !== signs.includes(sign);
}

function isOwn(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'empty';
}
