// "Since how long is p2 running", "we lost p2": how long a node has been up, and a node that is not reached. "Since" with what people did and when: the
// time of day is what is asked.
import { type Item, textOf } from '../item.ts';
import { aside, asking, countOf, type Frame, hasWord, isMeaning, isPlain, isWord, topicsOf } from './parts.ts';

/** Since when a node is up: its uptime. */
export const runningSince: Frame = (items) => {
  const at = items.findIndex((item) => item.kind === 'time' && /^(?:since how long|since when)$/i.test(item.text));
  const isUp = (item: Item) => isWord(item, /^(?:up|up and running|running|runs?|online|alive|working)$/);
  const isNode = countOf(items, 'node') === 1 && countOf(items, 'ifname') + countOf(items, 'address') === 0;
  const isOther = items.some(
    (item) => isMeaning(item, 'protocol', 'noun', 'verb') && !isWord(item, /^(?:node|router|switch)$/),
  );
  if (at < 0 || !isNode || isOther || !items.some(isUp) || !isPlain(items) || topicsOf(items, false).size > 0)
    return items;
  const rest = items.filter((item, index) => index !== at && !isMeaning(item, 'topic'));
  return asking('uptime', rest);
};

/** "When did p2 come back": since when it is up. */
export const cameBack: Frame = (items) => {
  const isWhen = items.some((item) => isWord(item, /^when (?:did|has)$/));
  const isBack = (item: Item) =>
    isWord(item, /^(?:come|came|comes) back(?: up| online)?$|^been back$|^(?:get|got) back$/);
  const isNode = countOf(items, 'node') === 1 && countOf(items, 'ifname') + countOf(items, 'address') === 0;
  if (!isWhen || !isNode || !items.some(isBack) || !isPlain(items)) return items;
  if (
    items.some((item) => isMeaning(item, 'protocol', 'noun')) ||
    topicsOf(
      items.filter((item) => !isBack(item)),
      false,
    ).size > 0
  )
    return items;
  return asking(
    'uptime',
    items.filter((item) => !isBack(item) && !isMeaning(item, 'topic')),
  );
};

/** "We lost p2": what people lose is a node that they reached; a node loses packets. */
export const lostNode: Frame = (items) => {
  const at = items.findIndex(
    (item, index) =>
      isWord(item, /^(?:lost|lose|losing|are losing)$/) &&
      isWord(items[index - 1], /^(?:i|we|they|you|have|just|did we)$/),
  );
  const isPerson = items.slice(0, at).some((item) => isWord(item, /^(?:i|we|they|you)$/));
  const end = items[at + 2];
  const isEnd = end === undefined || ['time', 'stop', 'comma'].includes(end.kind) || isWord(end, /^(?:again|now|and)$/);
  if (at < 0 || !isPerson || items[at + 1]?.kind !== 'node' || !isEnd || hasWord(items, /^will$/)) return items;
  return items.map((item, index) =>
    index === at ? { kind: 'meaning', meaning: { kind: 'topic', topic: 'trouble', past: true }, text: 'lost' } : item,
  );
};

/** "Who is on the other end of eth1": one link has one other end, a neighbour; what hangs off a node may be many. */
export const otherEnd: Frame = (items) => {
  const isEnd = (item: Item) =>
    isMeaning(item, 'topic') && isWord(item, /^(?:at |on )?the (?:other|far) (?:end|side) of$|^other end of$/);
  if (countOf(items, 'ifname') !== 1 || countOf(items, 'node') > 1 || !items.some(isEnd) || !isPlain(items))
    return items;
  const rest = items.filter((item) => !isEnd(item) && !isWord(item, /^who is on$/));
  return topicsOf(rest, false).size + topicsOf(rest, true).size > 0 ? items : asking('neighbours', rest);
};

/** "Since the cable was swapped at 10:15". */
export const sinceDone: Frame = (items) => {
  const at = items.findIndex((item) => isWord(item, /^since$/) && isMeaning(item, 'turn'));
  const end = items.findIndex((item, index) => index > at && item.kind === 'time');
  const time = items[end];
  const [, clock] = time?.kind === 'time' ? (/^at-(\d{2}:\d{2}(?:-utc)?)$/.exec(time.when) ?? []) : [];
  const done = items.slice(at + 1, end);
  const isPlain = done.every(
    (item) =>
      item.kind === 'left' ||
      isMeaning(item, 'empty', 'noun', 'order', 'past', 'topic') ||
      (isMeaning(item, 'turn') && isWord(item, /(?:ed|cut|put)$/)),
  );
  const isLast = items.slice(end + 1).every(({ kind }) => kind === 'stop');
  if (at < 1 || clock === undefined || time?.kind !== 'time' || !isPlain || !isLast || done.length < 3) return items;
  if (!done.some((item) => isWord(item, /^(?:was|were|got|has been|have been|was \w+|were \w+)$/))) return items;
  const since: Item = { ...time, when: `since-${clock}` };
  return [...items.slice(0, at), since, aside(done.map(textOf).join(' ')), ...items.slice(end + 1)];
};
