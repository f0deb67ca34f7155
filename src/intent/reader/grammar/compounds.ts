// Two things in a row are one other thing: "human error", "error budget", "drop box", "session timeout". A word for a fault that another noun tells
// apart, or that tells another one apart, is not that fault.
import { ARTICLE } from '../../words/asking-words.ts';
import { THING } from '../../words/sentence-words.ts';
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function compoundIn(items: readonly Item[]): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    if (!isThing(item)) continue;
    const [before, next] = [items[at - 1], items[at + 1]];
    if (isStranger(before)) return compound(before, item);
    if (isStranger(next) || isOtherHead(item, next, items[at + 2])) return compound(item, next);
    const object = isWord(next, /^(?:of|in)$/) ? items.slice(at + 2).find((each) => !isWord(each, ARTICLE)) : undefined;
    if (isStranger(object)) return compound(item, object);
    if (isWord(before, /^next$/)) return compound(before, item);
  }
  return undefined;
}

function isThing(item: Item): boolean {
  return isMeaning(item, 'topic') && THING.test(textOf(item));
}

/** An unknown word that may be a noun: adjectives and adverbs only say how it is. */
function isStranger(item: Item | undefined): boolean {
  return item?.kind === 'left' && item.why === 'word' && !DESCRIBES.test(item.text);
}

const DESCRIBES =
  /^[a-z]{2,}(?:ly|ous|ful|ish|ive|able|ible|less|ed|est)$|^(?:back|enough|there|ahead|worse|apart|asymmetric|symmetric|sporadic|periodic|erratic|massive|total|partial|bursty|persistent|permanent|recurrent|frequent|apparent|excessive)$/i;

/** "Delay line", "drop box", "fault domain"; "loss link p2 p4" is the loss of a link. */
function isOtherHead(item: Item, next: Item | undefined, second: Item | undefined): boolean {
  if (isWord(item, /^sessions?$/) && isWord(next, /^time-?outs?$/)) return true;
  if (isWord(next, OTHER)) return isMeaning(next, 'noun', 'everywhere');
  return isNoun(next, 'link', 'interface', 'path', 'node') && !isName(second) && !isMeaning(second, 'role', 'noun');
}

const OTHER =
  /^(?:line|wire|cable|box|boxes|circuit|site|system|server|machine|host|agent|domain|core|segment|tunnel)$/;

function compound(one: Item | undefined, other: Item | undefined): Refusal {
  return {
    reason: 'unclear',
    words: `"${textOf(one)} ${textOf(other)}", which is another thing than either alone: say what is asked`,
  };
}
