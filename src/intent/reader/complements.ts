// Questions for those of which something is not so: "who does not run IS-IS", "links that are not flapping". Answers say where a fault is; what a
// sentence without the "not" asks is the opposite. "Which nodes are not reachable" asks for a fault, and is read.
import { type Item, isName } from './item.ts';
import type { Refusal } from './slots.ts';

export function complementIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'meaning' || !isNegation(items, index)) continue;
    const next = behind(items, index + 1);
    const isFault = next?.kind === 'meaning' && isGood(next) && !isOfProtocol(items, next);
    if (isFault || !asksWhich(items, index)) continue;
    const what = next?.kind === 'meaning' ? ` ${next.text}` : '';
    return {
      reason: 'unclear',
      words: `those of which something is not so ("${item.text}${what}"): an answer says where a fault is; ask without "${item.text}"`,
    };
  }
  return undefined;
}

/** "Not", "no", and "missing" before what is missing. */
function isNegation(items: readonly Item[], at: number): boolean {
  const item = items[at]!;
  if (item.kind !== 'meaning') return false;
  if (item.meaning.kind === 'not') return item.text !== 'nothing but';
  // "Links where nothing is dropped", and not "nothing works".
  if (item.text === 'nothing') return items.slice(0, at).some((each) => each.kind === 'meaning' && isMany(each));
  const next = behind(items, at + 1);
  return /^(?:missing|misses)$/.test(item.text) && next?.kind === 'meaning' && next.meaning.kind === 'protocol';
}

/** What is as it should be: that it is not so is a fault. */
export function isGood(item: Extract<Item, { readonly kind: 'meaning' }>): boolean {
  const { meaning, text } = item;
  if (meaning.kind === 'verb') return true;
  return meaning.kind === 'topic' && GOOD.test(text);
}

const GOOD =
  /^(?:reach\w*|connect\w*|pinga?b?l?e?|pings?|up|ok|okay|fine|good|well|healthy|alive|online|work\w*|function\w*|respond\w*|answer\w*|stable|steady|sane|clean|safe|normal|right|established|establish|come up|active|get through|gets through|getting through|go through|talk|talking|communicate|there is|doing|contact)\b/;

/** "Not talking BGP" is not what "not talking" is. */
function isOfProtocol(items: readonly Item[], verb: Item): boolean {
  const next = behind(items, items.indexOf(verb) + 1);
  return next?.kind === 'meaning' && next.meaning.kind === 'protocol';
}

/** A "which" or "who", or things in the plural, before the negation. */
function asksWhich(items: readonly Item[], at: number): boolean {
  const start = items.slice(0, at).findLastIndex(({ kind }) => kind === 'stop' || kind === 'comma') + 1;
  const before = items.slice(start, at);
  if (before.some((item) => item.kind === 'meaning' && (WHICH.test(item.text) || isMany(item)))) return true;
  const isNamed = before.some(isName);
  return !isNamed && before.some((item) => item.kind === 'meaning' && item.meaning.kind === 'everywhere');
}

const WHICH = /^(?:which|what|who|whom|whose|where|how many|anyone|anybody|someone|somebody)(?: |$)/;

function isMany(item: Extract<Item, { readonly kind: 'meaning' }>): boolean {
  const isThing = item.meaning.kind === 'noun' || (item.meaning.kind === 'topic' && item.meaning.topic === 'session');
  return isThing && /s$/.test(item.text);
}

/** The next item that says something. */
function behind(items: readonly Item[], from: number): Item | undefined {
  return items.slice(from).find((item) => !(item.kind === 'meaning' && item.meaning.kind === 'empty'));
}
