// Two names that are no two ends: "p2 was slow. is p4 slow?", "p2 has loss and p4 does not", "p2 drops p4". Bare names are read as the ends of a way
// only where nothing is said of the first before the second is named.
import { AUXILIARY } from '../../words/asking-words.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import { type Refusal, unclear } from '../slots.ts';

/** @param isWay the names are read as ends, and not each by itself */
export function twoNamesIn(items: readonly Item[], isWay: boolean): Refusal | undefined {
  const isOfSession = items.some(
    (item) =>
      isMeaning(item, 'protocol') ||
      (item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'session'),
  );
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'node') continue;
    const next = items.findIndex((each, index) => index > at && isName(each));
    const other = items[next];
    if (next < 0 || other?.kind !== 'node' || other.name.toLowerCase() === item.name.toLowerCase()) continue;
    const between = items.slice(at + 1, next);
    if (isWay && isSaidOfEach(between, items.slice(next + 1)))
      return unclear('what is said of one node, and what of another: ask about each');
    const [verb, ...more] = between;
    // "P4 says p2 is slow" is of the way from the one to the other.
    if (more.length === 0 && isWord(verb, DOES) && !(isWay && isWord(verb, SAYS)))
      return unclear(`"${textOf(verb)}" between two nodes, of which it is not known what it says`);
    const isAlone = !items.some((each) => isMeaning(each, 'topic', 'verb', 'protocol', 'noun', 'show', 'past'));
    if (isAlone && more.length === 0 && (isWord(verb, BESIDE) || verb?.kind === 'left'))
      return unclear(`"${textOf(verb)}" between two nodes, and nothing of what is asked about them`);
    const isHeld = isWord(items[next + 1], /^as$/) && isMeaning(items[next + 2], 'topic') && !isOfSession;
    // "Packets from p2 dropped by p4" and "loss to p4 seen by p2" are of the way between them.
    const isEnd = isWord(items[at - 1], /^(?:from|to)$/) || isOfSession;
    if ((isHeld && !isWay) || (!isEnd && (isDoer(between) || isSaidSeen(items, between, isWay))))
      return unclear(
        'what one node does to another, or how it sees it: ask about one of them, or about the way between them',
      );
    if (isWord(between.at(-1), /^for$/) && isWord(between.at(-2), STATE))
      return unclear(`"${textOf(between.at(-2))}" for another node: ask about a way from one to the other`);
    if (between.some((each) => isWord(each, /^(?:maybe|perhaps|probably|possibly|then)$/)) && between.length < 4)
      return unclear('a second node that is not certain: name what is meant');
  }
  return undefined;
}

/** A verb or a state before a full stop, "but" or "and", and behind the second name something of its own, or nothing: "is p2 slow? And p4?". */
function isSaidOfEach(between: readonly Item[], behind: readonly Item[]): boolean {
  const at = between.findIndex(
    (item) => item.kind === 'stop' || isMeaning(item, 'and') || item.kind === 'comma' || isWord(item, /^but$/),
  );
  if (at < 0 || between.slice(at).some((item) => isMeaning(item, 'role'))) return false;
  const isSaid = between.slice(0, at).some((item) => isMeaning(item, 'topic'));
  const isAgain = behind.some((item) => isMeaning(item, 'topic', 'not') || isWord(item, AUXILIARY));
  return isSaid && (isAgain || behind.every((item) => item.kind === 'stop' || isMeaning(item, 'empty')));
}

/** "Are errors on p2 seen by p4", "p2 appears down to p4". */
function isSaidSeen(items: readonly Item[], between: readonly Item[], isWay: boolean): boolean {
  const isTold = items.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic !== 'reach',
  );
  const isAppearing =
    !isWay &&
    between.some((item) => isWord(item, /^(?:appears?|seems?|looks?)$/)) &&
    isWord(between.at(-1), /^(?:to|for)$/);
  return isTold && (isWord(between.at(-1), /^(?:seen|heard) by$/) || isAppearing);
}

/** "Is p2 seen as down by p4". */
function isDoer(between: readonly Item[]): boolean {
  const isSaid = between.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic !== 'reach',
  );
  return isSaid && isWord(between.at(-1), /^by$/) && isMeaning(between.at(-1), 'role');
}

const STATE = /^(?:slow|fast|down|up|bad|good|lossy|unstable)$/;
const BESIDE = /^(?:with|for|of|against|as|by|about|near|behind)$/;
const SAYS = /^(?:says|said|claims|reports|shows)$/;
/** In the third person these do something to the second. */
const DOES =
  /^(?:says|said|claims|reports|shows|drops|loses|fails|delays|calls|slows down|slowed down|checks|tests|watches|measures|flaps|bounces|crashes|corrupts|discards|breaks)$/;
