// What stands for something that was said before: each question is read alone, so "the same for p2" and "is it up again" ask nothing that is known.
import { SAYS_PEOPLE, THING } from '../words/sentence-words.ts';
import { type Item, isName, isPlace, wordOf } from './item.ts';
import type { Refusal } from './slots.ts';

/** @param hasPlace a name of the network is in the question */
export function referenceIn(items: readonly Item[], hasPlace: boolean): Refusal | undefined {
  const reference = items.find((item) => item.kind === 'meaning' && item.meaning.kind === 'reference');
  const found =
    reference ?? pronounIn(items, hasPlace) ?? (hasPlace ? undefined : elsewhereIn(items)) ?? repetitionIn(items);
  if (found?.kind !== 'meaning') return undefined;
  return {
    reason: 'unclear',
    words: `"${found.text}", which stands for something that was said before: each question is read alone; say what is asked, and of which node`,
  };
}

/** "Is it up": a pronoun before which nothing stands that it could be; where a name stands behind, only one that does something: "can it reach p2". */
function pronounIn(items: readonly Item[], hasPlace: boolean): Item | undefined {
  const at = items.findIndex((item, index) => PRONOUN.test(wordOf(item)) || isDemonstrative(items, index));
  if (at < 0 || items.slice(0, at).some(canBeMeant)) return undefined;
  const next = items
    .slice(at + 1)
    .find((item) => item.kind !== 'meaning' || !['empty', 'not'].includes(item.meaning.kind));
  const isDoing =
    next?.kind === 'meaning' && (next.meaning.kind === 'verb' || (next.meaning.kind === 'topic' && isReach(next)));
  // "They cannot get to 198.51.100.7 from leaf1": the place of those who ask is named.
  if (/^(?:they|he|she)$/.test(wordOf(items[at])) && isPlaced(items.slice(at + 1))) return undefined;
  const isPerson = /^(?:he|she)$/.test(wordOf(items[at]));
  return hasPlace && !isDoing && !isPerson ? undefined : items[at];
}

/** "They cannot get to 198.51.100.7 from leaf1", and not "he is not reached from leaf1", "she gets no answer from leaf1". */
function isPlaced(behind: readonly Item[]): boolean {
  const from = behind.findIndex((item, at) => wordOf(item) === 'from' && isName(behind[at + 1]));
  const reached = behind.findIndex(isName);
  const isAddress = behind[reached]?.kind === 'address';
  const verb = behind.findIndex(
    (item) => isReach(item) || (isAddress && item.kind === 'meaning' && item.meaning.kind === 'verb'),
  );
  return verb >= 0 && verb < reached && reached < from;
}

function isReach(item: Item): boolean {
  return /^(?:reach|ping|contact|connect|talk)$/.test(wordOf(item));
}

/** "Is everything there ok", "what about yesterday": where, and of what. */
function elsewhereIn(items: readonly Item[]): Item | undefined {
  return items.find((item, index) => {
    const [before, next] = [wordOf(items[index - 1]), wordOf(items[index + 1])];
    if (/^(?:what|how) about$/.test(wordOf(item))) return items.slice(index + 1).every(saysNoThing);
    return wordOf(item) === 'there' && !BE.test(before) && !BE.test(next) && !items.slice(0, index).some(isName);
  });
}

function saysNoThing(item: Item): boolean {
  return ['time', 'stop', 'comma'].includes(item.kind) || (item.kind === 'meaning' && item.meaning.kind === 'empty');
}

const BE = /(?:^| )(?:is|are|was|were|has|have|been|be|not|will|can|could|if|whether|that)$/;

const PRONOUN = /^(?:it|its|itself|they|them|their|he|she)$/;

/** "Is that down" and "that link", and not "tell me that". */
function isDemonstrative(items: readonly Item[], at: number): boolean {
  if (!/^(?:this|that|these|those)$/.test(wordOf(items[at]))) return false;
  const before = wordOf(items[at - 1]);
  const next = items[at + 1];
  // "This is broken".
  const isFirst = at === 0 || ['stop', 'comma'].includes(items[at - 1]!.kind);
  if (isFirst && /^(?:is|are|was|were|has|have|does|keeps?|looks?|seems?)$/.test(wordOf(next))) return true;
  // "Who changed that".
  const isObject = (next === undefined || next.kind === 'stop') && items[at - 1]?.kind === 'meaning';
  if (
    isObject &&
    ['topic', 'verb'].includes((items[at - 1] as Extract<Item, { readonly kind: 'meaning' }>).meaning.kind)
  )
    return true;
  const isAlone =
    next === undefined || next.kind === 'stop' || (next.kind === 'meaning' && next.meaning.kind === 'topic');
  // "Those links": which.
  if (next?.kind === 'meaning' && (next.meaning.kind === 'noun' || next.meaning.kind === 'protocol')) return true;
  return isAlone && (at === 0 || /^(?:is|are|was|were|did|does|has|have|can|could|why is|check|verify)$/.test(before));
}

function canBeMeant(item: Item): boolean {
  if (item.kind !== 'meaning') return isPlace(item);
  const { meaning, text } = item;
  if (meaning.kind === 'topic') return THING.test(text);
  return ['noun', 'protocol', 'srv6', 'service', 'everywhere', 'here'].includes(meaning.kind) || SAYS_PEOPLE.test(text);
}

/** "Again for p2", "and p2": what is asked was said before. */
function repetitionIn(items: readonly Item[]): Item | undefined {
  const first = items.find((item) => item.kind !== 'meaning' || item.meaning.kind !== 'empty');
  // "And the neighbours?", "and BGP": which, and what of them.
  const isAnd = first?.kind === 'meaning' && first.meaning.kind === 'and';
  if (isAnd && !items.some((item) => asks(item) && !isThing(item))) return first;
  return items.some(asks) ? undefined : items.find((item) => AGAIN.test(wordOf(item)));
}

function isThing(item: Item): boolean {
  return item.kind === 'meaning' && ['noun', 'protocol', 'service', 'everywhere'].includes(item.meaning.kind);
}

const AGAIN = /^(?:again|too|also|as well)$/;

function asks(item: Item): boolean {
  if (item.kind !== 'meaning') return item.kind === 'time';
  return ['topic', 'protocol', 'show', 'past', 'verb', 'noun', 'everywhere', 'record', 'service'].includes(
    item.meaning.kind,
  );
}
