// "What loss do we guarantee", "who approved the changes", "does p2 censor traffic": an unknown word in the place of the verb is what is asked.
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, isSign, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function unknownVerbIn(items: readonly Item[]): Refusal | undefined {
  const verb = items.find((_, at) => isVerb(items, at));
  if (verb === undefined) return undefined;
  return { reason: 'unclear', words: `"${textOf(verb)}", a verb that it does not know` };
}

function isVerb(items: readonly Item[], at: number): boolean {
  const item = items[at];
  if (item?.kind !== 'left' || item.why !== 'word' || /ly$/.test(item.text)) return false;
  const before = items.slice(0, at).findLastIndex((each) => !isAdverb(each));
  const subject = items[before];
  if (isWord(subject, /^(?:who|to)$/) && !(isWord(subject, /^to$/) && isName(items[at + 1]))) return true;
  if (!isSubject(subject)) return false;
  const clause = items.slice(items.slice(0, before).findLastIndex(isBreak) + 1, before);
  const helper = clause.findLastIndex((each) => isWord(each, HELPS));
  return helper >= 0 && !clause.slice(helper + 1).some((each) => isMeaning(each, 'verb') || isState(each));
}

const HELPS = /(?:^| )(?:do|does|did|can|could|should|must|may|might|will|would|shall)$/;

function isSubject(item: Item | undefined): boolean {
  return (
    isName(item) ||
    isNoun(item, 'node', 'link', 'interface', 'path') ||
    isMeaning(item, 'everywhere', 'here', 'protocol') ||
    isWord(item, /^(?:i|we|you|they|he|she|it|anyone|anybody|someone|somebody|customers?|users?|people|that|which)$/)
  );
}

/** What the subject does is said already. */
function isState(item: Item): boolean {
  return (
    isMeaning(item, 'topic') &&
    !/(?:loss|delay|latency|jitter|errors?|traffic|changes|path|routes?)$/.test(textOf(item))
  );
}

function isAdverb(item: Item): boolean {
  return (
    isMeaning(item, 'not') ||
    isWord(item, /^(?:also|still|really|just|now|ever|even|again|always|often|actually|currently)$/)
  );
}

function isBreak(item: Item): boolean {
  return isSign(item) || isWord(item, /^(?:and|but)$/);
}
