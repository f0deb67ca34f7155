// Words that ask something elsewhere, in another sense: "p2 lost a member", "drop p2", "down to one link", "as slow as pe3", "quiet" of a port,
// "within an hour of each other". What is meant is not what the word asks alone.

import { isGood } from '../complements.ts';
import { hasWord, isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import { beginsAsking } from '../sentences/sentence-parts.ts';
import type { Refusal } from '../slots.ts';

export function otherSenseIn(items: readonly Item[]): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    const words = senseAt(items, at);
    if (words !== undefined) return { reason: 'unclear', words };
    if (item.kind === 'time' && item.isLength && isWord(items[at + 1], /^of$/))
      return { reason: 'unclear', words: `"${item.text} of" something: say in which stretch of time` };
  }
  return wellIn(items);
}

function senseAt(items: readonly Item[], at: number): string | undefined {
  const [item, next] = [items[at], items[at + 1]];
  const said = textOf(item);
  if (isLostThing(items, at))
    return `"${said} ${textOf(next)}", which is no packet: ask what is wrong, or about the link or session`;
  const isObject =
    isName(next) || (isArticle(next) && !items.slice(at + 2, at + 4).some((each) => isMeaning(each, 'topic')));
  if (isFirst(items, at) && DOES.test(said) && isObject)
    return `"${said}", which may order something or ask about it: nothing was done; ask what is wrong`;
  if (
    /^(?:up|down|safe|good|fine|ok|okay|clean|normal)$/.test(said) &&
    isWord(next, /^(?:to|against)$/) &&
    !isEnd(items[at + 2])
  )
    return `"${said} ${textOf(next)}" what is no node or time: say what is asked`;
  if (/^up to$/.test(said) && !isEnd(next) && !isAmount(next)) return '"up to" what is no node: say what is asked';
  const other =
    said === 'as' ? items.findIndex((each, index) => index > at + 1 && index < at + 7 && isWord(each, /^as$/)) : -1;
  if (other > 0 && (isName(items[other + 1]) || (isMeaning(items[other + 1], 'role') && isName(items[other + 2]))))
    return '"as" a thing of one node "as" of another: nodes are not compared: ask about each';
  if (/^(?:quiet|silent)$/.test(said) && items.some((each) => each.kind === 'ifname' || each.kind === 'address'))
    return `"${said}", which may mean no traffic or no trouble: ask how much traffic there is, or what is wrong`;
  if (/^level$/.test(said) && isMeaning(items[at - 1], 'protocol'))
    return 'the level of a protocol: ask about its sessions';
  if (isMeaning(item, 'topic') && SPENT.test(said) && isWord(items[at - 1], MOVING))
    return `"${textOf(items[at - 1])} ${said}", of which it is not known what went: ask about a link, or how much traffic there is`;
  if (
    /^(?:traffic|path|paths|routes?|state|status)$/.test(said) &&
    items.slice(at).some((each) => isWord(each, /^chang(?:e|ed|ing)$/))
  )
    return `how the ${said} changed: ask what changed on the nodes, or what it is now`;
  return oddAt(items, at);
}

/** Words that mean something of the network only where no such word stands beside them. */
function oddAt(items: readonly Item[], at: number): string | undefined {
  const [item, before, next] = [items[at], items[at - 1], items[at + 1]];
  const isOdd =
    (isWord(item, /^order$/) && isMeaning(item, 'empty')) ||
    (isWord(item, /^speed$/) && isWord(next, /^up$/)) ||
    (isWord(item, /^(?:any )?news$/) &&
      (isWord(before, /^(?:good|bad|terrible|great|sad)$/) || isWord(next, /^says?$/))) ||
    (isWord(item, /^(?:damaged|corrupt|corrupted)$/) && isNoun(next, 'node', 'link', 'interface')) ||
    (isWord(item, /^sessions?$/) && isWord(before, /^(?:my|your|his|her|their)$/)) ||
    (isWord(item, /^changes?$/) &&
      isMeaning(item, 'topic') &&
      isWord(next, /^(?:nothing|everything|anything|things)$/) &&
      isWord(before, /^(?:that|this|it|which)$/)) ||
    (isWord(item, /^change$/) && isWord(before, /^a$/) && isWord(items[at - 2], /^for$/) && at === 2) ||
    (isWord(item, /^(?:voice|video|calls)$/) && isWord(before, /^for$/) && items.some((each) => isNoun(each, 'path')));
  return isOdd || isOddVerb(items, at)
    ? `"${textOf(item)}", of which it is not known in what sense: say what is asked`
    : undefined;
}

/** "Failed the audit", "look p2 up", "do you check p2", "what works on p2". */
function isOddVerb(items: readonly Item[], at: number): boolean {
  const [item, before, next] = [items[at], items[at - 1], items[at + 1]];
  const what = isWord(before, /^is$/) ? items[at - 2] : before;
  const by = items.slice(Math.max(0, at - 2), at);
  const isSeen =
    isWord(
      item,
      /^(?:check|measure|probe|test|see|look at|look|complain|complained|notice|noticed|report|reported)$/,
    ) &&
    by.some((each) => isWord(each, /^(?:did you|you|someone|somebody|anyone|anybody)$/)) &&
    items.slice(0, at).some((each) => isWord(each, /^(?:did|did you|when did)(?: you)?$/));
  const isNorm =
    (isWord(item, /^(?:normal|ok|okay|fine|good|acceptable|typical)$/) &&
      isWord(before, /^is$/) &&
      isWord(items[0], /^how$/) &&
      isWord(items[1], /^(?:much|many|high)$/)) ||
    (isWord(item, /^normal$/) && isArticle(before) && isMeaning(next, 'topic'));
  const isOut =
    isWord(item, /^but$/) &&
    isMeaning(next, 'protocol', 'noun') &&
    items[at + 2] === undefined &&
    items.slice(0, at).some((each) => isMeaning(each, 'everywhere'));
  const isTest =
    isWord(item, /^(?:test|audit|check|probe|health check|inspection)$/) &&
    items.slice(at).some((each) => isWord(each, /^fail(?:s|ed)$/));
  return (
    isTest ||
    (isWord(item, /^change$/) && isWord(before, /^why$/) && isName(next)) ||
    (isWord(item, /^(?:get lost|drop)$/) && isWord(next, /^by$/)) ||
    (isWord(item, /^sends? to$/) && isName(before) && isWord(items[0], /^what$/)) ||
    isSeen ||
    isNorm ||
    isOut ||
    (isWord(item, /^fixed$/) && isWord(items[0], /^how$/)) ||
    (isWord(item, /^against$/) &&
      isName(before) &&
      isName(next) &&
      items.slice(0, at).some((each) => isWord(each, /^(?:check|test|verify)$/))) ||
    (isWord(item, /^fail(?:s|ed|ing)?$/) && isArticle(next) && !isNoun(items[at + 2], 'link', 'interface')) ||
    (isWord(item, /^(?:look|measure)$/) &&
      ((isName(next) && isWord(items[at + 2], /^up$/)) || (isWord(next, /^for$/) && isName(items[at + 2])))) ||
    (isWord(item, /^(?:check|monitor|watch|test|measure|probe)$/) &&
      isWord(before, /^(?:did )?you$/) &&
      isWord(items[at - 2], /^(?:do|did)$/)) ||
    (isWord(item, /^(?:called|connected)$/) && isName(before) && isWord(items[at - 2], /^(?:how|how is|what is)$/)) ||
    (isWord(item, WELL) && isWord(what, /^(?:what|what is)$/) && isMeaning(item, 'topic')) ||
    (isMeaning(before, 'role') &&
      isWord(item, /^(?:using|making|taking|having|running|getting|trying|going|you)$/) &&
      !isMeaning(item, 'topic')) ||
    (isWord(item, /^(?:next|coming)$/) && next?.kind === 'time')
  );
}

const WELL = /^(?:works?|working|good|fine|ok|okay|fast|stable|clean|healthy|normal)$/;

/** "Lost a member", "lost its links", "loss of light", and not "lost packets", "lost a neighbour". */
function isLostThing(items: readonly Item[], at: number): boolean {
  const item = items[at];
  if (!isMeaning(item, 'topic')) return false;
  if (isWord(item, /^loss$/) && isWord(items[at - 1], /^a$/) && isWord(items[at - 2], /^at$/)) return true;
  if (isWord(item, /^lost$/) && isWord(items[at - 1], /^(?:am|get|i am)$/)) return true;
  const isOf = isWord(item, /^loss(?:es)?$/) && isWord(items[at + 1], /^of$/);
  if (!isOf && !isWord(item, /^(?:lost|loses?|losing)$/)) return false;
  const behind = items.slice(at + (isOf ? 2 : 1));
  const [first] = behind;
  if (isOf && (first === undefined || isName(first) || isMeaning(first, 'everywhere'))) return false;
  if (!isOf && !isArticle(first)) return false;
  const thing = behind.find((each) => !isArticle(each) && !isMeaning(each, 'role'));
  if (isWord(thing, TRAFFIC)) return false;
  return (
    isMeaning(thing, 'empty') ||
    isNoun(thing, 'link', 'interface') ||
    (isOf && thing?.kind === 'left') ||
    (isOf && isWord(thing, /^carrier$/))
  );
}

const TRAFFIC =
  /^(?:packets?|frames?|traffic|data|datagrams?|bytes|flows?|streams?|ip traffic|few|lot|lots|many|number|massive|(?:user|customer) traffic)$/;

function isArticle(item: Item | undefined): boolean {
  return isMeaning(item, 'empty') && isWord(item, /^(?:a|an|the|its|one|my|our|your|his|their|some|this|that)$/);
}

/** Nothing before it in its clause but good manners. */
function isFirst(items: readonly Item[], at: number): boolean {
  return items
    .slice(0, at)
    .every(
      (item) =>
        item.kind === 'comma' ||
        isWord(item, /^(?:please|pls|just|kindly|now|so|hi|hey|hello|okay|ok|can|could|you|we|i|to|should)$/),
    );
}

/** Bare verbs; as things they stand in the plural, or before "on". */
const DOES =
  /^(?:drop|discard|freeze|stall|overload|saturate|break up|speed up|slow down|swallow|corrupt|damaged|corrupted|transfer|exchange|keep|take|takes|use|make|run|start|bring|try|let|get|give|put|missing|poor|play with|touch|mess with|tinker with|fiddle with)$/;
const SPENT = /^(?:went|going|go|goes|came|come|comes) (?:down|up and down|back|back up)$/;
const MOVING = /^(?:traffic|load|we|i|team|price|temperature)$/;

function isEnd(item: Item | undefined): boolean {
  return item !== undefined && (isName(item) || isMeaning(item, 'here', 'everywhere') || item.kind === 'time');
}

function isAmount(item: Item | undefined): boolean {
  return item?.kind === 'number' || item?.kind === 'left';
}

/** "Pe3 is not slow any more", "p2 no longer flaps", "leaf1 works, leaf2 does not": says that all is well, and asks nothing. */
function wellIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex((item) => isMeaning(item, 'not'));
  const isOver =
    isWord(items[at], /^(?:no longer|no more|stopped)$/) ||
    (isWord(items[at], /^never$/) && hasWord(items, /^(?:how come|why|how)$/)) ||
    hasWord(items.slice(at), /^(?:any more|anymore|any longer)$/);
  const isFault = items.slice(at + 1, at + 4).some((item) => isMeaning(item, 'topic') && FAULT.test(textOf(item)));
  const isSaid = isName(items[0]) || isWord(items[0], /^(?:how come|how|why)$/);
  if (at > 0 && isOver && isFault && isSaid)
    return { reason: 'unclear', words: 'what is said to be over: ask whether it is' };
  if (isTwoApart(items))
    return { reason: 'unclear', words: 'something of one node, and another node beside it: ask about each' };
  if (isContrast(items))
    return { reason: 'unclear', words: 'a node that is well, and one that is not: ask about the one that is not' };
  return undefined;
}

/** "P2 is slow, check p4": no way from one to the other. */
function isTwoApart(items: readonly Item[]): boolean {
  const isToo = hasWord(items, /^(?:too|also|as well)$/);
  const at = items.findIndex((item) => item.kind === 'comma' || (isToo && isMeaning(item, 'and')));
  const [first, second] = [items.slice(0, at), items.slice(at + 1)];
  const isOne = (clause: readonly Item[]) =>
    clause.filter(({ kind }) => kind === 'node').length === 1 && !clause.some((item) => isMeaning(item, 'role'));
  if (at < 1 || !isOne(first) || !isOne(second)) return false;
  const isSaid = first.some(
    (item) => isMeaning(item, 'topic') && isWord(item, /^(?:slow\w*|lag\w*|sluggish|unreachable)$/),
  );
  return isSaid && second.some((item) => isWord(item, /^(?:is|check|look at|what about|too|also|verify|test)$/));
}

/** "Pe1 down, p2 up", "pe1 has loss, p2 has none": two statements that say the opposite of two nodes. */
function isContrast(items: readonly Item[]): boolean {
  const at = items.findIndex((item) => ['comma', 'stop'].includes(item.kind) || isWord(item, /^but$/));
  const clauses = [items.slice(0, at), items.slice(at + 1).filter(({ kind }) => kind !== 'stop')];
  const isStatement = (clause: readonly Item[]) =>
    clause.filter(({ kind }) => kind === 'node').length === 1 && !beginsAsking(clause);
  if (at < 1 || !clauses.every(isStatement)) return false;
  const [one, other] = clauses.map(isWell);
  const [first, second] = clauses.map((clause) => clause.find(({ kind }) => kind === 'node'));
  const isSame =
    first?.kind === 'node' && second?.kind === 'node' && first.name.toLowerCase() === second.name.toLowerCase();
  return one !== undefined && other !== undefined && one !== other && !isSame;
}

/** Undefined where nothing is said of it. */
function isWell(clause: readonly Item[]): boolean | undefined {
  const isNot = clause.some((item) => isMeaning(item, 'not'));
  const topic = clause.find((item) => isMeaning(item, 'topic'));
  if (topic?.kind !== 'meaning')
    return isNot
      ? isWord(
          clause.find((item) => isMeaning(item, 'not')),
          /^(?:none|no)$/,
        )
      : undefined;
  return isGood(topic) !== isNot;
}

const FAULT =
  /^(?:fail\w*|slow\w*|lagg?\w*|down|broken|dead|flap\w*|unstable|lossy|los\w+ packets|drop\w* packets|drop\w*|bouncing|unreachable|offline|congested|overloaded|errors?|degraded|failing|sluggish)$/;
