// A word that says where something begins or ends, behind which no name stands: "from customers to r1", "between site a and site b". Without it the
// question is about another way.
import type { Topic } from '#model/intent.ts';
import { ARTICLE } from '../../words/asking-words.ts';
import { PEOPLE } from '../../words/sentence-words.ts';
import { DEGREES } from '../../words/small-words.ts';
import { type Item, isName, wordOf } from '../item.ts';
import { hasEnds, type Places } from '../places.ts';
import type { Refusal } from '../slots.ts';

export function danglingIn(items: readonly Item[], places: Places, topic: Topic): Refusal | undefined {
  const { from, to, between, addresses, bare, on } = places;
  const isBetween = items.some((item) => wordOf(item) === 'between');
  if (isBetween && between.length < 2 && addresses.length === 0 && between.length + bare.length + on.length > 0)
    return { reason: 'unclear', words: '"between", behind which two names are to stand' };
  const names = from.length + to.length + bare.length + on.length + addresses.length;
  const end = items.find((item, at) => isEnd(item) && isOfNoName(items, at));
  if (end === undefined || names === 0 || !(hasEnds(topic) || topic === 'session')) return undefined;
  const isOther = wordOf(end) === 'from' ? to.length > 0 || topic === 'session' : true;
  const what = items[items.indexOf(end) + 1];
  return isOther
    ? { reason: 'unclear', words: `"${wordOf(end)} ${wordOf(what)}", which names no node or address: name both ends` }
    : undefined;
}

/** "Biggest flow on r1": more or less of what is not known. */
export function degreeOf(items: readonly Item[]): Refusal | undefined {
  const degree = items.find(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'aside' && DEGREE_WORDS.has(item.text),
  );
  const isAsked = items.some((item) => item.kind === 'meaning' && item.meaning.kind === 'topic');
  if (degree === undefined || isAsked) return undefined;
  return { reason: 'unclear', words: `"${wordOf(degree)}" of something that it does not know` };
}

const DEGREE_WORDS: ReadonlySet<string> = new Set(DEGREES.split(', '));

function isEnd(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'role' && ['from', 'to'].includes(item.meaning.role);
}

/** People, behind whom no place stands. */
function isOfNoName(items: readonly Item[], at: number): boolean {
  const behind = items
    .slice(at + 1)
    .filter((item) => !ARTICLE.test(wordOf(item)) && !/^(?:all|other)$/.test(wordOf(item)));
  return (PEOPLE.test(wordOf(behind[0])) || OTHERS.test(wordOf(behind[0]))) && !isNameNext(behind[1], behind[2]);
}

/** "Customers behind leaf1", "user 198.51.100.7". */
function isNameNext(first: Item | undefined, second: Item | undefined): boolean {
  return (
    isName(first) ||
    (first?.kind === 'meaning' && first.meaning.kind === 'role' && first.meaning.role === 'on' && isName(second))
  );
}

/** Many, or of other networks. */
const OTHERS = /^(?:hosts|servers|peers|neighbou?rs)$/;
