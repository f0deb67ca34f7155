// How far a question goes: from one place to another, or to all of them. What is measured is one way with two ends; a question about every other
// end, about which ends there are, or about how many there are of a thing, is another one.
import type { Topic } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { isData } from './data-topics.ts';
import { type Item, wordOf } from './item.ts';
import { hasEnds, type Places } from './places.ts';
import type { Refusal } from './slots.ts';

/** "How many BGP neighbours are down": nothing counts them. */
export function countIn(items: readonly Item[]): Refusal | undefined {
  const many = items.findIndex(
    (item, index) => (wordOf(item) === 'many' && wordOf(items[index - 1]) === 'how') || wordOf(item) === 'number of',
  );
  if (many < 0) return undefined;
  const counted = items.slice(many + 1).find((item) => !isPassed(item));
  if (counted?.kind !== 'meaning') return undefined;
  const { meaning, text } = counted;
  const isThing =
    meaning.kind === 'noun' ||
    (meaning.kind === 'topic' && ['session', 'neighbours'].includes(meaning.topic)) ||
    CALLS.test(text);
  return isThing
    ? { reason: 'unsupported', words: `how many there are of a thing ("${text}"): ask to be shown them` }
    : undefined;
}

/** What users have open, of which no node knows: elsewhere the word says that something is slow. */
const CALLS = /^(?:(?:video|voice|voip|phone|conference) )?(?:calls?|meetings?|streams?|conferences?)$/;

function isPassed(item: Item): boolean {
  return item.kind === 'meaning' && (['empty', 'protocol', 'srv6'].includes(item.meaning.kind) || item.text === 'of');
}

/** "Uptime of all nodes": a table is of nodes that are named. */
export function tableIn(items: readonly Item[], { on, bare, from }: Places, topic: Topic): Refusal | undefined {
  const isOfNode = isData(topic) && !['where', 'nodes', 'history', 'path'].includes(topic);
  const every = items.find(
    (item) =>
      (item.kind === 'meaning' && item.meaning.kind === 'everywhere' && ALL_NODES.test(item.text)) ||
      (topic === 'uptime' && /^(?:who|what|which|any|anything|something|everything)$/.test(wordOf(item))),
  );
  if (!isOfNode || every === undefined || on.length + bare.length + from.length > 0) return undefined;
  return { reason: 'unsupported', words: `a table of more than one node ("${wordOf(every)}"): name the nodes` };
}

const ALL_NODES =
  /^(?:(?:all|every|each|any|which) (?:nodes?|routers?)|(?:the |whole |our )?network|everywhere|fabric|backbone|core)$/;

/** A way to or from every place, to a place that is asked for, or more than one way. */
export function wideIn(items: readonly Item[], places: Places, topic: Topic, hasWay: boolean): Refusal | undefined {
  const every = items.find(
    (item, index) =>
      isEvery(item, items[index + 1]) &&
      isEnd(roleBefore(items, index), wordOf(item)) &&
      // "Wrong with the network".
      !(topic === 'trouble' && roleBefore(items, index) === 'with'),
  );
  const refused = (what: string): Refusal => ({
    reason: 'unsupported',
    words: `${what}: name the two ends of one way`,
  });
  if (every !== undefined) return refused(`a way to or from more than one place ("${wordOf(every)}")`);
  const { from, to, addresses } = places;
  if (!hasEnds(topic))
    return ONE_WAY.includes(topic) && !hasWay && to.length > 0
      ? refused(`${topic} in one direction ("to ${to[0]}")`)
      : undefined;
  // A round trip is measured from the node that was named.
  const isRound = topic === 'delay' && places.on.length === 1 && from.length + to.length === 0;
  const isAnswer = isRound || items.some((item) => ANSWERS.test(wordOf(item)));
  if (addresses.length === 1 && (isFromAddress(items) || (addresses[0]!.role === 'from' && !isAnswer)))
    return {
      reason: 'unclear',
      words: `${addresses[0]!.address} as the place where packets begin: name the node that sends them`,
    };
  const ends = addresses.filter(({ role }) => role === 'from' || role === 'to').length;
  // "Loss to p2 and pe3" is asked of both; "in direction p2 to pe3" names a way that was not read.
  const toCount = items.filter((item, index) => isTo(item) && !isSeparator(items[index - 1])).length;
  const isList = from.length === 0 && toCount === 1;
  if (isMany(from) || (isMany(to) && !isList) || (!hasWay && !isList && ends === 0 && from.length + to.length > 1))
    return refused('more than one way');
  // "Is it p1? loss pe1 pe3".
  if (!hasWay && places.bare.length > 2 && isBrokenUp(items)) return refused('names in more than one sentence');
  const isAsked = items.some(
    (item, index) => isEvery(item, items[index + 1]) || isQuestion(item) || isNone(item, items[index - 1]),
  );
  const names = items.filter(({ kind }) => kind === 'node' || kind === 'address').length;
  const isTrouble = items.some(
    (item) =>
      item.kind === 'meaning' && item.meaning.kind === 'topic' && ['trouble', 'where'].includes(item.meaning.topic),
  );
  // "Ping r1 and r2": from the asked node to both, or from one to the other.
  const isPair =
    topic === 'reach' &&
    places.bare.length === 2 &&
    (places.verb === undefined || items.some((item) => STATE.test(wordOf(item)))) &&
    from.length + to.length === 0;
  if (
    isPair &&
    items.some((item, index) => isAnd(item) && isNodeAt(items, index - 1) && isNodeAt(items, index + 1)) &&
    !items.some((item) => MUTUAL.test(wordOf(item)))
  )
    return refused('more than one way');
  if (topic === 'reach' && isAsked && !isTrouble && names === 1)
    return refused('which places can be reached, or from where');
  return undefined;
}

function isTo(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'to';
}

function isSeparator(item: Item | undefined): boolean {
  return item?.kind === 'comma' || (item?.kind === 'meaning' && item.meaning.kind === 'and');
}

/** A full stop between two names. */
function isBrokenUp(items: readonly Item[]): boolean {
  const [first, last] = [
    items.findIndex(({ kind }) => kind === 'node'),
    items.findLastIndex(({ kind }) => kind === 'node'),
  ];
  return items.slice(first, last).some(({ kind }) => kind === 'stop');
}

function isAnd(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'and';
}

function isNodeAt(items: readonly Item[], at: number): boolean {
  return items[at]?.kind === 'node';
}

const STATE = /^(?:not )?(?:un)?(?:reachable|pingable)$/;
const MUTUAL =
  /^(?:each other|one another|together|connection|connections|connectivity|communicate|communication|talk|talking|connected)$/;

function isMany(names: readonly string[]): boolean {
  return new Set(names.map(nodeKey)).size > 1;
}

/** Told of a node or an interface, in both directions. */
const ONE_WAY: readonly Topic[] = ['traffic', 'counters', 'errors'];

/** "Can 198.51.100.7 reach pe3", "198.51.100.7 to pe3": what has no agent measures nothing. */
function isFromAddress(items: readonly Item[]): boolean {
  const address = items.findIndex(({ kind }) => kind === 'address');
  const node = items.findIndex(({ kind }) => kind === 'node');
  if (address < 0 || node < address) return false;
  const between = items.slice(address + 1, node);
  if (between.some((item) => item.kind === 'meaning' && item.meaning.kind === 'verb' && item.meaning.back === true))
    return false;
  const isBare = !between.some((item) => item.kind === 'meaning' && item.meaning.kind === 'role');
  const isTowards = between.some(isTo);
  const isActive = between.some(
    (item) => item.kind === 'meaning' && (item.meaning.kind === 'verb' || REACHES.test(item.text)),
  );
  return (isActive && isBare) || isTowards || between.some(({ kind }) => kind === 'arrow');
}

/** "No answer from 198.51.100.7": it was asked. */
const ANSWERS =
  /^(?:no )?(?:answer|answers|answering|response|responses|respond|responds|responding|reply|replies|echo|echoes)\b/;
const REACHES = /^(?:reach|reaches|reaching|ping|pings|pinging)$/;

/** "The network 198.51.100.0/24" is one place. */
function isEvery(item: Item, next: Item | undefined): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'everywhere' && next?.kind !== 'address';
}

/** "No router reaches pe3". */
function isNone(item: Item, before: Item | undefined): boolean {
  return (
    item.kind === 'meaning' && item.meaning.kind === 'noun' && item.meaning.noun === 'node' && wordOf(before) === 'no'
  );
}

function isQuestion(item: Item): boolean {
  return /^(?:what|which|who|whom)(?: |$)/.test(wordOf(item));
}

/** The role that a word is in: empty words and nouns may stand between. */
function roleBefore(items: readonly Item[], at: number): string | undefined {
  const before = items
    .slice(0, at)
    .findLast((item) => !(item.kind === 'meaning' && ['empty', 'noun'].includes(item.meaning.kind)));
  return before?.kind === 'meaning' && before.meaning.kind === 'role' ? before.meaning.role : undefined;
}

function isEnd(role: string | undefined, text: string): boolean {
  // "Across the network" says nothing of the way; "over every path" does.
  if (role === 'via') return /^(?:all|each|every)\b/.test(text);
  return role === 'from' || role === 'to' || role === 'between' || role === 'with';
}
