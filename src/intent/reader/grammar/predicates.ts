// "Is loss expected on p2", "is jumbo enabled on p2", "is eth1 connected": what is asked is the predicate behind "is" and its subject. A predicate that is
// not known, or that says of a measure how it is set, or of a port that it is connected and not to what, is no state that an answer tells.
import { MANNERS } from '../../words/sentence-words.ts';
import { isMeaning, isName, isNoun, isWord, textOf } from '../frames/parts.ts';
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function predicateIn(items: readonly Item[]): Refusal | undefined {
  for (const at of items.keys()) {
    const found = isBe(items, at) ? predicateBehind(items, at) : undefined;
    if (found !== undefined && isUntold(items, at, found))
      return {
        reason: 'unclear',
        words: `whether something is "${textOf(items[found])}", which no answer says: ask how it is, or what changed`,
      };
  }
  return undefined;
}

/** "Is", "why is", "was", where a question begins. */
function isBe(items: readonly Item[], at: number): boolean {
  const before = items.slice(0, at).findLast((item) => !isWord(item, MANNERS));
  const isStart = before === undefined || ['stop', 'comma', 'dash'].includes(before.kind) || isWord(before, ASKS);
  return isStart && isWord(items[at], /^(?:(?:why |how )?(?:is|are|was|were)|has been|have been)$/);
}

const ASKS = /^(?:why|since when|how long|how|whether|if|know|check|tell me|say|when)$/;

/** Behind the subject, which may have places of its own: "is the loss on p2 expected". */
function predicateBehind(items: readonly Item[], be: number): number | undefined {
  let subject = -1;
  for (let at = be + 1; at < items.length; at++) {
    const item = items[at];
    const isHead =
      isName(item) ||
      isMeaning(item, 'noun', 'protocol', 'service', 'everywhere', 'here', 'srv6') ||
      (isMeasure(item) && (subject < 0 || isMeaning(items[at - 1], 'role', 'protocol')));
    if (isHead) subject = at;
    else if (isMeaning(item, 'role', 'and') || isWord(item, SMALL)) continue;
    else return subject < 0 || isMeaning(items[at - 1], 'role') ? undefined : at;
  }
  return undefined;
}

/** "Loss", "jumbo frames": where a subject stands, what is measured. */
function isMeasure(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.weak !== true;
}

const SMALL =
  /^(?:the|a|an|any|some|my|our|your|this|that|these|those|now|still|really|already|currently|also|again|not|there|all|both|always|ever|just|actually|even|it|in fact|right now|at the moment|of)$/;

function isUntold(items: readonly Item[], be: number, at: number): boolean {
  const item = items[at]!;
  const subject = items.slice(be + 1, at);
  const head = subject.find((each) => !isWord(each, SMALL));
  if (item.kind === 'left' && item.why === 'word')
    return !/ly$|^back$/.test(item.text) && !items.slice(at + 1).some(isOther);
  if (isWord(item, SET)) return isMeasure(head);
  const isPort = subject.some((each) => each.kind === 'ifname') || isNoun(head, 'interface', 'link');
  return isPort && isMeaning(item, 'topic') && isWord(item, /^connected$/) && !items.slice(at + 1).some(isName);
}

/** What stands behind has a predicate of its own: "are the packets that leave p2 lost". */
function isOther(item: Item): boolean {
  return isMeaning(item, 'topic', 'verb');
}

const SET = /^(?:enabled|disabled|configured|shut|shut down|shutdown)$/;
