// Questions for things: which node has an address, what hangs off a node, which interfaces it has, which nodes there are, what an interface carries.
import { ASKS_WHICH } from '../../words/asking-words.ts';
import type { Item } from '../item.ts';
import {
  asking,
  countOf,
  emptied,
  type Frame,
  hasWord,
  isMeaning,
  isNoun,
  isOnly,
  isPlain,
  isWord,
  topicsOf,
} from './parts.ts';

function isAsked(items: readonly Item[]): boolean {
  return (
    hasWord(items, ASKS_WHICH) ||
    hasWord(items, /^(?:which|what|who) /) ||
    items.some((item) => isMeaning(item, 'show'))
  );
}

/** "Which router has 192.0.2.1", "what is 192.0.2.1", "in which device is the address 192.0.2.1". */
export const owner: Frame = (items) => {
  if (countOf(items, 'address') !== 1 || countOf(items, 'node') + countOf(items, 'ifname') > 0) return items;
  if (!isPlain(items) || !isOnly(items, 'where', 'reach', 'connected', 'changes', 'trouble', 'neighbours'))
    return items;
  const isAskedFor = hasWord(
    items,
    /^(?:what|which|who|whose|whom|where|what device|which router|which node|where is|where can i|which devices|find|who is on|what is on)$/,
  );
  if (!isAskedFor || !items.every((item) => item.kind === 'address' || item.kind === 'stop' || isOfOwner(item)))
    return items;
  const kept = items.filter((item) => !(isMeaning(item, 'topic', 'verb', 'everywhere') || isWord(item, PLACED)));
  return asking('where', kept);
};

const OWNED =
  /^(?:what|which|who|whose|whom|where|where is|is|are|does|do|can|could|i|we|you|the|an?|this|that|my|our|has|have|having|own|owns|owned|owner of|use|uses|using|used|hold|holds|live|lives|located|belong|belongs|belong to|belongs to|to|on|at|of|in|with|for|find|sit|sits|sitting|configured|assigned|assigned to|terminated|bound|it|ip|address|addresses|please|tell me|one|known|know|do you know|which router|which node|which router has|which node has|which router owns|which node owns|who has|who owns|whose is|located|locate|carry|carries|currently|now|really|actually|attached|plugged|plugged in|connected|hanging|patched|cabled|behind|off|box|vm|laptop|pc|suspicious|still)$/;
const PLACED =
  /^(?:sit|sits|sitting|assigned|assigned to|terminated|bound|own|owned|hold|holds|used|belong|carry|carries|attached|plugged|plugged in|connected|hanging|patched|cabled|behind|off|in|vm|laptop|pc|suspicious)$/;

function isOfOwner(item: Item): boolean {
  return isWord(item, OWNED) || isNoun(item, 'node', 'address', 'interface');
}

/** "What is connected to leaf1", "which servers hang off leaf1", "what is leaf1 connected to". */
export const attached: Frame = (items) => {
  if (
    countOf(items, 'node') !== 1 ||
    items.some((item) => item.kind === 'address' || isMeaning(item, 'protocol', 'past'))
  )
    return items;
  if (!isPlain(items) || !isAsked(items) || hasWord(items, /^(?:customers?|users?|why|how)$/)) return items;
  const isOnThem = items.some((item) => isNoun(item, 'node') && isWord(item, THINGS)) && hasWord(items, /^on$/);
  const isAttached =
    isOnThem ||
    hasWord(items, ATTACHED) ||
    (hasWord(items, /^connected$/) &&
      isWord(
        items.findLast((item) => item.kind !== 'stop'),
        /^to$/,
      ));
  const left = items.filter((item) => !isWord(item, HANGS) && !isWord(item, ATTACHED));
  if (
    !isAttached ||
    !isOnly(left, 'connected', 'where') ||
    left.some((item) => item.kind === 'left' && !isWord(item, HANGS))
  )
    return items;
  return asking(
    'connected',
    items.map((item) =>
      isWord(item, HANGS) ||
      (isWord(item, ATTACHED) && !isMeaning(item, 'role')) ||
      isMeaning(item, 'show', 'everywhere', 'noun') ||
      isWord(item, /^to$/)
        ? emptied(item)
        : item,
    ),
  );
};

const THINGS = /^(?:devices|hosts|servers|machines|boxes|systems)$/;
const ATTACHED =
  /^(?:connected to|attached to|plugged into|plugged in to|connected|attached|plugged|off|behind|wired|cabled)$/;
const HANGS = /^(?:hang|hangs|hanging|sit|sits|sitting|plugged|plugged in|attached|connected|wired|cabled|live|lives)$/;

/** "State of all interfaces on leaf1", "what ports does leaf1 have", "are there interfaces down on leaf1". */
export const interfaces: Frame = (items) => {
  const isMany = items.some((item) => isWord(item, MANY));
  const isTable = items.some(
    (item, at) =>
      isNoun(item, 'interface') &&
      isWord(items[at + 1], /^(?:list|table|overview|summary|states?|status|inventory|brief)$/),
  );
  if (!(isMany || isTable) || countOf(items, 'node') > 1 || countOf(items, 'ifname') + countOf(items, 'address') > 0)
    return items;
  if (!isPlain(items) || items.some((item) => isMeaning(item, 'past', 'protocol', 'here') || item.kind === 'time'))
    return items;
  const isShown = items.some((item) => isMeaning(item, 'show'));
  if (
    !isOnly(items, 'trouble', 'interfaces', 'path', ...(isShown ? (['mtu'] as const) : [])) ||
    topicsOf(items, false).has('trouble')
  )
    return items;
  const said = items.filter(
    (item) =>
      isMeaning(item, 'topic') &&
      !isWord(item, STATE) &&
      !isWord(item, /^(?:which (?:interfaces|ports)(?: does)?|mtu)$/),
  );
  const isListed =
    isTable ||
    isShown ||
    hasWord(items, /^(?:what|which|which (?:interfaces|ports)(?: does)?|have|has|states?|status|up|down)$/);
  if (
    said.some((item) => !isMeaning(item, 'topic') || !topicsOf([item], false).has('interfaces')) ||
    !isListed ||
    countOf(items, 'node') === 0
  )
    return items;
  if (items.some((item) => isMeaning(item, 'role') && !isWord(item, /^(?:on|of|at|in|for|with)$/))) return items;
  return asking(
    'interfaces',
    items.filter((item) => !isMeaning(item, 'topic', 'everywhere') || isWord(item, DOWN)),
  );
};

const MANY = /^(?:(?:which|all|what) )?(?:interfaces|ports|nics)(?: does)?$/;
const STATE = /^(?:state|status|up|down|list|show|overview|brief|online|offline|admin down|up or down|there is|doing)$/;
const DOWN = /^(?:up|down|online|offline|admin down)$/;

/** "Which routers do you know", "list all nodes", "what devices are in the network". */
export const nodes: Frame = (items) => {
  const isMany = items.some((item) =>
    isWord(item, /^(?:(?:which|all|what) )?(?:nodes|routers|switches|devices|boxes|agents|machines)$/),
  );
  const isList =
    items.some((item, at) => isNoun(item, 'node') && isWord(items[at + 1], /^(?:list|inventory|names)$/)) ||
    hasWord(items, /^inventory$/);
  if (!(isMany || isList) || !(isAsked(items) || isList)) return items;
  const isBare = items.every((item) => item.kind === 'stop' || isWord(item, OF_NODES) || isNoun(item, 'node'));
  return isBare
    ? asking(
        'nodes',
        items.filter((item) => isMeaning(item, 'empty', 'noun') && !isWord(item, /^inventory$/)),
      )
    : items;
};

const OF_NODES =
  /^(?:what|which|who|the|a|an|all|any|our|my|your|every|each|is|are|do|does|we|you|i|it|have|has|exist|exists|there|there is|know|see|about|of|in|on|part|this|that|network|networks|the network|whole network|our network|fabric|backbone|core|domain|me|us|list|list me|inventory|please|can|could|current|currently|full|complete|show|show me|show us|give|give me|get|get me|print|display|dump|name all|name the|name every|list all|show all|display all|print all|names|do you know|can you see|do you see|you know|which nodes|which routers|which devices|what devices|what nodes|all nodes|all routers|everything|tell me|to|known|what are|which are)$/;

/** "How full is eth1", "how much data goes over eth1", "how many packets did eth1 receive". */
export const carried: Frame = (items) => {
  if (countOf(items, 'ifname') !== 1 || countOf(items, 'node') > 1 || countOf(items, 'address') > 0 || !isPlain(items))
    return items;
  if (
    !isOnly(
      items.filter((item) => !isWord(item, /^load$/)),
      'traffic',
      'capacity',
      'trouble',
      'counters',
    ) ||
    items.some((item) => isMeaning(item, 'past', 'protocol'))
  )
    return items;
  const isAmount = items.some(
    (item, at) => isWord(item, /^how$/) && isWord(items[at + 1], /^(?:much|many|heavily|hard)$/),
  );
  const isCounted = isAmount && hasWord(items, /^(?:packets|frames|bytes|octets)$/);
  if (
    isCounted &&
    (hasWord(items, /^(?:received|sent|transmitted|forwarded|receive|send|transmit|in|out|passed)$/) ||
      isOnly(items, 'counters'))
  )
    return asking(
      'counters',
      items.filter((item) => !isWord(item, MOVED) && !isMeaning(item, 'topic')),
    );
  const isLoad =
    hasWord(items, /^(?:how full|how many (?:mbps|mbit|mbits|gbps|megabits?|gigabits?)|bandwidth|throughput)$/) ||
    (hasWord(items, /^(?:carry|carries|carrying)$/) && hasWord(items, /^what$/)) ||
    hasWord(items, /^load$/) ||
    (isAmount && (hasWord(items, MOVED) || hasWord(items, /^(?:over|through|across)$/)));
  if (!isLoad || hasWord(items, /^(?:why|poor|terrible|awful|bad throughput)$/)) return items;
  const kept = items.filter(
    (item) => !isWord(item, MOVED) && !(isMeaning(item, 'topic') && !topicsOf([item], true).has('traffic')),
  );
  return asking('traffic', kept.map(placed));
};

/** "Over p2 eth2": where it is counted. */
function placed(item: Item): Item {
  const isOver = item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'via';
  return isOver ? { kind: 'meaning', meaning: { kind: 'role', role: 'on' }, text: 'on' } : item;
}

const MOVED =
  /^(?:carry|carries|carrying|carried|used|using|flows?|flowing|goes|going|running|runs|passing|passes|received|sent|transmitted|forwarded|transmit|receive|heavily|hard)$/;

/** "Show log p2", "events on p2", "give me the history of p2": not "the log says that p2 is down". */
export const recorded: Frame = (items) => {
  const isRecord = (item: Item) => isWord(item, /^(?:logs?|events?|syslogs?|logfile|event history)$/);
  const at = items.findIndex(isRecord);
  const isFirst = items
    .slice(0, at)
    .every(
      (item) =>
        isMeaning(item, 'show') ||
        item.kind === 'node' ||
        item.kind === 'ifname' ||
        isWord(item, /^(?:the|all|a|full|any|recent|latest|last|me|us|please|event|what are|isis|bgp)$/),
    );
  if (at < 0 || !isFirst || !isPlain(items) || !isOnly(items, 'trouble', 'history')) return items;
  const rest = items.slice(at + 1).filter((item) => !isRecord(item));
  const isBare = rest.every(
    (item) =>
      ['node', 'ifname', 'time', 'stop', 'comma'].includes(item.kind) ||
      isWord(item, /^(?:on|of|for|from|at|in|the|router|node|please|and)$/),
  );
  if (!isBare) return items;
  const meant = items.filter(
    (item) => !isRecord(item) && !isWord(item, /^(?:event|recent|latest|last|what happened(?: on)?)$/),
  );
  return asking('history', [...meant, { kind: 'meaning', meaning: { kind: 'past' }, text: 'history' }]);
};
