// A question in a part of its own, beside parts that tell a story: "The rack was moved. Is there loss on p2?". Where the whole is no question that is
// read, the shortest row of parts that is one by itself is answered, and the answer names the rest as not used. The rest may hold nothing that could
// belong to the question: no other name, protocol, order, exception, condition or comparison, no withdrawal, and no question of its own.
import { INTENT_LIMITS } from '../../limits.ts';
import { PRESENT } from '../../words/asking-words.ts';
import { MANNERS } from '../../words/sentence-words.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isPlace, nameOf } from '../item.ts';
import { type KnownNames, knownNode } from '../names.ts';
import { withName } from './referents.ts';
import { isAsking, isTag, itemsOfPart, low, type Part, partsOf } from './sentence-parts.ts';

/** `asked`: the part that is read, with a name in the place of "it". */
export type Apart<R> = { readonly read: R; readonly asked: string; readonly rest: readonly string[] };

/** @param readPart undefined where the part is no question by itself */
export function questionApart<R>(
  sentence: string,
  known: KnownNames,
  readPart: (part: string) => R | undefined,
): Apart<R> | undefined {
  const parts = partsOf(sentence);
  if (parts.length < 2 || parts.length > INTENT_LIMITS.sentenceParts) return undefined;
  for (let length = 1; length < parts.length; length++) {
    const found = rowsOf(sentence, parts, length).flatMap(({ row: typed, before, rest }) => {
      const row = withName(typed, before, known) ?? typed;
      const isAsked = isQuestion(row, rest.some(isTag), known);
      if (!isAsked || !rest.every((part) => isStory(part, row, known))) return [];
      const read = readPart(row);
      return read === undefined ? [] : [{ read, asked: row, rest }];
    });
    // Of two that could be asked it is not known which is.
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

/** Each row of so many parts that is no more than one sentence. */
function rowsOf(sentence: string, parts: readonly Part[], length: number) {
  return parts.flatMap((first, at) => {
    const row = parts.slice(at, at + length);
    const isWhole = row.length === length && row.slice(0, -1).every(({ text }) => !/[.?!;]$/.test(text));
    if (!isWhole) return [];
    const rest = [...parts.slice(0, at), ...parts.slice(at + length)].map(({ text }) => text);
    return [
      {
        row: sentence.slice(first.from, row.at(-1)!.to).replace(/[,;:]\s*$/, ''),
        before: sentence.slice(0, first.from),
        rest,
      },
    ];
  });
}

/** It asks, and says of what: a name alone, or a state alone, may belong to what stands beside it. */
function isQuestion(part: string, isConfirmed: boolean, known: KnownNames): boolean {
  const items = itemsOfPart(part, known);
  const isAsked = isConfirmed || isAsking(part, items) || items.some((item) => isMeaning(item, 'show'));
  const isOf = items.some((item) => isPlace(item) || isMeaning(item, 'everywhere', 'here'));
  const isTopic = items.some(
    (item) => isMeaning(item, 'topic', 'verb', 'protocol') || isWord(item, /^(?:how much|much|where)$/),
  );
  return isAsked && isOf && isTopic && items.length > 2;
}

/** Tells something, and nothing that the question could be about. */
function isStory(part: string, question: string, known: KnownNames): boolean {
  const items = itemsOfPart(part, known);
  if (WITHDRAWS.test(low(part)) || NARROWS.test(low(part))) return false;
  if (items.every((item) => isMeaning(item, 'empty')) || isTag(part)) return true;
  const own = itemsOfPart(question, known);
  if (isAsking(part, items)) return false;
  // "The rack was moved on Tuesday. Does p2 have errors?": a sentence of what was then, and a question of what is now.
  const isThen =
    /\.$/.test(part) &&
    !items.some((item) => item.kind === 'time' && /^(?:since|for|until|from|during)\b/i.test(item.text)) &&
    asksNow(own.find((item) => !isWord(item, MANNERS)));
  const isNegated = items.some((item) => isMeaning(item, 'not'));
  return items.every((item, at) => {
    if (isPlace(item)) return own.some((each) => nameOf(each) === nameOf(item)) || isMachineWord(item, known);
    // "It is on port 80" may be the port that is asked.
    if ((item.kind === 'time' && !isThen) || (item.kind === 'number' && isMeaning(items[at - 1], 'noun', 'port')))
      return false;
    if (item.kind === 'left') return !['order', 'as-number', 'script'].includes(item.why);
    if (item.kind !== 'meaning') return true;
    if (isMeaning(item, 'order', 'compare', 'reference', 'srv6', 'service', 'port', 'before-fault')) return false;
    if (isMeaning(item, 'protocol'))
      return own.some((each) => isMeaning(each, 'protocol') && 'text' in each && each.text === item.text);
    if (item.meaning.kind === 'role' && item.meaning.role === 'except') return false;
    // "VLAN 10: is there loss" is of a part of the traffic; "I reseated the optic" tells what was done.
    if (isMeaning(item, 'beyond') && !items.some((each) => isWord(each, TELLS))) return false;
    if (isWord(item, /^(?:mean|meant|i mean|rather|scratch that|make that)$/)) return false;
    if (isMeaning(item, 'turn'))
      return isWord(item, /^(?:while|since|when|after|before)$/) && isWord(items[at + 1], SPEAKER);
    return !(isNegated && isMeaning(item, 'topic', 'protocol', 'noun', 'everywhere'));
  });
}

function asksNow(first: Item | undefined): boolean {
  return isWord(first, PRESENT) || isWord(first, /^(?:any|is there.*|there is)$/);
}

/** It takes back what was asked, says it of something else, or sets a condition. */
const WITHDRAWS =
  /\b(?:scratch|kidding|joking|pretend|imagine|suppose|forget|disregard|never ?mind|no longer|any ?more|only|mean|meant|answer|reply)\b|^(?:not|no|wrong|nope)\b|\b(?:before|after) (?:the|a|an|that|this)\b/;
/** "Towards the core", "for voice": a part of the question, and no sentence. */
const NARROWS = /^(?:for|towards?|to|from|via|through|between|under|during|before|after|until|with|without|by)\b/;
const TELLS =
  /^(?:i|we|he|she|they|you|it|is|are|was|were|has|have|had|just|did|do|does|new|says|say|gone|full|[a-z]+ed)$/;
const SPEAKER = /^(?:i|we|he|she|they|you|the)$/;
/** `bgpd`, `rx_missed_errors`, `UI_COMMIT`: a word of a log, and no node that is known. */
function isMachineWord(item: Item, known: KnownNames): boolean {
  return item.kind === 'node' && knownNode(item.name, known) === undefined && /_/.test(item.name);
}
