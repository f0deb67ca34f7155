// An "or" that opens no second question: its limb only doubts the first ("or does the dashboard lie"), or is the other outcome of the same question ("or no
// longer", "or well again"). And "since" with what people did and when: the time of day is what is asked.
import type { Item } from '../item.ts';
import { aside, type Frame, isMeaning, isName, isWord, textOf } from './parts.ts';

/** The limb is named as not used. */
export const limbed: Frame = (items) => {
  const at = items.findIndex((item) => isMeaning(item, 'turn') && isWord(item, /^or$/));
  const [before, limb] = [items.slice(0, at), items.slice(at + 1)];
  const isAsked = before.some((item) => isMeaning(item, 'topic', 'verb')) && before.some(isName);
  if (at < 1 || !isAsked || limb.some((item) => isName(item) || item.kind === 'time')) return items;
  const said = limb.map(textOf).join(' ').replace(/ +/g, ' ').trim();
  if (!DOUBTS.test(said) && !(isYesNo(before) && !before.some(isDone) && OUTCOME.test(said))) return items;
  const end = items[at - 1]?.kind === 'comma' ? at - 1 : at;
  return [
    ...items.slice(0, end),
    aside(`or ${said}`),
    ...items.slice(items.length - (items.at(-1)?.kind === 'stop' ? 1 : 0)),
  ];
};

const DOUBTS =
  /^(?:(?:is|am|are|does|do|did|has|have|was) (?:i|we|you|he|she|they|(?:my|our|your|the) (?:dash ?board|counters?|probes?|monitor(?:ing)?|graphs?|alarms?|tool|screen|nms)) (?:just |only |now )?(?:lie|lies|lying|lied|wrong|mistaken|imagin\w+|dream\w*|see things|seeing things|crazy|mad|blind|misread\w*|confused)(?: (?:it|things|that|this|something|again))?|is it (?:just|only) me|just me|is that (?:just|only) me)$/;
const OUTCOME =
  /^(?:is it |has it |are they )?(?:already |now |just )?(?:no longer|not|not any ?more|not anymore|no|(?:well|fine|ok|okay|good|up|back|healthy|working|alive|better|recovered|fixed|gone|over)(?: (?:again|now|already|by now))*|back up|back to normal)$/;

function isYesNo(before: readonly Item[]): boolean {
  const start =
    before.findLastIndex(({ kind }, at) => kind === 'stop' || (kind === 'comma' && at < before.length - 1)) + 1;
  return isWord(before[start], /^(?:is|are|was|were|does|do|did|has|have|can|could)(?: |$)/);
}

/** "Was p2 rebooted or recovered": what was done is another fact, and has no other outcome. */
function isDone(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'topic' && ['changes', 'uptime'].includes(item.meaning.topic);
}

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
