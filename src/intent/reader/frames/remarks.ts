// What people say beside the question, in a part of the sentence of its own: "customer is angry", "the caller does not know his port". Nothing of the
// network is in it, and the answer names it. "The internet is slow" complains of what is behind a node: it asks what is wrong, and is named too.
import { PEOPLE } from '../../words/sentence-words.ts';
import { type Item, isName, isSign } from '../item.ts';
import { aside, type Frame, isMeaning, isWord } from './parts.ts';

export const remarked: Frame = (items) => {
  const clauses = clausesOf(items);
  const isAsked = (clause: readonly Item[]) => clause.some((item) => isName(item) || isMeaning(item, 'topic'));
  if (!clauses.some((clause) => isAsked(clause))) return items;
  return clauses.flatMap((clause) => (isRemark(clause) ? [aside(wordsOf(clause))] : clause));
};

const KNOWS = /^(?:know|knows|sure|tell|say|says|remember|understand|happy|amused)$/;

/** Of people, and of nothing that a network has; what they do not know is no complaint. */
function isRemark(clause: readonly Item[]): boolean {
  const words = clause.filter((item) => !isMeaning(item, 'empty') || isWord(item, PEOPLE));
  const isOfPeople = clause.some((item, at) => isWord(item, PEOPLE) && clause.slice(0, at).every(isPlain));
  const isUnknowing = clause.some(
    (item, at) => isMeaning(item, 'not') && clause.slice(at + 1, at + 3).some((next) => isWord(next, KNOWS)),
  );
  const isHarmless = (item: Item) =>
    isMeaning(item, 'empty', 'aside') ||
    (item.kind === 'left' && (item.why === 'word' || item.why === 'aside')) ||
    (isUnknowing && isMeaning(item, 'not', 'noun', 'port'));
  return isOfPeople && words.length > 1 && clause.every(isHarmless);
}

function isPlain(item: Item): boolean {
  return isMeaning(item, 'empty');
}

/** Each with the sign that ends it as a part of its own. */
function clausesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const clauses: Item[][] = [[]];
  for (const item of items)
    if (isSign(item)) clauses.push([item], []);
    else clauses.at(-1)!.push(item);
  return clauses;
}

function wordsOf(clause: readonly Item[]): string {
  return clause.flatMap((item) => ('text' in item ? [item.text] : [])).join(' ');
}

export const outside: Frame = (items) => {
  const at = items.findIndex(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'beyond' && /^(?:the )?internet$/.test(item.text),
  );
  const [before, next] = [items[at - 1], items.slice(at + 1).findIndex((item) => !isMeaning(item, 'empty'))];
  const end = at + 1 + next;
  const isComplaint = next >= 0 && isMeaning(items[end], 'topic', 'not') && isWord(items[end], COMPLAINS);
  if (at < 0 || !isComplaint || isMeaning(before, 'role')) return items;
  const last = isMeaning(items[end], 'not') && isMeaning(items[end + 1], 'topic') ? end + 2 : end + 1;
  return [
    ...items.slice(0, at),
    aside(wordsOf(items.slice(at, last))),
    { kind: 'meaning', meaning: { kind: 'topic', topic: 'trouble' }, text: 'wrong' },
    ...items.slice(last),
  ];
};

const COMPLAINS =
  /^(?:not|no|slow|very slow|laggy|sluggish|down|gone|dead|broken|bad|terrible|poor|awful|unstable|flaky|away|offline|stuck|crawling|crawls|unreliable|died|stopped working|fails?|failing|drops?|keeps dropping|disconnects|unavailable|working|works?)$/;

/** "Ping from pe1 to pe3 is 80 ms": how long it takes. */
export const timed: Frame = (items) => {
  const isPing = (item: Item) => isMeaning(item, 'topic') && isWord(item, /^(?:ping|pings|pinging|ping6)$/);
  const isLong = items.some(
    (item, at) =>
      (item.kind === 'left' && item.why === 'aside' && /^\d+(?:[.,]\d+)?\s?(?:ms|msec)$/.test(item.text)) ||
      (item.kind === 'number' && isWord(items[at + 1], /^(?:ms|msec|m[ie]l?lisec(?:ond)?s?)$/)),
  );
  if (!isLong || !items.some(isPing)) return items;
  return items.map((item) =>
    isPing(item) ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'delay' }, text: 'ping time' } : item,
  );
};

/** "Has nobody changed anything on p2": asks what "anybody" asks. */
export const negatedPerson: Frame = (items) => {
  const isChange = items.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'changes',
  );
  const at = items.findIndex((item) => isMeaning(item, 'turn') && isWord(item, /^(?:nobody|no one|noone)$/));
  if (!isChange || at < 0) return items;
  return items.map((item, index) =>
    index === at ? { kind: 'meaning', meaning: { kind: 'empty' }, text: 'nobody' } : item,
  );
};

/** "Leaf1 is without bgp": it has none. "Which nodes are without bgp" asks for those that do not run it. */
export const lacking: Frame = (items) =>
  items.map((item, at) =>
    isWord(item, /^without$/) &&
    isMeaning(items[at + 1], 'protocol') &&
    isWord(items[at - 1], /^(?:is|was|has been)$/) &&
    items[at - 2]?.kind === 'node' &&
    !items.some((each) => isWord(each, /^(?:which|who|what|any|all)(?: |$)/))
      ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'trouble', weak: true }, text: 'down' }
      : item,
  );
