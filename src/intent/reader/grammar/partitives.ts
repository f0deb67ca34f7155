// "One of p2 and p4", "some of these", "the reason of p2": a part of what is named is another thing than all of it, and which part is not known.
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function partitiveIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex((_, index) => isPart(items, index));
  if (at < 0) return undefined;
  return {
    reason: 'unclear',
    words: `"${textOf(items[at])} of" what is named, and not which part: name what is meant`,
  };
}

function isPart(items: readonly Item[], at: number): boolean {
  const said = textOf(items[at]);
  if (!(isWord(items[at + 1], /^of$/) || / of$/.test(said)) || !(PART.test(said) || MEASURE.test(said))) return false;
  const behind = items.slice(at + (/ of$/.test(said) ? 1 : 2));
  const first = behind.findIndex((item) => !isWord(item, /^(?:the|these|those|our|my|your|nodes?|routers?)$/));
  if (!isName(behind[first])) return false;
  // "The loss rate of p2" is of the loss.
  if (MEASURE.test(said)) return !items.slice(Math.max(0, at - 2), at).some((item) => isMeaning(item, 'topic'));
  const next = behind[first + 1];
  return isMeaning(next, 'and') || next?.kind === 'comma' || (isName(next) && next?.kind === behind[first]!.kind);
}

/** "Any", "each" and "all" of them are all of them. */
const PART = /^(?:one|some|most|many|much|few|several|part|another|a lot|lots|none|the last)(?: of)?$/;
const MEASURE =
  /^(?:amount|rate|level|count|values?|figures?|numbers?|order|type|idea|clue|chance|reason|cause|case|matter|deal|symptoms?|complaints?|alarm|situation)(?: of)?$/;
