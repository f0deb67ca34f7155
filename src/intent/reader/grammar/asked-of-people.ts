// "Why do you say that p2 is down", "was the loss reported", "how can I measure loss": what people say, know or may do is asked, and not what is so.
import { ASKS_WHICH, QUESTION } from '../../words/asking-words.ts';
import { MANNERS, THING } from '../../words/sentence-words.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isName, isSign, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function askedOfPeopleIn(items: readonly Item[]): Refusal | undefined {
  const item = items.find(
    (_, at) =>
      isWhySaid(items, at) ||
      isSaidAsked(items, at) ||
      isHowTo(items, at) ||
      isWished(items, at) ||
      isAct(items, at) ||
      isReason(items, at),
  );
  if (item === undefined) return undefined;
  return {
    reason: 'unclear',
    words: `what is said, known, wished or to be done ("${textOf(item)}"); answers say what is and what was: ask that`,
  };
}

const SPEAKER = /^(?:i|we|you|he|she|they|parley|people|anyone|someone|somebody|anybody)$/;
const SAYS =
  /^(?:says?|said|think|believe|claims?|claimed|know|tell|told|suspect|report|reported|say me|saying|assume|conclude|insist)$/;
const THINKS = /^(?:do you think|do you know|do you happen to know|what do you think)$/;

/** "Why do you say p2 is down", "how do you know that". */
function isWhySaid(items: readonly Item[], at: number): boolean {
  const before = items.slice(Math.max(0, at - 4), at);
  const isAsked = before.some(asksWhy);
  if (isWord(items[at], THINKS)) return asksWhy(items[at - 1]);
  return (
    isAsked && isWord(items[at], SAYS) && isWord(items[at - 1], SPEAKER) && before.some((item) => isWord(item, DOES))
  );
}

/** "Which node do you think is down" asks for the node. */
function asksWhy(item: Item | undefined): boolean {
  return isWord(item, QUESTION) && !isWord(item, ASKS_WHICH);
}

const DOES = /^(?:do|does|did|can|could|would|should|are|have)$/;

/** "Was the loss on p2 reported", "has the outage been confirmed", and not "reported loss". */
function isSaidAsked(items: readonly Item[], at: number): boolean {
  if (!isMeaning(items[at], 'empty') || !isWord(items[at], TOLD)) return false;
  const clause = items.slice(items.slice(0, at).findLastIndex(isBreak) + 1, at);
  const [first, ...rest] = clause.filter((item) => !isMeaning(item, 'aside') && !isWord(item, MANNERS));
  const isAsked = isWord(first, /^(?:is|are|was|were|has|have|had|did|has been|have been)$/);
  return isAsked && rest.some((item) => isMeaning(item, 'topic') || isName(item));
}

const TOLD = /^(?:reported|claimed|told|confirmed|explained|suspected|report|confirm|explain|believe|determine)$/;

function isBreak(item: Item): boolean {
  return isSign(item) || isWord(item, /^but$/);
}

/** "How can I measure loss", "how to find the delay": and not "how do I reach p2". */
function isHowTo(items: readonly Item[], at: number): boolean {
  if (!isWord(items[at], /^how$/)) return false;
  const [next, second] = [items[at + 1], items[at + 2]];
  const isTo = isWord(next, /^to$/);
  const isCan = isWord(next, /^(?:can|could|do|should|would|might)$/) && isWord(second, /^(?:i|we|you|one)$/);
  const verb = items[at + (isTo ? 2 : 3)];
  // "How do I get to p2" asks for no path between two ends.
  if ((isTo || isCan) && isWord(verb, /^(?:get|gets|go)(?: to)?$/) && items.filter(isName).length < 2) return true;
  return (isTo || isCan) && !isMeaning(verb, 'verb') && !isWord(verb, /^(?:reach|get|gets|go|come|lose|drop)/);
}

/** "P2 needs more capacity", "does the link want a change": what is needed is not measured. */
function isWished(items: readonly Item[], at: number): boolean {
  if (!isWord(items[at], /^(?:needs?|wants?)$/) || !isMeaning(items[at], 'empty')) return false;
  const before = items.slice(0, at).findLast((item) => !isWord(item, ADVERB));
  return (isName(before) || isMeaning(before, 'noun')) && !isWord(items[at + 1], /^(?:to|attention)$/);
}

const ADVERB = /^(?:really|just|also|still|now|please|urgently|not|does|do)$/;

/** "Does p2 measure loss", "do you need the errors", "is p2 able to report loss", "p2 should cause delay". */
function isAct(items: readonly Item[], at: number): boolean {
  if (!isWord(items[at], ACTS)) return false;
  // "Which path does p2 use", "why did p2 stop answering".
  const isOf = isMeaning(items[at + 1], 'topic') && THING.test(textOf(items[at + 1]));
  if (isWord(items[at], /^(?:use|make|stop)$/) && !isOf) return false;
  const before = items.slice(0, at).findLastIndex((item) => !isWord(item, ADVERB));
  const subject = items[before];
  if (isWord(subject, /^(?:able to|be able)$/)) return true;
  if (isWord(subject, /^(?:should|must|shall|may|might)$/)) return isName(items[before - 1]);
  const helper = items.slice(Math.max(0, before - 3), before).find((item) => isWord(item, HELPS));
  if (isWord(subject, /^you$/)) return isWord(helper, /^(?:do|does|did|have|should|must|why do)$/);
  return isName(subject) && helper !== undefined && !isWord(items[at], /^(?:needs?|wants?)$/);
}

const HELPS = /^(?:do|does|did|can|could|should|must|may|might|have)$/;
const ACTS =
  /^(?:measure|check|verify|test|probe|monitor|watch|inspect|audit|examine|analy[sz]e|report|need|want|cause|make|use|claim|stop|investigate|diagnose|explain|confirm|determine)$/;

/** "Why did p2 reboot", "why was it changed": answers say when, and what. */
function isReason(items: readonly Item[], at: number): boolean {
  return (
    isWord(items[at], /^(?:why|why is|why was)$/) &&
    items
      .slice(at + 1)
      .some(
        (item) =>
          item.kind === 'meaning' &&
          item.meaning.kind === 'topic' &&
          ['changes', 'uptime'].includes(item.meaning.topic) &&
          isWord(item, DONE),
      )
  );
}

const DONE =
  /^(?:changed?|(?:was|were|been) changed|modified|altered|configured|reconfigured|touched|reboots?|restarts?|rebooted|restarted|reloaded|booted|did (?:reboot|restart))$/;
