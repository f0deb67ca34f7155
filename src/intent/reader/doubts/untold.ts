// Sentences of which only a name is read: "is p2 a router", "does p2 exist", "is 198.51.100.7 taken". A name alone asks how it is ("p2?"); a verb that
// says something else of it asks something else.
import type { Topic } from '#model/intent.ts';
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function untoldIn(items: readonly Item[], topic: Topic): Refusal | undefined {
  const isMeant = items.some(isRunning) && !items.some((item) => isWord(item, /^(?:may|can|could|must|should|might)$/));
  if (topic === 'uptime' && !isMeant && items.some((item) => isMeaning(item, 'topic') && isLong(item)))
    return { reason: 'unclear', words: 'how long something takes or is, of which it is not known what it is' };
  // "What is 198.51.100.7 doing".
  const doing = items.find((item) => isMeaning(item, 'topic') && isWord(item, /^doing$/));
  if (topic === 'reach' && doing !== undefined && items.some((item) => isWord(item, /^(?:what|what is)$/)))
    return { reason: 'unclear', words: 'what an address does: ask where it is, or whether it can be reached' };
  if (
    topic === 'where' &&
    isWord(
      items.findLast(({ kind }) => kind !== 'stop'),
      /^do$/,
    )
  )
    return { reason: 'unclear', words: 'what an address does: ask where it is, or whether it can be reached' };
  if (topic === 'traffic' && items.some((item, at) => isKind(items, item, at)))
    return { reason: 'unsupported', words: 'which traffic it is, or why; answers say how much there is' };
  const isGood =
    topic === 'reach' && !items.some((item) => isMeaning(item, 'not') || isWord(item, /^(?:un|slow|fail|nothing$)/));
  if (
    isGood &&
    items.some(
      (item, at) => isWord(item, /^why$/) && isWord(items[at + 1], /^(?:can|could|does|is)$/) && isGetting(items),
    )
  )
    return { reason: 'unclear', words: 'why something can be reached: ask which path it takes' };
  if (
    topic === 'path' &&
    items.some((item) => isNoun(item, 'address')) &&
    !items.some(({ kind }) => kind === 'address')
  )
    return { reason: 'unclear', words: 'an address or a prefix, and none was named' };
  const isSet = items.some(
    (item, at) =>
      isWord(item, /^configured$/) && items.slice(0, at).some((each) => isWord(each, /^(?:how is|is|are)$/)),
  );
  if (topic === 'changes' && isSet)
    return { reason: 'unsupported', words: 'how something is configured; ask what changed' };
  const isFiltered = items.some(
    (item, at) =>
      isWord(item, /^(?:that|which)$/) &&
      isMeaning(items[at + 1], 'topic') &&
      isWord(items[at + 1], /^(?:fail\w*|work\w*|broke)$/),
  );
  if (topic === 'changes' && isFiltered)
    return { reason: 'unclear', words: 'some of the changes: ask what changed, or what is wrong' };
  const ends = items.flatMap((item) => (item.kind === 'node' ? [item.name.toLowerCase()] : []));
  if (topic === 'reach' && ends.length === 4 && ends[0] === ends[3] && ends[1] === ends[2] && ends[0] !== ends[1])
    return { reason: 'unclear', words: 'both ways between two nodes: ask about one of them' };
  const isAsked = items.some(
    (item) => isMeaning(item, 'topic', 'verb', 'show', 'not', 'service', 'record', 'port') || isWord(item, THINGS),
  );
  const protocol = items.some((item) => isMeaning(item, 'protocol') || isNoun(item, 'neighbour'));
  const told = items.find(
    (item, at) =>
      (isMeaning(item, 'empty', 'past') && (protocol ? OF_PROTOCOL : SAYS).test(textOf(item))) ||
      (isMeaning(item, 'here') && !protocol && items[at - 1]?.kind === 'node'),
  );
  if (isAsked || told === undefined || !items.some(isName)) return undefined;
  return { reason: 'unclear', words: `"${textOf(told)}", of which it is not known what it asks about a name` };
}

/** "What kind of traffic", "why is there traffic". */
function isKind(items: readonly Item[], item: Item, at: number): boolean {
  return (
    isWord(item, /^(?:why|any kind of|kind of|some kind of|type)$/) ||
    (isWord(item, /^(?:what|which)$/) && isWord(items[at + 1], /^traffic(?: (?:on|of))?$/))
  );
}

function isGetting(items: readonly Item[]): boolean {
  return items.some((item) => isWord(item, /^(?:reach|reaches|reachable|ping|pings|pingable|see|sees)$/));
}

function isLong(item: Item): boolean {
  return isWord(item, /^how long/);
}

function isRunning(item: Item): boolean {
  return isWord(
    item,
    /^(?:up|running|runs?|ran|online|alive|on|working|works|there|rebooted|restarted|reboot|restart|uptime|up time|been up|booted|down)$/,
  );
}

/** Verbs, and the words that ask for a thing. */
const SAYS =
  /^(?:am|is|are|be|been|being|was|were|formerly|previously|do|does|did|done|has|have|having|gets?|got|know|knows|uses?|using|takes?|taking|took|taken|makes?|making|keeps?|kept|runs?|running|exists?|who|whose|whom|what|which|why|how|where|way|says?|said|told|needs?|wants?|becomes?|became|stands?|stay|stays|sits?|sitting|comes?|coming|goes|go|going|(?:do )?you know)$/;
const THINGS = /^(?:something|anything|everything|nothing|things)$/;
const OF_PROTOCOL = /^(?:why|who|whose|(?:we |i )?(?:needs?|wants?)|how)$/;
