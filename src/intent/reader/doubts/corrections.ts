// "R1 - sorry, r2": of what is named twice the second is meant. A name that takes the place of the name right before it is put there, and the answer
// names the other one as not used; any other correction is no question that is read.
import { type Item, isName, isSign, type NameItem, typedName } from '../item.ts';
import type { Refusal } from '../slots.ts';

/** The items with each name in the place of the one that it corrects. */
export function corrected(items: readonly Item[]): readonly Item[] {
  const whole = wholeWay(items);
  if (whole !== undefined) return whole;
  const found = correctionsIn(items).find(({ first, second }) => isOneForOne(items, first, second));
  if (found === undefined) return items;
  const { first, second } = found;
  const aside: Item = { kind: 'left', text: typedName(items[first] as NameItem), why: 'aside' };
  return corrected([...items.slice(0, first), items[second]!, aside, ...items.slice(second + 1)]);
}

/** "Pe1 reaches 198.51.100.7 but not 198.51.100.8": the second is asked about. "BGP not OSPF": the first is. */
export function contrasted(items: readonly Item[]): readonly Item[] {
  const at = items.findIndex(
    (item, index) => index > 0 && isNot(item) && isSameKind(items[index - 1], items[index + 1]),
  );
  if (at < 0) return items;
  const [first, second] = [items[at - 1]!, items[at + 1]!];
  if (isProtocol(first) && isProtocol(second)) {
    const aside: Item = { kind: 'left', text: `not ${second.text}`, why: 'aside' };
    return [...items.slice(0, at), aside, ...items.slice(at + 2)];
  }
  const isReached = items.slice(0, at - 1).some(isReaching) && !items.slice(0, at - 1).some(isNegation);
  const next = items[at + 2];
  const isLast =
    next === undefined || isSign(next) || (next.kind === 'meaning' && ['empty', 'aside'].includes(next.meaning.kind));
  if (!isName(first) || !isReached || !isLast || isListed(items[at - 2])) return items;
  const aside: Item = { kind: 'left', text: typedName(first), why: 'aside' };
  return [...items.slice(0, at - 1), second, aside, ...items.slice(at + 2)];
}

function isNot(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:but )?not$/.test(item.text);
}

function isNegation(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'not';
}

function isReaching(item: Item): boolean {
  if (item.kind !== 'meaning') return false;
  return item.meaning.kind === 'verb' || (item.meaning.kind === 'topic' && item.meaning.topic === 'reach');
}

function isProtocol(item: Item): item is Extract<Item, { readonly kind: 'meaning' }> {
  return item.kind === 'meaning' && item.meaning.kind === 'protocol';
}

function isSameKind(one: Item | undefined, other: Item | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (isProtocol(one)) return isProtocol(other);
  return one.kind === other.kind && ['node', 'address'].includes(one.kind);
}

/** What corrects more than the name before it. */
export function correctionIn(items: readonly Item[]): Refusal | undefined {
  const [found] = correctionsIn(items);
  if (found === undefined) return undefined;
  return {
    reason: 'unclear',
    words: `a correction ("${found.text}"), of which it is not known what it takes back: ask once, with what is meant`,
  };
}

/** "Loss between h1 and h2, I mean from h2 to h1": the same two names as a way. */
function wholeWay(items: readonly Item[]): readonly Item[] | undefined {
  const [found] = correctionsIn(items);
  if (found === undefined) return undefined;
  const at = items.findIndex((item, index) => index < found.second && 'text' in item && item.text === found.text);
  const [before, after] = [items.slice(0, at), items.slice(at + 1)];
  const namesOf = (some: readonly Item[]) => [...new Set(some.filter(isName).map(typedName))].sort().join(' ');
  const isWay = ['from', 'to'].every((role) =>
    after.some((item) => isRole(item) && 'text' in item && item.text === role),
  );
  if (!isWay || namesOf(before) !== namesOf(after) || after.filter(isName).length !== 2) return undefined;
  const rest = before.filter((item) => !isName(item) && !isListed(item) && !(isRole(item) && item !== before[0]));
  return [...rest, ...after];
}

/** Between `first` and `second`, two names, stands nothing but words of correction, and what says where the second is. */
type Correction = { readonly text: string; readonly first: number; readonly second: number };

function correctionsIn(items: readonly Item[]): readonly Correction[] {
  return items.flatMap((item, at) => {
    if (!('text' in item) || !CORRECTS.test(item.text.toLowerCase())) return [];
    const first = items.slice(0, at).findLastIndex((each) => !isSign(each) && !isFiller(each));
    const second = items.findIndex((each, index) => index > at && !isSign(each) && !isFiller(each) && !isRole(each));
    const isSecond = isName(items[second]);
    // "I mean" takes back what was said before it, wherever the name of that stands.
    const isFirst = MEANS.test(item.text) ? items.slice(0, at).some(isName) : isName(items[first]);
    return isFirst && isSecond ? [{ text: item.text, first, second }] : [];
  });
}

const MEANS = /^(?:(?:i )?(?:mean|meant))$/i;
const CORRECTS =
  /^(?:(?:i )?(?:mean|meant)|sorry|oops|ups|actually|rather|correction|wait|scratch that|strike that|make that|pardon|excuse me)$/;
const FILLER = /^(?:i|no|not|ah|oh|um|uh|hmm|well|that|it|the|a|ok|okay|is|of course|of|please)$/;

/** One name, of the same kind, and not one of a list. */
function isOneForOne(items: readonly Item[], first: number, second: number): boolean {
  const [one, other] = [items[first], items[second]];
  if (!isName(one) || !isName(other) || one.kind !== other.kind) return false;
  // "Why can h1 not reach h2? Sorry, h3 works": a sentence of its own says something else.
  if (items.slice(first + 1, second).some((item) => isRole(item) || item.kind === 'stop')) return false;
  if (items.slice(second + 1).some(isAddition)) return false;
  return !isListed(items[first - 1]) && !isListed(items[second + 1]) && !isName(items[second + 1]);
}

/** "Wait, pe3 is also down": beside the other. */
function isAddition(item: Item): boolean {
  return 'text' in item && /^(?:also|too|as well|either)$/i.test(item.text);
}

function isListed(item: Item | undefined): boolean {
  return item?.kind === 'arrow' || item?.kind === 'dash' || item?.kind === 'comma' || isJoin(item);
}

function isJoin(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && (item.meaning.kind === 'and' || item.text === 'or');
}

function isFiller(item: Item): boolean {
  return 'text' in item && (FILLER.test(item.text.toLowerCase()) || CORRECTS.test(item.text.toLowerCase()));
}

function isRole(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role !== 'except';
}
