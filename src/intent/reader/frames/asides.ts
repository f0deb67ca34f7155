// Relative clauses behind an exception that say no more than it does: "apart from p4, which we know about".
import type { Item } from '../item.ts';
import { type Frame, isMeaning, isWord } from './parts.ts';

export const known: Frame = (items) => {
  const except = items.findIndex(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'except',
  );
  const at = items.findIndex(
    (item, index) => index > except && isWord(item, /^(?:we|i) (?:already )?know (?:about|of)(?: that)?$/),
  );
  if (except < 0 || at < 0) return items;
  const from = items.slice(0, at).findLastIndex((item) => item.kind === 'node') + 1;
  const isClause = items
    .slice(from, at)
    .every(
      (item) => item.kind === 'comma' || item.kind === 'dash' || isWord(item, /^(?:which|that|as|because|since)$/),
    );
  const isBeside = items.slice(except + 1, from).every(isOfList) && from > except + 1;
  const end = items.findIndex((item, index) => index > at && !isPointer(item));
  const isEnd = end < 0 || items[end]!.kind === 'stop' || items[end]!.kind === 'comma';
  return isClause && isBeside && isEnd ? [...items.slice(0, from), ...(end < 0 ? [] : items.slice(end))] : items;
};

function isOfList(item: Item): boolean {
  return (
    item.kind === 'node' || item.kind === 'comma' || isMeaning(item, 'and') || isWord(item, /^(?:the|node|router)$/)
  );
}

function isPointer(item: Item): boolean {
  return isWord(item, /^(?:that one|this one|that|this|it|already|one|the one)$/);
}
