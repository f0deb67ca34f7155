// "Is loss expected on p2", "is jumbo enabled on p2", "is eth1 connected": what is asked is the predicate behind "is" and its subject. A predicate that is
// not known, or that says of a measure how it is set, or of a port that it is connected and not to what, is no state that an answer tells.
import type { Intent } from '#model/intent.ts';
import { ASKS_WHICH, QUESTION } from '../../words/asking-words.ts';
import { MANNERS } from '../../words/sentence-words.ts';
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, isSign, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function predicateIn(items: readonly Item[], intent: Intent): Refusal | undefined {
  const setTo = intent.topic === 'mtu' ? items.find((item) => isWord(item, SET)) : undefined;
  if (setTo !== undefined) return untold(setTo);
  if (isPortReached(items, intent))
    return {
      reason: 'unclear',
      words: 'whether an interface is connected, and not to what: ask what is connected to it, or what is wrong on it',
    };
  for (const at of items.keys()) {
    const found = isBe(items, at) ? predicateBehind(items, at) : undefined;
    if (found !== undefined && isUntold(items, at, found)) return untold(items[found]!);
  }
  return undefined;
}

function untold(item: Item): Refusal {
  return {
    reason: 'unclear',
    words: `whether something is "${textOf(item)}", which is not known to be a state that an answer tells: ask how it is, or what changed`,
  };
}

/** "Is eth1 on p2 connected", "does eth1 on p2 have a connection": a port reaches nothing by itself, and no other end is named. */
function isPortReached(items: readonly Item[], intent: Intent): boolean {
  const { topic = 'trouble', ifname, destination, neighbour } = intent;
  if (ifname === undefined || (destination ?? neighbour) !== undefined) return false;
  return (
    topic === 'reach' || (topic === 'trouble' && items.some((item) => isWord(item, /^connect(?:ed(?: to)?|ions?)$/)))
  );
}

/** "Is", "why is", "was", where a question begins. */
function isBe(items: readonly Item[], at: number): boolean {
  const before = items.slice(0, at).findLast((item) => !isWord(item, MANNERS));
  const isStart = before === undefined || isSign(before) || isLead(before);
  return isStart && isWord(items[at], /^(?:(?:why |how )?(?:is|are|was|were)|has been|have been)$/);
}

/** Before "is": "why is p2 slow". "Which" and "who" are the subject themselves, and no predicate of another one follows. */
function isLead(item: Item): boolean {
  return (isWord(item, QUESTION) && !isWord(item, ASKS_WHICH)) || isWord(item, LEADS);
}

const LEADS = /^(?:since when|if|know|check|tell me|say)$/;

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
  if (item.kind === 'left' && item.why === 'word' && !isWord(item, MUCH))
    return !/ly$|^back$/.test(item.text) && !items.slice(at + 1).some(isOther);
  if (isWord(item, SET)) return isMeasure(head);
  return isNoun(head, 'link') && isWord(item, /^connected$/);
}

/** What stands behind has a predicate of its own: "is p2 alone slow". */
function isOther(item: Item): boolean {
  return isMeaning(item, 'topic', 'verb');
}

/** That it is seen, or that there is much of it, or not the same at both ends: the answer says how it is, and names the word. */
const MUCH = /^(?:detected|spotted|elevated|excessive|exhausted|frequent|converged|mismatched)$/;

const SET = /^(?:enabled|disabled|configured|shut|shut down|shutdown)$/;
