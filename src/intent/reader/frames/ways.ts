// Questions of a way: which path it is, whether its delay varies, whether one end is up as the other sees it.
import { ASKS_WHICH } from '../../words/asking-words.ts';
import { type Item, isName, textOf, wordOf } from '../item.ts';
import {
  aside,
  asking,
  emptied,
  type Frame,
  hasWord,
  isBetweenEnds,
  isMeaning,
  isNoun,
  isOnly,
  isPlain,
  isWord,
  topicsOf,
} from './parts.ts';

/** "How does pe1 reach pe3", "which nodes does traffic from pe1 to pe3 pass", "what is the path from pe1 to pe3". */
export const path: Frame = (items) => {
  const isRouted = items.some((item, at) => isWord(item, /^how (?:is|are)$/) && hasWord(items.slice(at), ROUTED));
  const unasked = isRouted ? items.filter((item) => !isWord(item, /^how (?:is|are)$/)) : items;
  if (!isPlain(items) || !isOnly(unasked, 'path', 'reach', 'traffic', 'where') || hasWord(items, COUNTED)) return items;
  const isHow = items.some(
    (item, at) =>
      isWord(item, /^how$/) && (isWord(items[at + 1], /^(?:do|does|did|is|are|can)$/) || isName(items[at + 1])),
  );
  const reaches = items.findIndex((item, at) => at > 0 && isWord(item, GETS));
  const isVia = hasWord(items, /^via which$/) || items.some((item) => isThrough(item, items));
  if (
    (isHow || isVia) &&
    reaches > 0 &&
    items.filter(isName).length === 2 &&
    !hasWord(items, /^(?:i|we|you|far|well)$/)
  )
    return asking(
      'path',
      unasked.map((item) =>
        isWord(item, ROUTED) || (isVia && isMeaning(item, 'everywhere')) || isThrough(item, items)
          ? emptied(item)
          : item,
      ),
    );
  if (isRouted && isBetweenEnds(items))
    return asking(
      'path',
      unasked.map((item) => (isWord(item, ROUTED) ? emptied(item) : item)),
    );
  if (!isBetweenEnds(items)) return items;
  const isWhich =
    items.some((item, at) => ASKS_WHICH.test(wordOf(item)) && isPart(items, at)) &&
    !hasWord(items, /^(?:is|are) (?:up|down)$/);
  const isWhere = hasWord(items, /^where$/) && hasWord(items, /^(?:traffic|packets?|frames?)$/);
  const isPath = items.some((item) => isNoun(item, 'path')) && !items.some((item) => isMeaning(item, 'srv6', 'verb'));
  const isLying = hasWord(items, /^(?:what|who)$/) && hasWord(items, LIES) && hasWord(items, /^between$/);
  const isAlone =
    hasWord(items, /^paths?$/) &&
    hasWord(items, /^from$/) &&
    !hasWord(items, /^(?:is|are|there|there is|any|no|has|have|does|do)$/) &&
    topicsOf(items, true).size + topicsOf(items, false).size === 0;
  if (!isWhich && !isWhere && !isLying && !(isPath && (hasWord(items, ASKS_WHICH) || isAlone))) return items;
  // "Which nodes" of the way, and not of the network.
  return asking(
    'path',
    items.map((item) =>
      isMeaning(item, 'everywhere', 'past') || isWord(item, LIES) || isThrough(item, items) ? emptied(item) : item,
    ),
  );
};

const COUNTED = /^(?:many|often|much|long|fast|bad|port|customers?|users?)$/;
const GETS =
  /^(?:reach|reaches|get to|gets to|go to|get through to|get|gets|go|goes|come|comes|talk to|connect to|routed|forwarded|sent to)$/;
const ROUTED = /^(?:routed|forwarded)$/;
const LIES = /^(?:lies?|sits?|stands?|is|are|in the middle)$/;

/** A node, a link or a hop that is asked for. */
function isPart(items: readonly Item[], at: number): boolean {
  if (/ /.test(wordOf(items[at]))) return true;
  return isNoun(items[at + 1], 'node', 'link', 'interface', 'path') || isWord(items[at + 1], /^(?:hops?|way|route)$/);
}

/** "Through which routers": the word leads to no name. */
function isThrough(item: Item, items: readonly Item[]): boolean {
  const next = items[items.indexOf(item) + 1];
  return item.kind === 'meaning' && item.meaning.kind === 'role' && isWord(next, ASKS_WHICH);
}

/** "Does the latency between pe1 and pe3 vary": how a delay varies is jitter. */
export const variation: Frame = (items) => {
  const topics = topicsOf(items, false);
  const isVaried = items.some((item, at) => isVarying(items, item, at));
  if (!isVaried || !topics.has('delay') || [...topics].some((topic) => !['delay', 'jitter'].includes(topic)))
    return items;
  const steady = (item: Item, at: number) =>
    isVarying(items, item, at) || isWord(item, /^(?:around|about)$/) ? emptied(item) : item;
  return items.map((item, at) =>
    item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'delay'
      ? { ...item, meaning: { kind: 'topic', topic: 'jitter' } as const }
      : steady(item, at),
  );
};

const VARIES =
  /^(?:var(?:y|ies|ied|ying|iance|iation|iations|iable)|fluctuat(?:e|es|ed|ing|ion|ions)|unsteady|erratic|oscillat(?:e|es|ing))$/;

function isVarying(items: readonly Item[], item: Item, at: number): boolean {
  const next = items[at + 1];
  // "Jumps around", "how stable", "not constant".
  const isJump = isWord(item, /^jump(?:s|ing)?$/) && isWord(next, /^(?:around|about|up and down)$/);
  const isHow = isWord(item, /^(?:stable|steady)$/) && isWord(items[at - 1], /^how$/);
  const isNot =
    (isWord(items[at - 1], /^not$/) && isWord(item, STEADY)) || (isWord(item, /^not$/) && isWord(next, STEADY));
  return isWord(item, VARIES) || isJump || isHow || isNot;
}

const STEADY = /^(?:constant|consistent|stable|steady)$/;

/** "Is pe3 up from pe1": whether pe1 reaches it. */
export const seenFrom: Frame = (items) => {
  // "Loss from p2 to p4 as seen by p4": the sentence names both ends of the way.
  const seen = items.findIndex((item) => isWord(item, /^as seen by$/));
  if (seen > 0 && items.slice(0, seen).some((item) => isWord(item, /^from$/)))
    return items.map((item, at) => (at === seen ? emptied(item) : item));
  const isSeen = items.some(
    (item, at) =>
      isMeaning(item, 'role') && isWord(item, /(?:^| )from$|^as seen by$/) && items[at + 1]?.kind === 'node',
  );
  const isState = items.some((item) =>
    isWord(item, /^(?:up|down|alive|online|offline|visible|available|responsive|unresponsive)$/),
  );
  const isAlone =
    items.filter((item) => item.kind === 'node').length === 2 &&
    !items.some((item) => isMeaning(item, 'protocol', 'show', 'everywhere'));
  const isOther = items.some(
    (item) =>
      item.kind === 'ifname' ||
      item.kind === 'address' ||
      isWord(item, /^to$/) ||
      isNoun(item, 'link', 'interface', 'neighbour'),
  );
  return isSeen && isState && isAlone && !isOther && topicsOf(items, false).size === 0 && isPlain(items)
    ? asking('reach', items)
    : items;
};

/** "What is the MTU between pe1 and pe3": of a way, and not of an interface. */
export const ofWay: Frame = (items) => {
  const isMtu = (item: Item) =>
    item.kind === 'meaning' &&
    item.meaning.kind === 'topic' &&
    item.meaning.topic === 'interfaces' &&
    /\bmtu\b/.test(item.text);
  if (!items.some(isMtu) || !isBetweenEnds(items)) return items;
  return items.map((item) =>
    isMtu(item) ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'mtu' }, text: 'mtu' } : item,
  );
};

/** "The largest packets are lost": which packets, and no question for a size. */
export const sized: Frame = (items) => {
  const isOther = (item: Item) => ['loss', 'delay', 'jitter', 'errors'].some((topic) => isOfTopic(item, topic));
  if (!items.some(isOther) || items.some((item) => isMeaning(item, 'not'))) return items;
  const isSized = (item: Item | undefined) => isOfTopic(item, 'mtu') && isWord(item, SIZED);
  return items.flatMap((item, at): readonly Item[] => {
    const [size = '', things = ''] = textOf(item).split(' ');
    if (isSized(item))
      return [aside(size), { kind: 'meaning', meaning: { kind: 'empty', beside: true }, text: things }];
    // "Packets lost" are lost now.
    const isLost = isSized(items[at - 1]) && isWord(item, /^lost$/);
    return [isLost ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'loss' }, text: 'packets lost' } : item];
  });
};

const SIZED = /^(?:largest|biggest|small) (?:packets?|frames?)$/;

function isOfTopic(item: Item | undefined, topic: string): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === topic;
}

/** "Did the link between pe1 and p2 drop": the link itself, and no packets. */
export const dropped: Frame = (items) => {
  const drop = items.findIndex((item) => isWord(item, /^drop(?:s|ped|ping)?$/));
  const isLink = items.some((item, at) => isNoun(item, 'link') && at < drop);
  const did = hasWord(items.slice(0, drop), /^did$/) && isWord(items[drop], /^drop$/);
  const isActive =
    isWord(items[drop], /^dropped$/) && !isWord(items[drop - 1], /(?:^| )(?:is|are|was|were|get|gets|got|being|been)$/);
  const isKept = isWord(items[drop], /^dropping$/) && isWord(items[drop - 1], /^(?:keeps?|kept)$/);
  const isPackets = hasWord(items, /^(?:packets?|frames?|traffic|data)$/);
  if (!isLink || isPackets || !(did || isActive || isKept) || items.some((item) => isMeaning(item, 'protocol')))
    return items;
  return items.map((item, at) =>
    at === drop ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'flap', past: true }, text: 'dropped' } : item,
  );
};

/** "I cannot get from pe1 to pe3". */
export const gets: Frame = (items) => {
  const at = items.findIndex((item) => isWord(item, /^(?:gets?|getting|come|comes)$/));
  const isNext =
    isWord(items[at + 1], /^(?:from|anywhere|through)$/) && items.slice(at).some((item) => isWord(item, /^to$/));
  if (at < 0 || !isNext || !isBetweenEnds(items) || hasWord(items, /^(?:how|where|what|which)$/)) return items;
  return topicsOf(items, false).size + topicsOf(items, true).size === 0 ? asking('reach', items) : items;
};

/** "I cannot get to p4 from p2", "can I see p4 at p2": no name asks before the verb, so the way begins at the second. */
export const getsFrom: Frame = (items) => {
  const verb = items.findIndex((item) => item.kind === 'meaning' && item.meaning.kind === 'verb' && !item.meaning.back);
  const [first = -1, second = -1, ...more] = [...items.keys()].filter(
    (at) => isName(items[at]) || isMeaning(items[at], 'here'),
  );
  const isPair =
    more.length === 0 &&
    items[first]?.kind === 'node' &&
    (items[second]?.kind === 'node' || isMeaning(items[second], 'here'));
  const isReached = verb >= 0 && verb < first && items.slice(verb + 1, first).every(isBeforeName);
  const role = items.findIndex((item, at) => at > first && isMeaning(item, 'role'));
  const isFrom = isWord(items[role], /^(?:from|at|on)$/) && items.slice(first + 1, second).every(isBeforeName);
  const isOnly = topicsOf(items, false).size + topicsOf(items, true).size === 0;
  const isVia = hasWord(items, /^via which$/);
  const how = items.findIndex((item) => isWord(item, /^how$/));
  const isHow = isWord(items[how + 1], /^(?:do|does|did|can|could|to)$/);
  const isOther =
    items.some((item) => isMeaning(item, 'show', 'protocol')) ||
    (how >= 0 && !isHow) ||
    (!isVia && hasWord(items, ASKS_A_THING)) ||
    hasWord(items, COUNTED) ||
    hasWord(items, /^(?:some|most|few|half|several)$/) ||
    !isPlain(items.filter(isNoNot));
  if (!isPair || !isReached || !isFrom || !isOnly || isOther) return items;
  // "Nothing arrives from p4 at p2".
  const isTurned = items.slice(0, first).some((item) => isWord(item, /^from$/));
  const end = isTurned ? TO : FROM;
  const directed = items.map((item, at): Item => (at === role ? end : item));
  return asking(isVia || how >= 0 ? 'path' : 'reach', directed);
};

/** "Who gets to p4 from p2", "over which interface": who or what, and not whether. */
const ASKS_A_THING = /(?:^| )(?:what|which|who|whom|whose)(?: |$)/;

const FROM = { kind: 'meaning', meaning: { kind: 'role', role: 'from' }, text: 'from' } as const;
const TO = { kind: 'meaning', meaning: { kind: 'role', role: 'to' }, text: 'to' } as const;

/** Between a verb, or a name, and the name behind it. */
function isBeforeName(item: Item): boolean {
  return isMeaning(item, 'empty', 'role') || isNoun(item, 'node');
}

function isNoNot(item: Item): boolean {
  return !isMeaning(item, 'not');
}

/** "How long is p2 down": since when, and no uptime. */
export const downFor: Frame = (items) => {
  const isDown = hasWord(items, /^(?:down|offline|dead|broken|gone|away|unavailable|degraded|stuck)$/);
  const isLong = (item: Item) => isWord(item, /^how long (?:is|has|have)$/);
  if (!isDown || !items.some(isLong)) return items;
  return items.map((item) => (isLong(item) ? { kind: 'meaning', meaning: { kind: 'past' }, text: 'how long' } : item));
};
