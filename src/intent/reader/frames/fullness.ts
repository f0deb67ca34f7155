// "Is the line between pe1 and pe3 full": a line that is full carries no more. "The full path" says nothing: it stands before what it is of.
import { type Item, textOf } from '../item.ts';
import { asking, type Frame, isBetweenEnds, isMeaning, isNoun, isPlain, isWord, topicsOf } from './parts.ts';

export const filled: Frame = (items) => {
  const at = items.findIndex((item, index) => isWord(item, /^full$/) && isPredicate(items, index));
  const isOfLine =
    items.some((item) => item.kind === 'ifname' || isNoun(item, 'link', 'interface')) || isBetweenEnds(items);
  const isOther = topicsOf(items, false).size > 0 || items.some((item) => isMeaning(item, 'protocol'));
  if (at < 0 || !isOfLine || isOther || !isPlain(items)) return items;
  return asking(
    'capacity',
    items.filter((_, index) => index !== at),
  );
};

/** Behind what it says something of, and before nothing that it could belong to. */
function isPredicate(items: readonly Item[], at: number): boolean {
  const before = items.slice(0, at).findLast((item) => !(isMeaning(item, 'empty') && DEGREE.test(textOf(item))));
  const isOf =
    before !== undefined && (['node', 'ifname'].includes(before.kind) || isNoun(before, 'link', 'interface', 'path'));
  const next = items[at + 1];
  const isEnd =
    next === undefined ||
    ['stop', 'comma', 'time', 'node', 'ifname'].includes(next.kind) ||
    isMeaning(next, 'role', 'and') ||
    isWord(next, ENDS);
  return isOf && isEnd;
}

const DEGREE =
  /^(?:is|are|was|were|be|been|too|very|quite|rather|pretty|totally|completely|already|again|always|still|often|now|currently|really|so|has|have|getting|gets?|seems?|looks?|apparently|maybe|probably)$/;
const ENDS =
  /^(?:again|already|or not|now|right now|currently|yet|please|pls|why|at the moment|at present|most|all the time)$/;
