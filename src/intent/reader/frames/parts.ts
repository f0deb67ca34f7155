// What is in a sentence, for frames: its words, names and topics. A frame fits only where all that it does not read is nothing of its own.
import type { Topic } from '#model/intent.ts';
import type { Meaning } from '../../words/meaning.ts';
import { type Item, isName, textOf } from '../item.ts';

export type Frame = (items: readonly Item[]) => readonly Item[];

export function isWord(item: Item | undefined, words: RegExp): boolean {
  return words.test(textOf(item));
}

export function hasWord(items: readonly Item[], words: RegExp): boolean {
  return items.some((item) => isWord(item, words));
}

export function isMeaning(item: Item | undefined, ...kinds: readonly Meaning['kind'][]): boolean {
  return item?.kind === 'meaning' && kinds.includes(item.meaning.kind);
}

export function isNoun(item: Item | undefined, ...nouns: readonly string[]): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'noun' && nouns.includes(item.meaning.noun);
}

/** `weak`: topics that a word says only beside no other. */
export function topicsOf(items: readonly Item[], weak: boolean): ReadonlySet<Topic> {
  return new Set(
    items.flatMap((item) =>
      item.kind === 'meaning' && item.meaning.kind === 'topic' && (item.meaning.weak === true) === weak
        ? [item.meaning.topic]
        : [],
    ),
  );
}

/** True where every topic that is spoken of is one of these. */
export function isOnly(items: readonly Item[], ...topics: readonly Topic[]): boolean {
  return [...topicsOf(items, false), ...topicsOf(items, true)].every((topic) => topics.includes(topic));
}

export function countOf(items: readonly Item[], kind: Item['kind']): number {
  return items.filter((item) => item.kind === kind).length;
}

/** Items that turn, compare, order or leave out: with one of them no frame fits. */
export function isPlain(items: readonly Item[]): boolean {
  const isTurning = (item: Item) =>
    isMeaning(item, 'not', 'turn', 'compare', 'reference', 'order', 'beyond') ||
    (item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'except');
  return !items.some(isTurning);
}

/** Two ends that "from" and "to", or "between", stand before. */
export function isBetweenEnds(items: readonly Item[]): boolean {
  const has = (role: string) =>
    items.some(
      (item, at) => isWord(item, new RegExp(`^${role}$`)) && isMeaning(item, 'role') && isName(nextOf(items, at)),
    );
  return (has('from') && has('to|towards?|into')) || has('between');
}

function nextOf(items: readonly Item[], at: number): Item | undefined {
  return items.slice(at + 1).find((item) => !isMeaning(item, 'empty') && !isNoun(item, 'node'));
}

/** The items, and what the frame asks. */
export function asking(topic: Topic, items: readonly Item[]): readonly Item[] {
  const asked: Item = { kind: 'meaning', meaning: { kind: 'topic', topic }, text: topic };
  return [asked, ...items];
}

/** The same words, that say nothing of their own. */
export function emptied(item: Item): Item {
  return item.kind === 'meaning' || item.kind === 'left'
    ? { kind: 'meaning', meaning: { kind: 'empty' }, text: item.text }
    : item;
}

/** What the answer names as not used. */
export function aside(text: string): Item {
  return { kind: 'left', text, why: 'aside' };
}
