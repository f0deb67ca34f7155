// "R1 or r2": where what is asked is told of each node by itself, both are asked about. Of a way, or of one thing among several, one of the two would
// be the answer; there "or" makes another question of it.
import type { Item } from '../item.ts';

/** The items with "and" in place of an "or" between two names of nodes. */
export function joined(read: readonly Item[]): readonly Item[] {
  const items = withoutStates(read);
  const [at, ...more] = items.flatMap((item, index) => (isOr(item) ? [index] : []));
  if (at === undefined || more.length > 0 || items.some(isOneOf)) return items;
  const isBetween = items[at - 1]?.kind === 'node' && isNode(items.slice(at + 1));
  // "Is it r1 or r2 that drops packets": two names alone would be the ends of a way.
  const isPlain = items.some(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'loss',
  );
  if (isPlain && !isRole(items[at - 2])) return items;
  if (!isBetween || !items.some(isOfEach) || items.some(isOfWay)) return items;
  return items.map((item, index) =>
    index === at ? ({ kind: 'meaning', meaning: { kind: 'and' }, text: 'or' } as const) : item,
  );
}

/** "Is the session idle or active": two states of one thing, and the answer says which. */
function withoutStates(items: readonly Item[]): readonly Item[] {
  return items.map((item, at) => {
    const [one, other] = [items[at - 1], items[at + 1]];
    const isBetween = isOr(item) && isState(one) && isState(other) && one.meaning.topic === other.meaning.topic;
    return isBetween ? ({ kind: 'meaning', meaning: { kind: 'empty' }, text: 'or' } as const) : item;
  });
}

type State = Extract<Item, { readonly kind: 'meaning' }> & {
  readonly meaning: { readonly kind: 'topic'; readonly topic: string };
};

function isState(item: Item | undefined): item is State {
  return item?.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.weak === true;
}

function isOr(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'turn' && item.text === 'or';
}

function isNode([first, second]: readonly Item[]): boolean {
  return first?.kind === 'node' || (isRole(first) && second?.kind === 'node');
}

function isRole(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'on';
}

/** "Which of r1 or r2". */
function isOneOf(item: Item): boolean {
  if (item.kind === 'meaning') return /^(?:which|who|whom|whose|either|whether|if)(?: |$)/.test(item.text);
  return item.kind === 'left' && item.why !== 'aside';
}

const OF_EACH: readonly string[] = ['changes', 'errors', 'trouble', 'loss', 'uptime', 'flap', 'counters'];
const OF_WAY: readonly string[] = ['reach', 'delay', 'jitter', 'capacity', 'mtu', 'path', 'where', 'connected'];

function isOfEach(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'topic' && OF_EACH.includes(item.meaning.topic);
}

function isOfWay(item: Item): boolean {
  if (item.kind !== 'meaning') return ['address', 'arrow', 'dash'].includes(item.kind);
  const { meaning } = item;
  if (meaning.kind === 'topic') return OF_WAY.includes(meaning.topic);
  return (
    meaning.kind === 'verb' || (meaning.kind === 'role' && ['from', 'to', 'via', 'between'].includes(meaning.role))
  );
}
