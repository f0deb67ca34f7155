// "Is p2 broken into", "p2 was reached out of": a preposition that leads to nothing belongs to its verb, and makes another one of it. Where a question
// word stands first, it leads to that: "what is p2 connected to".
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function strandedPrepositionIn(items: readonly Item[]): Refusal | undefined {
  const last = items.findLastIndex(
    (item) => !(['stop', 'comma', 'dash', 'time'].includes(item.kind) || isWord(item, AFTERWORDS)),
  );
  const item = items[last];
  const isAsked = items.slice(0, last).some((each) => isWord(each, /(?:^| )(?:what|which|where|who|whom|how)(?: |$)/));
  if (items[last + 1]?.kind === 'time' || !isMeaning(item, 'role') || !isWord(item, LEADS) || isAsked) return undefined;
  return { reason: 'unclear', words: `"${textOf(item)}", behind which nothing stands: say what is asked` };
}

const AFTERWORDS = /^(?:please|pls|now|again|thanks|then|too|at all|still|yet)$/;
const LEADS = /^(?:into|out of|of|for|with|between|from|to|towards?|against|about|by|after|among)$/;
