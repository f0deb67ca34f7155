// What is beside a node, and not the node: "the router behind p2", "down because pe3 is down", "all nodes that peer with p2". Its name alone would
// ask about another thing.
import { BEHIND, isOfClause } from '../filters.ts';
import { type Item, wordOf } from '../item.ts';
import { type Refusal, unclear } from '../slots.ts';

export function apartIn(items: readonly Item[]): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'meaning') continue;
    const [before, next] = [items.slice(0, at).findLast((each) => !isOfClause(each)), items[at + 1]];
    const isBeside =
      ['role', 'topic'].includes(item.meaning.kind) &&
      BEHIND.test(item.text) &&
      isNode(next) &&
      SINGLE.test(wordOf(before));
    if (isBeside) return unclear(`"${wordOf(before)} ${item.text}" a node, which is another one: name it`);
    // "P2's neighbour's link", "the neighbour of p2's neighbour".
    if (
      item.meaning.kind === 'noun' &&
      item.meaning.noun === 'neighbour' &&
      items
        .slice(at + 1)
        .some(
          (each) =>
            each.kind === 'meaning' &&
            each.meaning.kind === 'noun' &&
            each.meaning.noun === 'neighbour' &&
            each.text === item.text &&
            !/s$/.test(item.text),
        )
    )
      return unclear(`a ${item.text} of a ${item.text}: name it`);
    // "Loss on the peer of p2".
    const isOfPeer =
      item.meaning.kind === 'noun' &&
      PEER.test(item.text) &&
      wordOf(next) === 'of' &&
      isNode(items[at + 2]) &&
      items.slice(0, at).some(isMeasured);
    if (isOfPeer) return unclear(`the ${item.text} of a node, which is another one: name it`);
    const isCause =
      CAUSE.test(item.text) &&
      namesIn(items.slice(0, at)).length > 0 &&
      namesIn(untilBreak(items.slice(at + 1))).some((name) => !namesIn(items.slice(0, at)).includes(name));
    if (isCause) return unclear(`"${item.text}", behind which another node is named: ask about one of them`);
    const isUntil =
      item.text === 'until' &&
      isNode(next) &&
      items.slice(at + 2).some((each) => /^(?:is|are|comes?|gets?|works?)(?: |$)/.test(wordOf(each)));
    if (isUntil) return { reason: 'unsupported', words: 'what will be ("until"); answers say what is and what was' };
    const isRelative =
      item.meaning.kind === 'everywhere' && WHOLE.test(item.text) && /^(?:that|which|who|whose)$/.test(wordOf(next));
    if (isRelative)
      return unclear(`"${item.text} ${wordOf(next)}", which leaves some of them out: name those that are meant`);
  }
  return relationIn(items);
}

/** "Does p2 use pe3": what one does to the other is not known. */
function relationIn(items: readonly Item[]): Refusal | undefined {
  const [first, last] = [items.findIndex(isNode), items.findLastIndex(isNode)];
  const isSaid = (item: Item) =>
    item.kind === 'meaning' &&
    !['empty', 'role', 'and', 'past', 'everywhere', 'here', 'aside'].includes(item.meaning.kind) &&
    !(item.meaning.kind === 'noun' && item.meaning.noun === 'node');
  if (first < 0 || first === last || items.some(isSaid)) return undefined;
  const between = items
    .slice(first + 1, last)
    .find((item) => item.kind === 'meaning' && item.meaning.kind === 'empty' && RELATES.test(item.text));
  return between === undefined
    ? undefined
    : unclear(`"${wordOf(between)}" between two nodes, of which it is not known what it says`);
}

const RELATES =
  /^(?:us(?:e|es|ing)|cross(?:es)?|traverses?|know|needs?|wants?|takes?|taking|runs?|running|makes?|making|keeps?|tries|try|affected|affecting|impacted|concerns?|caused?|causes|causing|says?|said|told|tell|becomes?|became|starts?|started|come|comes|believe|think|has|have|having|is|are|gets?|got|does|do)$/;

/** Alone, or behind "which" or "all". Hosts and people are read, and named as not used. */
const SINGLE =
  /^(?:(?:which|what|all|any|every|each|the) )?(?:(?:router|node|device|neighbou?r|peer|agent|link)s?|switch(?:es)?|box(?:es)?|ones?)$/;
const CAUSE = /^(?:because|because of|due to|caused by|thanks to)$/;
const WHOLE = /(?:^| )(?:nodes?|routers?|links?|interfaces?)$/;

const PEER = /^(?:peer|neighbou?r)$/;

function isMeasured(item: Item): boolean {
  return (
    item.kind === 'meaning' &&
    item.meaning.kind === 'topic' &&
    ['loss', 'delay', 'jitter', 'errors', 'changes', 'traffic', 'counters', 'uptime', 'mtu'].includes(
      item.meaning.topic,
    )
  );
}

function untilBreak(items: readonly Item[]): readonly Item[] {
  const end = items.findIndex(({ kind }) => kind === 'stop');
  return end < 0 ? items : items.slice(0, end);
}

function namesIn(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => (item.kind === 'node' ? [item.name.toLowerCase()] : []));
}

function isNode(item: Item | undefined): boolean {
  return item?.kind === 'node';
}
