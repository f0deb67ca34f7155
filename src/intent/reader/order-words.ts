// Where a word that may order something does: at the start of a question or of a part of it. Some words order something only of people, or only
// where nothing else begins with them: "open a ticket" and "open 198.51.100.7".
import { ARTICLE, QUESTION } from '../words/asking-words.ts';
import { LEXICON } from '../words/lexicon.ts';
import type { Meaning } from '../words/meaning.ts';
import type { Token } from '../words/tokens.ts';
import { type Item, isSign } from './item.ts';

export type Order = Extract<Meaning, { readonly kind: 'order' }>;

export function orderOf(word: string): Order | undefined {
  return LEXICON.get(word)?.find((meaning): meaning is Order => meaning.kind === 'order');
}

/** @param next the tokens behind the phrase */
export function orderAt(text: string, before: readonly Item[], next: readonly Token[]): Order | undefined {
  const order = orderOf(text);
  if (order === undefined) return undefined;
  // "P2 restart please".
  if (order.anywhere === true || (order.of === undefined && URGES.test(next[0]?.low ?? ''))) return order;
  if (!isStart(before)) return undefined;
  // "Did p2 crash and reboot".
  if (before.slice(before.findLastIndex(({ kind }) => kind === 'stop') + 1).some(isDid)) return undefined;
  if (order.of === undefined) return order;
  // "Note: loss on p2", "open 198.51.100.7".
  // "Note that p2 is down".
  const object = next.find(({ low }) => low === 'that' || !ARTICLE.test(low));
  if (object === undefined || object.kind !== 'word' || next[0]?.kind !== 'word') return undefined;
  if (order.of === 'any')
    return object.low === 'that' || (text === 'log' && /^(?:of|for|on)$/.test(object.low)) ? undefined : order;
  if (order.of === 'protocol')
    return LEXICON.get(object.low)?.some(({ kind }) => kind === 'protocol') ? order : undefined;
  return asks(object.low) || /^(?:if|that|there)$/.test(object.low) || isThing(object.low) ? undefined : order;
}

const URGES = /^(?:please|pls|plz|asap|immediately)$/;

/** What is of the network, and not of people. */
function isThing(word: string): boolean {
  const meanings = LEXICON.get(word) ?? [];
  return /\d/.test(word) || meanings.some(({ kind }) => !['empty', 'here', 'order', 'past', 'verb'].includes(kind));
}

/** Nothing but empty words since the start, since the last full stop, or since "and". */
export function isStart(before: readonly Item[]): boolean {
  const since = before.slice(before.findLastIndex(isBreak) + 1);
  return since.every((item) => item.kind === 'meaning' && item.meaning.kind === 'empty' && !asks(item.text));
}

function asks(text: string): boolean {
  return QUESTION.test(text) || ASKED_BY.test(text);
}

function isDid(item: Item): boolean {
  return item.kind === 'meaning' && item.text === 'did';
}

function isBreak(item: Item): boolean {
  return isSign(item) || (item.kind === 'meaning' && /^(?:and|then)$/.test(item.text));
}

/** Of these no order begins, as it does with "can you". */
const ASKED_BY = /^(?:is|are|am|do|does|has|have|should|did you)\b/;
