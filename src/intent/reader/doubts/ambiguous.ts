// Words that mean two things of the trade, and directions that are said without their ends: which is meant is not known.
import { type Item, textOf } from '../item.ts';
import type { KnownNames } from '../names.ts';
import type { Refusal } from '../slots.ts';
import { turnedIn } from './turned-round.ts';

export function ambiguousIn(items: readonly Item[], known: KnownNames): Refusal | undefined {
  const lag = items.find((item) => textOf(item) === 'lag');
  // "The LAG is down", "one member of the LAG".
  if (lag !== undefined && items.some((item) => OF_BUNDLE.test(textOf(item))))
    return {
      reason: 'unclear',
      words: '"lag", which may be a delay or a bundle of links: say "delay", or name the interface',
    };
  const back = items.find((item, index) => isWayBack(items, item, index));
  if (back !== undefined)
    return {
      reason: 'unclear',
      words: `"${textOf(back)}", a direction without its ends: say from which node to which`,
    };
  // "Wrong cable", "wrong route": what it should be is not known; "what is wrong link p2 p4" asks how it is.
  const wrong = items.find(
    (item, index) => textOf(item) === 'wrong' && isThing(items[index + 1]) && !items.slice(0, index).some(isWhat),
  );
  if (wrong !== undefined)
    return {
      reason: 'unsupported',
      words: `what is the right ${textOf(items[items.indexOf(wrong) + 1])}, which no node knows: ask what is wrong, or what changed`,
    };
  return turnedIn(items, known);
}

function isThing(item: Item | undefined): boolean {
  if (item?.kind !== 'meaning') return false;
  if (/^(?:answers?|responses?|repl(?:y|ies)|results?)$/.test(item.text)) return true;
  return (
    item.meaning.kind === 'noun' ||
    (item.meaning.kind === 'topic' && ['path', 'interfaces', 'mtu'].includes(item.meaning.topic))
  );
}

function isWhat(item: Item): boolean {
  return /^(?:what|whats|what is|something|anything)$/.test(textOf(item));
}

const OF_BUNDLE = /^(?:down|up|members?|lacp|bundle|ports?|interfaces?|flap\w*|carrier|state|status)$/;

/** "The way back", and not "the way back from pe3 to pe1"; "there and back" is both ways. */
function isWayBack(items: readonly Item[], item: Item, index: number): boolean {
  const [before, next, second] = [textOf(items[index - 1]), textOf(items[index + 1]), textOf(items[index + 2])];
  const isBack = textOf(item) === 'back' && WAY.test(before);
  const isReturn = /^(?:return|returning|reply)$/.test(textOf(item)) && (WAY.test(next) || /^traffic$/.test(next));
  const follows = isBack ? next : second;
  return (isBack || isReturn) && follows !== 'from';
}

const WAY = /^(?:way|path|direction|route|ways?|leg)$/;
