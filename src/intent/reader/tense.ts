// Which stretch of time a question is about: the one that it names, the whole memory where its verbs speak of what was, or now.
import type { Topic } from '#model/intent.ts';
import { together } from '../time/day-and-clock.ts';
import type { Meaning } from '../words/meaning.ts';
import { isGood } from './complements.ts';
import { type Item, wordOf } from './item.ts';
import { thresholdOf } from './leftovers.ts';
import type { Refusal } from './slots.ts';

type Time = { readonly when?: string; readonly notUsed: readonly string[] };

/** A length of time that nothing says is past is how long something is to take: it changes nothing, and is named. */
export function timeIn(items: readonly Item[], meanings: readonly Meaning[], topic: Topic): Time | Refusal {
  const isPast = isOfPast(items, meanings, topic);
  const all = items.flatMap((item) => (item.kind === 'time' ? [item] : []));
  const longer = all.find(({ isLength, text }) => topic === 'uptime' && isLength && /^over (?!the )/i.test(text));
  if (longer !== undefined) return thresholdOf(longer.text);
  // "It was down for five minutes" is no time; "has been down for five minutes" is.
  const wasThen = items.some((item) => item.kind === 'meaning' && /^(?:was|were|did)$/.test(item.text));
  const times = all.filter(({ isLength, text }) => !isLength || (isPast && !(wasThen && /^for /i.test(text))));
  const notUsed = all.filter((item) => !times.includes(item)).map(({ text }) => text);
  const names = [...new Set(times.map(({ when }) => when))].filter(
    (when, _, every) => when !== 'past' || every.length === 1,
  );
  const both = names.length === 2 ? together(names[0]!, names[1]!) : undefined;
  if (both !== undefined) return { when: both, notUsed };
  if (names.length > 1)
    return {
      reason: 'unclear',
      words: `two times, "${times[0]!.text}" and "${times[1]!.text}": ask about one of them`,
    };
  const [when] = names;
  if (when !== undefined) return { when, notUsed };
  // Without a time, changes are those of a day; the last one may be older.
  const isWhole = topic === 'changes' ? items.some(isOfOne) : isPast;
  return isWhole ? { when: 'past', notUsed } : { notUsed };
}

function isOfPast(items: readonly Item[], meanings: readonly Meaning[], topic: Topic): boolean {
  // "Where is traffic lost" is about now, "p2 lost its neighbour" about what was.
  const isNow = items.some(
    (item, at) =>
      item.kind === 'meaning' &&
      (/(?:^| )(?:is|are|get|gets|being)$/.test(item.text) ||
        // "Have we lost packets".
        (/^have$/.test(item.text) && /^(?:we|you|i)$/.test(wordOf(items[at + 1])))),
  );
  return (
    items.some((item, at) => isOver(item, topic) || isActive(items, at) || isNever(items, at)) ||
    meanings.some((each) => each.kind === 'topic' && each.past === true && !isNow) ||
    meanings.some((each) => each.kind === 'topic' && each.topic === 'flap') ||
    (topic === 'session' && items.some((item, at) => isFalling(item) || isKept(items, at)))
  );
}

/** A session that is lost every hour was lost; packets that are lost every hour are lost now. */
function isOver(item: Item, topic: Topic): boolean {
  if (item.kind !== 'meaning' || item.meaning.kind !== 'past') return false;
  return item.text !== 'every' || ['session', 'flap', 'uptime'].includes(topic);
}

/** "Pe1 lost packets", and not "lost packets on pe1". */
function isActive(items: readonly Item[], at: number): boolean {
  return /^lost /.test(wordOf(items[at])) && ['node', 'ifname'].includes(items[at - 1]?.kind ?? '');
}

/** "Is never down": what never was, and not "never comes up". */
function isNever(items: readonly Item[], at: number): boolean {
  const next = items[at + 1];
  const isFault = next?.kind === 'meaning' && next.meaning.kind === 'topic' && !isGood(next);
  return wordOf(items[at]) === 'never' && isFault;
}

/** A session that drops has dropped, and how long it is up is since when: both are looked for in what is remembered. */
function isFalling(item: Item): boolean {
  return /^(?:how long(?: since| has| is| have)?|drops?|dropping|loses?|losing|cuts? out|cutting out|drops? (?:off|out)|dropping (?:off|out))$/.test(
    wordOf(item),
  );
}

/** "Keeps timing out". */
function isKept(items: readonly Item[], at: number): boolean {
  const next = items[at + 1];
  const isFault = next?.kind === 'meaning' && next.meaning.kind === 'topic' && !isGood(next);
  return /^keeps?(?: on)?$/.test(wordOf(items[at])) && isFault;
}

/** "When was it changed", "the last change". */
function isOfOne(item: Item): boolean {
  return /^(?:when (?:was|were|did|has|have|had)|last|latest|last time|(?:last|latest) changes?)$/.test(wordOf(item));
}
