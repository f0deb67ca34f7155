// What "it" stands for: the one thing that is named in the nearest part of the sentence before it. Where that part names two, or speaks of a thing that has
// no name ("the fan", "the server"), it is not known which is meant.

import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { ARTICLE } from '../../words/asking-words.ts';
import { PEOPLE, THING } from '../../words/sentence-words.ts';
import { classesOfWord, type WordClass } from '../../words/word-classes.ts';
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isPlace, isSign, nameOf, textOf } from '../item.ts';
import { type KnownNames, knownNode } from '../names.ts';
import type { Refusal } from '../slots.ts';
import { beginsAsking, itemsOfPart, low, partsOf } from './sentence-parts.ts';

/** "Eth1 on p2 was pulled. How often did it go down": with the one name that stands before it in the place of "it". */
export function withName(part: string, before: string, known: KnownNames): string | undefined {
  const found = IT.exec(part);
  if (before === '' || found === null) return undefined;
  if (/^the[ym]$/i.test(found[0])) {
    const names = itemsOfPart(part, known).some(isPlace) ? undefined : referentsOf(before, known);
    return names === undefined ? undefined : part.replace(IT, names);
  }
  const isThere = /there/i.test(found[0]);
  // "Can it get to 198.51.100.7": only as the subject it stands beside another name.
  const [earlier, later] = [part.slice(0, found.index), part.slice(found.index + found[0].length)];
  const isBeside = (words: string) => itemsOfPart(words, known).some(({ kind }) => NAMES.includes(kind));
  const isSubject = !isBeside(earlier) && !isPlace(itemsOfPart(later, known)[0]);
  const isAddress = itemsOfPart(part, known).some(({ kind }) => kind === 'address');
  if (isThere ? isAddress : isBeside(part) && !isSubject) return undefined;
  const name = referentOf(before, known, isThere);
  return name === undefined ? undefined : part.replace(IT, isThere ? `to ${name}` : name);
}

const NAMES: readonly Item['kind'][] = ['address', 'node', 'record'];

/** As it is typed in a question: `p2`, `eth1 on p2`, `the link between p2 and p4`. */
function referentOf(before: string, known: KnownNames, isThere: boolean): string | undefined {
  const names = itemsOfPart(before, known).filter(isPlace);
  const last = partsOf(before)
    .map(({ text }) => itemsOfPart(text, known))
    .findLast(namesSome);
  if (names.some((item) => item.kind === 'node' && knownNode(item.name, known) === undefined)) return undefined;
  if (last !== undefined && isLink(last, names))
    return `the link between ${names.map((item) => nameOf(item)).join(' and ')}`;
  const isOne = new Set(names.map(nameOf)).size === 1 || isPort(names);
  const port = names.find(({ kind }) => kind === 'ifname');
  const node = names.find(({ kind }) => kind === 'node' || kind === 'address');
  if (node === undefined || !isOne) return undefined;
  // "The fan on p2 was noisy": it is the fan.
  const isOther = last?.some((_, at) => isThing(last, at)) === true || isOfAnother(before, nameOf(port ?? node) ?? '');
  if (isOther && !isThere) return undefined;
  return port === undefined ? nameOf(node) : `${nameOf(port)} on ${nameOf(node)}`;
}

/** "We rebooted p2 and p4. Are they up?": all that the nearest part before it names, where it speaks of nothing else. */
function referentsOf(before: string, known: KnownNames): string | undefined {
  const last = partsOf(before)
    .map(({ text }) => itemsOfPart(text, known))
    .findLast(namesSome);
  const names = last?.filter(isPlace) ?? [];
  const isList = names.length > 1 && names.every((item) => knownNode(nameOf(item) ?? '', known) !== undefined);
  const first = last?.findIndex(isPlace) ?? -1;
  const between = last?.slice(first, (last?.findLastIndex(isPlace) ?? -1) + 1) ?? [];
  const isOnly =
    !isWord(last?.[first - 1], OF) &&
    between.every((item) => isPlace(item) || isMeaning(item, 'and')) &&
    !last?.some((item, at) => isThing(last, at) || isWord(item, PEOPLE));
  return isList && isOnly ? names.map(nameOf).join(' and ') : undefined;
}

/** "The link between p2 and p4 was cut": the only thing that the part speaks of. */
function isLink(part: readonly Item[], names: readonly Item[]): boolean {
  const at = part.findIndex((item) => isNoun(item, 'link'));
  const [between, one, and, other] = part.slice(at + 1, at + 5);
  const isPair = one?.kind === 'node' && other?.kind === 'node' && isMeaning(and, 'and');
  const isOnly = part.filter((_, index) => isThing(part, index)).length === 1;
  return at >= 0 && isWord(between, /^between$/) && isPair && isOnly && names.length === 2;
}

function isPort(names: readonly Item[]): boolean {
  return names.length === 2 && ['ifname', 'node'].every((kind) => names.some((item) => item.kind === kind));
}

/** A preposition before the name: what the sentence is about is another thing. */
function isOfAnother(story: string, name: string): boolean {
  const words = low(story).split(/[\s,;:]+/);
  const at = words.findIndex((word) => word.replace(/[.?!]+$/, '') === name.toLowerCase());
  return at < 0 || OF.test(words[at - 1] ?? '') || (words[at - 1] === 'the' && OF.test(words[at - 2] ?? ''));
}

const OF = /^(?:on|of|behind|from|through|for|like|to|towards|at|in|with|via|near|by|into|over|and|or|than)$/;

/** "Get there", and not "is there". */
const IT = /\b(?:it|they|them|(?<=\b(?:get|gets|go|goes) )there)\b/i;

/** In a sentence that is read at once: "it" is the one thing that was read, or the question refuses. */
export function unclearPronounIn(items: readonly Item[], intent: Intent): Refusal | undefined {
  const other = otherThanNamed(items);
  if (other !== undefined)
    return { reason: 'unclear', words: `"it" as ${other}, beside another name: ask about one of them` };
  const many = unclearPluralIn(items, intent);
  if (many !== undefined) return many;
  const it = items.findIndex((item, at) => isWord(item, /^it$/) && !isCleft(items, at));
  if (it < 0) return undefined;
  const part = nearestPart(items.slice(0, it));
  const names = new Map(part.flatMap((item) => (isPlace(item) ? [[nameOf(item)!, item] as const] : [])));
  const things = part.filter((_, at) => isThing(part, at) && !isRead(part[at]!, intent));
  if (names.size + things.length === 0) return undefined;
  const isOne = names.size === 1 && things.length === 0;
  const isWhole = names.size > 1 && things.length === 0 && (isPort([...names.values()]) || isWay(part, intent));
  const isKept = [...names.keys()].every((name) => holds(intent, name));
  if ((isOne || isWhole) && isKept) return undefined;
  const said = [...names.keys(), ...things.map((item) => `"${textOf(item)}"`)];
  return {
    reason: 'unclear',
    words: `"it", which may ${said.length > 1 ? 'be' : 'or may not be'} ${said.join(' or ')}: say the name of what is asked about`,
  };
}

/** "We rebooted p2. Are its neighbours up?": what belongs to a name of another part of the sentence, or is said of several, and is not what was read. */
function unclearPluralIn(items: readonly Item[], intent: Intent): Refusal | undefined {
  const at = items.findIndex((item) => isWord(item, PLURAL));
  const start = items.slice(0, Math.max(at, 0)).findLastIndex(isSign);
  if (at < 0 || start < 0) return undefined;
  const [before, part] = [items.slice(0, start), items.slice(start + 1)];
  const names = before.filter(isPlace).map(nameOf);
  const isOwn = items
    .slice(start + 1, at)
    .some((item) => isPlace(item) || isMeaning(item, 'noun') || isWord(item, /^(?:who|which)$/));
  if (names.length === 0 || !beginsAsking(part) || isOwn || before.some((_, index) => isMany(before, index)))
    return undefined;
  const isSaid = part.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === intent.topic,
  );
  const isAll = names.length > 1 && names.every((name) => holds(intent, name ?? ''));
  if (isWord(items[at], /^the[ym]$/) && isSaid && isAll && intent.path.length === names.length) return undefined;
  return {
    reason: 'unclear',
    words: `"${textOf(items[at])}", beside ${names.join(' and ')} in another part of the question: say the name of what is asked about`,
  };
}

/** "The hosts on leaf1", "users complain". */
function isMany(items: readonly Item[], at: number): boolean {
  const isOfPlace = isMeaning(items[at + 1], 'role') && isPlace(items[at + 2]);
  return (
    isWord(items[at], PEOPLE) || (isOfPlace && isWord(items[at], /[^s]s$/) && !isMeaning(items[at], 'topic', 'verb'))
  );
}

const PLURAL = /^(?:its|they|them|their|those|these)$/;

/** "We rebooted p2. Is it p4?": which one it is, is asked, and not how both are. */
function otherThanNamed(items: readonly Item[]): string | undefined {
  const at = items.findIndex((item, index) => isWord(item, /^it$/) && isPlace(items[index + 1]));
  const name = at < 0 ? undefined : nameOf(items[at + 1]!);
  const names = items.slice(0, Math.max(at, 0)).filter(isPlace).map(nameOf);
  return names.length > 0 && !names.includes(name) ? name : undefined;
}

/** "Is it p2 that is down", "is it me", "is it loss", "when did it start": what follows says what it is, or it is what happened. */
function isCleft(items: readonly Item[], at: number): boolean {
  const next = items.slice(at + 1).find((item) => !isWord(item, /^(?:just|only|really|is|was|the|a|an)$/));
  const isSaid = isMeaning(next, 'topic') && isWord(next, THING);
  return isPlace(next) || isSaid || isWord(next, EVENT);
}

const EVENT =
  /^(?:me|us|that|true|possible|starts?|started|starting|begin|begins|began|happen|happens|happened|happening|occur|occurs|occurred|end|ended)$/;

/** The last part between signs that names something. */
function nearestPart(before: readonly Item[]): readonly Item[] {
  const parts: Item[][] = [[]];
  for (const item of before)
    if (isSign(item)) parts.push([]);
    else parts.at(-1)!.push(item);
  return parts.findLast(namesSome) ?? [];
}

function namesSome(part: readonly Item[]): boolean {
  return part.some((item, at) => isPlace(item) || isThing(part, at));
}

/** "The server", "the link", "our frobnicator", "the alarm on p2 is red": and not "the router p2", "the printer at 198.51.100.7". */
function isThing(items: readonly Item[], at: number): boolean {
  const [item, before, next, second] = [items[at]!, items[at - 1], items[at + 1], items[at + 2]];
  const isNamed = (isWord(next, NAMED) && isPlace(second)) || (isWord(next, /^at$/) && second?.kind === 'address');
  if (isPlace(next) || isNamed || (isNoun(item, 'node') && isComplement(items, at))) return false;
  if (isNoun(item, 'link', 'interface', 'path', 'node', 'neighbour')) return true;
  const isStrange = (item.kind === 'left' && item.why === 'word') || isMeaning(item, 'aside', 'beyond');
  const isFirst = items.slice(0, at).every(isArticle) && isMeaning(item, 'topic', 'empty');
  const isSubject = isFirst && isMeaning(next, 'role') && isArticle(before) && isHead(item);
  return (isStrange && isArticle(before)) || isSubject || isOwned(items, at) || (isFirst && isWord(item, /^traffic$/));
}

/** "P2 is our core router": the name again. */
function isComplement(items: readonly Item[], at: number): boolean {
  const be = items.slice(0, at).findLastIndex((item) => isWord(item, /^(?:is|was|are|were)$/));
  return isPlace(items[be - 1]) && !items.slice(be, at).some(isPlace);
}

/** "P2 had a config change", "p2 closed the session", "p2 has loss": what is had, done or changed, and no state of what is named. */
function isOwned(items: readonly Item[], at: number): boolean {
  const item = items[at]!;
  if (isMeaning(item, 'topic') && isWord(item, /^(?:lost|loses) (?:its|the|a) /)) return true;
  const isThingOf = item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic !== 'trouble';
  if (!isThingOf || !(isWord(item, THING) || isWord(item, /(?:change|flap|route|connection)$/))) return false;
  const start = items.slice(0, at).findLastIndex((each) => isArticle(each) || isWord(each, /^its$/));
  const had = items.slice(0, at).findLastIndex((each) => isWord(each, /^(?:has|had|have|got|gets|lost|loses)$/));
  const isNear = (from: number) => from >= 0 && items.slice(from + 1, at).every(isDescribing);
  return isNear(start) || (isNear(had) && !/[^s]s$/.test(textOf(item)));
}

/** "A flapping session", "a config change". */
function isDescribing(item: Item): boolean {
  return item.kind === 'left' || isMeaning(item, 'topic', 'empty', 'aside', 'protocol');
}

/** What a sentence may be about, and a place is only said of: "the route to p2", "a ticket for p2". */
function isHead(item: Item): boolean {
  if (isMeaning(item, 'topic')) return isWord(item, THING);
  return ['record', 'lead', 'measure'].some((each) => classesOfWord(textOf(item)).has(each as WordClass));
}

/** "My laptop is 198.51.100.7": the thing that the name is of. */
const NAMED = /^(?:is|with|called|named)$/;
function isArticle(item: Item | undefined): boolean {
  return isWord(item, ARTICLE);
}

/** What the question that was read is about anyway. */
function isRead(item: Item, { isLink, path, ifname, topic, neighbour }: Intent): boolean {
  if (isNoun(item, 'link', 'path')) return isLink === true || path.length > 1;
  if (isNoun(item, 'interface')) return ifname !== undefined;
  if (item.kind === 'meaning' && item.meaning.kind === 'topic')
    return item.meaning.topic === topic || (item.meaning.topic === 'traffic' && path.length > 1);
  return isNoun(item, 'neighbour') && (topic === 'neighbours' || neighbour !== undefined);
}

/** Two ends, of which nothing is said before both are named: "the link between p2 and p4", "traffic from p2 to p4", and not "p2 cannot see p4". */
function isWay(part: readonly Item[], { path, isLink, destination, neighbour }: Intent): boolean {
  const [first, last] = [part.findIndex(isPlace), part.findLastIndex(isPlace)];
  const between = part.slice(first + 1, last).filter((item) => !isArticle(item) && !isPlace(item));
  const isRow = between.every(
    (item) =>
      item.kind === 'number' || isMeaning(item, 'role', 'and', 'noun', 'port', 'service') || item.kind === 'arrow',
  );
  const isLed =
    isMeaning(part[first - 1], 'role', 'noun') ||
    between.length === 0 ||
    between.some((item) => isMeaning(item, 'role') || item.kind === 'arrow') ||
    part.every((item) => isPlace(item) || isMeaning(item, 'and'));
  return isRow && isLed && (isLink === true || path.length > 1 || (destination ?? neighbour) !== undefined);
}

function holds(intent: Intent, name: string): boolean {
  const { path, ifname, destination, neighbour, fromHost, service } = intent;
  const kept = [...path.map(({ key }) => key), ifname, fromHost?.ifname, destination, neighbour, fromHost?.address];
  return [...kept, service?.record].some((each) => each !== undefined && nodeKey(each) === nodeKey(name));
}
