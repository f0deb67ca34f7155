// A sentence in parts, cut at its signs, and what a part does by its form: it asks, or only asks to say yes to what was said.
import { AUXILIARY, QUESTION } from '../../words/asking-words.ts';
import { spelledOut } from '../../words/commands.ts';
import { MANNERS } from '../../words/sentence-words.ts';
import { tokensOf } from '../../words/tokens.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import type { Item } from '../item.ts';
import type { KnownNames } from '../names.ts';
import { scan } from '../scanning/scan.ts';

export type Part = { readonly text: string; readonly from: number; readonly to: number };

/** Each with the signs that end it. */
export function partsOf(sentence: string, breaks = BREAK): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { index, 0: sign } of [...sentence.matchAll(breaks), { index: sentence.length, 0: '' }]) {
    const text = sentence.slice(from, index).trim();
    if (text !== '') parts.push({ text, from, to: index });
    from = index + sign.length;
  }
  return parts;
}

const BREAK = /(?<=[.?!;,:])\s+|(?<=[?!])(?=[A-Za-z])|\s+(?:-{1,2}|–|—|\/\/|<-{1,2})\s+/g;

/** Without the signs between them. */
export function itemsOfPart(part: string, known: KnownNames): readonly Item[] {
  return scan(spelledOut(tokensOf(part)), known).filter(({ kind }) => !['stop', 'comma', 'dash'].includes(kind));
}

/** By its first word, or by its question mark. */
export function isAsking(part: string, items: readonly Item[]): boolean {
  return beginsAsking(items) || /\?[)\s]*$/.test(part);
}

export function beginsAsking(items: readonly Item[]): boolean {
  const first = items.find((item) => !isWord(item, MANNERS));
  // "Is eth1 on p2 down? Who shut it": what was done to it does not take the place of the question.
  const isWho = isMeaning(first, 'topic') && isWord(first, /^who /);
  return (!isWho && [AUXILIARY, QUESTION, ASKS].some((words) => isWord(first, words))) || isMeaning(first, 'show');
}

/** What else a part begins with that asks. */
const ASKS =
  /^(?:any|anything|is it .*|is there.*|there is|do you .*|did you|could you .*|can you .*|has .*|have .*|since when|check|show|list|tell me|i would like to know)$/;

/** Wherever its question stands: "tell us how many", "by the way is it me". Behind what it says something of, "which" asks nothing. */
export function asksSomewhere(part: string, items: readonly Item[]): boolean {
  if (isAsking(part, items)) return true;
  const start = items.findIndex((item) => !isWord(item, MANNERS));
  return items.some((item, at) => {
    const [before, next] = [items[at - 1], items[at + 1]];
    if (
      (isWord(item, QUESTION) && !isWord(item, JOINS)) ||
      isWord(item, /^by whom$/) ||
      (at < start + 2 && isWord(item, /^which$/))
    )
      return true;
    // "P2 is that slow" tells.
    return isWord(item, AUXILIARY) && isWord(next, SUBJECT) && !isWord(before, SUBJECT) && !isSubject(before);
  });
}

function isSubject(item: Item | undefined): boolean {
  return item !== undefined && (item.kind !== 'meaning' || isMeaning(item, 'noun', 'protocol', 'topic'));
}

/** Also joins a clause to what stands before it. */
const JOINS = /^(?:which|when|where)(?: |$)/;
const SUBJECT = /^(?:it|they|i|we|you|he|she|there|this|that|someone|anyone)$/;

/** Asks to say yes or no to what was said, or why it is so. */
export function isTag(part: string): boolean {
  return TAG.test(low(part));
}

const TAG =
  /^(?:is (?:that|this|it) (?:right|so|true|correct|normal|ok)|is it|isn't it|or not|right|correct|true|yes|or|or not|why|why is that|any ideas?|any idea why|can you confirm|could you confirm|please confirm|please check|please advise|can you check|are they|is it|does it|huh|what is going on|what happened|ok|thanks.*|thank you.*|sorry.*)$/;

export function low(part: string): string {
  return part
    .toLowerCase()
    .replace(/[.?!;,:]+$/, '')
    .replace(/\bwhat's\b/, 'what is')
    .trim();
}
