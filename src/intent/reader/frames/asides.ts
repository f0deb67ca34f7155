// What is said beside the question and is named as not used: "apart from p4, which we know about", "never mind p2, how is p4", "best regards, John".
import { type Item, isName, isSign, textOf } from '../item.ts';
import { aside, type Frame, isMeaning, isNoun, isWord } from './parts.ts';

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
  if (!isClause || !isBeside || !isEnd) return items;
  const clause = items.slice(from, end < 0 ? undefined : end).flatMap((item) => ('text' in item ? [item.text] : []));
  return [...items.slice(0, from), aside(clause.join(' ')), ...(end < 0 ? [] : items.slice(end))];
};

function isOfList(item: Item): boolean {
  return (
    item.kind === 'node' || item.kind === 'comma' || isMeaning(item, 'and') || isWord(item, /^(?:the|node|router)$/)
  );
}

function isPointer(item: Item): boolean {
  return isWord(item, /^(?:that one|this one|that|this|it|already|one|the one)$/);
}

/** "Anything else broken apart from p2": else than what is left out. */
export const elseThan: Frame = (items) => {
  const at = items.findIndex(
    (item, index) => isWord(item, /^else$/) && isWord(items[index - 1], /^(?:anything|something|what|everything|who)$/),
  );
  const isExcept = items
    .slice(at + 1)
    .some((item) => item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'except');
  return at < 0 || !isExcept
    ? items
    : items.map((item, index) => (index === at ? { kind: 'meaning', meaning: { kind: 'empty' }, text: 'else' } : item));
};

/** "Leaving pe3 aside", "pe3 aside": except pe3. */
export const setAside: Frame = (items) => {
  const at = items.findIndex((item) => isWord(item, /^(?:aside|apart)$/) && isMeaning(item, 'turn'));
  const node = items[at - 1];
  if (at < 1 || node?.kind !== 'node') return items;
  const isLeaving = isWord(items[at - 2], /^(?:leaving|leave|setting|putting)$/);
  const start = isLeaving ? at - 2 : at - 1;
  const isOwn = start === 0 || ['stop', 'comma'].includes(items[start - 1]!.kind);
  if (!isOwn) return items;
  const except: Item = { kind: 'meaning', meaning: { kind: 'role', role: 'except' }, text: 'except' };
  return [...items.slice(0, start), except, node, ...items.slice(at + 1)];
};

/** "Best regards, John": who signs is no part of the question, and is named as not used. */
export const signed: Frame = (items) => {
  const at = items.findIndex((item) => isWord(item, /(?:^| )(?:regards|rgds|cheers|sincerely)$/));
  const behind = items.slice(at + 1);
  const isSigned = behind.every((item) => isSign(item) || (item.kind === 'left' && item.why === 'word'));
  if (at < 1 || !isSigned || behind.filter((item) => item.kind === 'left').length > 2) return items;
  return [...items.slice(0, at + 1), ...behind.flatMap((item) => (item.kind === 'left' ? [aside(item.text)] : []))];
};

/** "The payroll system at 198.51.100.7", "my SBC 198.51.100.60", "RTP packets": what a thing is called by people, and is named as not used. */
export const titled: Frame = (items) =>
  items.map((item, at) => {
    if (item.kind !== 'left' || item.why !== 'word' || /(?:ing|ed|ly)$/.test(item.text)) return item;
    const [next, second, third] = items.slice(at + 1, at + 4);
    const isClass = /^[A-Z]{2,6}$/.test(item.text) && isWord(next, /^(?:packets?|frames?|traffic)$/);
    const isOwned = isWord(items[at - 1], /^(?:the|my|our|his|her|their|a|an|this)$/);
    const isThing =
      isNoun(next, 'node', 'interface') && (isName(second) || (isWord(second, /^(?:at|on)$/) && isName(third)));
    return isClass || (isOwned && (isThing || next?.kind === 'address' || next?.kind === 'ifname'))
      ? aside(item.text)
      : item;
  });

/** "The link that connects p2 and p4": the link between them. */
export const joining: Frame = (items) => {
  const at = items.findIndex((item) => isWord(item, /^(?:connects?|connecting|joins?|joining|linking)$/));
  const [one, and, other] = items.slice(at + 1, at + 4);
  const isPair =
    one?.kind === 'node' && other?.kind === 'node' && (isMeaning(and, 'and') || isWord(and, /^(?:to|with)$/));
  const isOfLink = items
    .slice(Math.max(0, at - 2), at)
    .some((item) => item.kind === 'meaning' && item.meaning.kind === 'noun' && item.meaning.noun === 'link');
  if (at < 1 || !isPair || !isOfLink) return items;
  const between: Item = { kind: 'meaning', meaning: { kind: 'role', role: 'between' }, text: 'between' };
  return [
    ...items.slice(0, at),
    between,
    one,
    { kind: 'meaning', meaning: { kind: 'and' }, text: 'and' },
    other,
    ...items.slice(at + 4),
  ];
};

/** "Never mind p2, how is p4", "leave the delay aside, is there jitter on p2": what is set aside has no question of its own. */
export const ignored: Frame = (items) => {
  const end = items.findIndex(({ kind }) => ['comma', 'dash', 'stop'].includes(kind));
  const [clause, rest] = [items.slice(0, end), items.slice(end + 1)];
  const isLeft = isWord(clause[0], /^leav(?:e|ing)$/) && isWord(clause.at(-1), /^(?:aside|out|apart)$/);
  const isIgnored = isMeaning(clause[0], 'turn') && isWord(clause[0], /^(?:never mind|forget(?: about)?|disregard)$/);
  const named = clause.slice(1, isLeft ? -1 : undefined);
  const isBare = named.every(
    (item) =>
      isName(item) || isMeaning(item, 'topic', 'noun', 'and', 'protocol') || isWord(item, /^(?:the|a|any|on|of|our)$/),
  );
  const isAsked = rest.some((item) => isMeaning(item, 'topic', 'verb')) && rest.some(isName);
  if (end < 2 || !(isLeft || isIgnored) || !isBare || !isAsked) return items;
  // "Leave p2 aside, what is wrong": an exception is read as one.
  if (isLeft && !named.some((item) => isMeaning(item, 'topic', 'protocol'))) return items;
  return [aside(clause.map(saidOf).join(' ')), ...rest];
};

function saidOf(item: Item): string {
  return item.kind === 'node'
    ? item.name
    : item.kind === 'ifname'
      ? item.ifname
      : item.kind === 'address'
        ? item.address
        : textOf(item);
}
