// Who is where in a question: names with the words before them become ends of a way, places, a neighbour, exceptions. Names that no such word
// stands before are told by what is asked, and by the verb between them.
import type { Topic } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { Meaning, Role } from '../words/meaning.ts';
import { type AskingEnd, askingEndOf } from './frames/host-ways.ts';
import { type Item, isName, type NameItem } from './item.ts';

export type Places = {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly via: readonly string[];
  readonly between: readonly string[];
  readonly on: readonly string[];
  readonly with: readonly string[];
  readonly except: readonly string[];
  /** Names without a word before them, in order. */
  readonly bare: readonly string[];
  readonly neighbour: readonly string[];
  /** All nodes, in the order in which they are named. */
  readonly nodes: readonly string[];
  readonly ifnames: readonly { readonly ifname: string; readonly node?: string }[];
  readonly addresses: readonly {
    readonly address: string;
    readonly role: Role | 'bare';
    readonly port?: number;
    readonly isSecure?: boolean;
    /** "198.51.100.7 behind pe1 eth3". */
    readonly behind?: { readonly node?: string; readonly ifname?: string };
  }[];
  /** Arrows between names: they stand in order. */
  readonly arrows: number;
  readonly dashes: number;
  /** A verb such as "reach" between two names; `back` where the second asks the first. */
  readonly verb?: 'on' | 'back';
  /** "No reply from r1": where the way ends is said by "from". */
  readonly isAnswerFrom?: true;
  /** Which of two addresses asks the other, where the build of the sentence says it. */
  readonly asking?: AskingEnd;
};

type Draft = {
  -readonly [Name in keyof Places]: Places[Name] extends readonly (infer Entry)[] ? Entry[] : Places[Name];
};

export function placesIn(items: readonly Item[], here: string | undefined): Places {
  const draft: Draft = {
    ...{ from: [], to: [], via: [], between: [], on: [], with: [], except: [], bare: [], neighbour: [], nodes: [] },
    ...{ ifnames: [], addresses: [], arrows: 0, dashes: 0 },
  };
  let next: Place = 'bare';
  let list: Place = 'bare';
  let last: Item | undefined;
  let isDirection = false;
  let isAnswer = false;
  let isBehind = false;
  for (const [at, item] of items.entries()) {
    if (isName(item)) {
      // Behind "and" or a comma the same word counts as for the name before.
      const place: Place = isSeparator(last) ? list : next;
      put(draft, item, place);
      isBehind = isBehind && item.kind !== 'address';
      if (isBehind) putBehind(draft, item);
      if (isAnswer && place === 'from') {
        draft.isAnswerFrom = true;
        draft.verb = 'back';
      }
      isAnswer = false;
      list = place;
      next = place === 'between' && draft.between.length < 2 ? 'between' : 'bare';
    } else if (item.kind === 'arrow') {
      draft.arrows++;
      // What stands before an arrow is where the way begins: "on pe1 -> pe3".
      if (last?.kind === 'node' && list !== 'bare') draft.bare.push(...draft[list].splice(-1));
      list = 'bare';
      next = 'bare';
    } else if (item.kind === 'dash' && isName(last)) {
      draft.dashes++;
      if (last.kind === 'node' && list === 'on') draft.bare.push(...draft.on.splice(-1));
      if (list === 'on') list = 'bare';
    } else if (item.kind === 'stop' || item.kind === 'number' || (item.kind === 'left' && item.why !== 'word'))
      // "Loss over 2 % pe2 to ce1": the word before the amount says nothing of the name behind it.
      next = 'bare';
    else if (item.kind === 'meaning') {
      // "In direction p2 to pe3": the first is where the way begins.
      const isSecond = item.text === 'to' && last?.kind === 'node' && list === 'to' && isDirection;
      if (isSecond) draft.from.push(...draft.to.splice(-1));
      isAnswer = ANSWER.test(item.text) || (isAnswer && item.text === 'from') || (isAnswer && isTransparent(item));
      if (item.meaning.kind === 'role') isDirection = /direction/.test(item.text);
      next = placeAfter(item.meaning, next, draft, here);
      if (SENDS.test(item.text)) next = 'to';
      if (!isTransparent(item)) isBehind = item.text === 'behind' && last?.kind === 'address';
      // "Is pe3 reached by p2": the second reaches the first.
      if (item.text === 'by' && isReaching(last) && isNode(items[at + 1]) && draft.bare.length === 1) {
        draft.verb = 'back';
        next = 'bare';
      }
    }
    if (!isTransparent(item)) last = item;
  }
  const asking = draft.addresses.length === 2 ? askingEndOf(items) : undefined;
  return asking === undefined ? draft : { ...draft, asking };
}

/** "Frames that p3 sends to p2". */
const SENDS = /^(?:sends?|sent|sending) to$/;

function isReaching(item: Item | undefined): boolean {
  return (
    item?.kind === 'meaning' &&
    (item.meaning.kind === 'verb' || (item.meaning.kind === 'topic' && item.meaning.topic === 'reach'))
  );
}

function isNode(item: Item | undefined): boolean {
  return item?.kind === 'node' || (item?.kind === 'meaning' && item.meaning.kind === 'here');
}

/** What the place behind "from" sends to the one that asked it. */
const ANSWER = /^(?:no )?(?:answers?|responses?|repl(?:y|ies)|echo|echoes)$/;

type Place = Role | 'bare' | 'neighbour';

function put(draft: Draft, item: NameItem, place: Place): void {
  if (item.kind === 'node') {
    add(draft, place, item.name);
    return;
  }
  if (item.kind === 'address') {
    const { kind: _kind, ...address } = item;
    draft.addresses.push({ ...address, role: place === 'neighbour' ? 'bare' : place });
    return;
  }
  const { kind: _kind, ...end } = item;
  draft.ifnames.push(end);
  if (end.node !== undefined) add(draft, place === 'neighbour' ? 'on' : place, end.node);
}

/** The router of the address before it, and its port. */
function putBehind(draft: Draft, item: NameItem): void {
  const last = draft.addresses.pop();
  if (last === undefined) return;
  const node = item.kind === 'node' ? item.name : item.kind === 'ifname' ? item.node : undefined;
  const behind = {
    ...last.behind,
    ...(node === undefined ? {} : { node }),
    ...(item.kind === 'ifname' ? { ifname: item.ifname } : {}),
  };
  draft.addresses.push({ ...last, behind });
}

/** Named again it is the same place; of a way it is one more. */
function add(draft: Draft, place: Place, name: string): void {
  draft.nodes.push(name);
  const names = draft[place];
  const isList = place === 'on' || place === 'except' || place === 'with';
  if (!isList || !names.some((each) => nodeKey(each) === nodeKey(name))) names.push(name);
}

function isSeparator(item: Item | undefined): boolean {
  return item?.kind === 'comma' || item?.kind === 'dash' || (item?.kind === 'meaning' && item.meaning.kind === 'and');
}

/** Between two names of a list these change nothing. */
function isTransparent(item: Item): boolean {
  return item.kind === 'meaning' && ['empty', 'noun', 'protocol', 'srv6'].includes(item.meaning.kind);
}

/** The place of a name that comes next. */
function placeAfter(meaning: Meaning, place: Place, draft: Draft, here: string | undefined): Place {
  const names = draft.bare.length + draft.addresses.length + draft.on.length + draft.from.length;
  switch (meaning.kind) {
    case 'role':
      return meaning.role === 'to' && draft.between.length === 1 ? 'between' : meaning.role;
    case 'verb':
      if (names > 0) draft.verb = meaning.back ? 'back' : 'on';
      return 'bare';
    case 'topic':
      if (meaning.topic === 'reach' && names > 0) draft.verb ??= 'on';
      return place === 'between' || place === 'except' ? place : 'bare';
    case 'here':
      if (here !== undefined) add(draft, place === 'neighbour' ? 'bare' : place, here);
      return 'bare';
    case 'noun':
      return meaning.noun === 'neighbour' && place === 'bare' ? 'neighbour' : place;
    case 'past':
    case 'show':
    case 'before-fault':
      return 'bare';
    default:
      return place;
  }
}

/** Topics that are about a way from one place to another. */
export function hasEnds(topic: Topic): boolean {
  return ['loss', 'delay', 'jitter', 'capacity', 'mtu', 'reach', 'path'].includes(topic);
}
