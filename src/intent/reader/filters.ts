// Words that narrow what is asked to a class of traffic or to a state, by which no answer tells anything apart: the answer names them.
import type { Topic } from '#model/intent.ts';
import { isData } from './data-topics.ts';
import type { Item } from './item.ts';

/** "UDP loss", "loss for VoIP", "input errors", "which interfaces are down". */
export function filtersIn(items: readonly Item[], topic: Topic, isWeak: boolean, hasWay: boolean): readonly string[] {
  return items.flatMap((item, index) => {
    if (item.kind !== 'meaning') return [];
    const { meaning, text } = item;
    const next = items[index + 1];
    // What it is that is slow or gone, and who has it: an answer is about nodes.
    const attached = attachedIn(items, index, topic);
    if (attached !== undefined) return [attached];
    // "User sessions".
    if (meaning.kind === 'empty' && OWNER.test(text) && isTopic(next, topic)) return [text];
    if (meaning.kind === 'topic' && UNMEASURED.test(text)) return [text];
    const isPort = next?.kind === 'number' || (next?.kind === 'meaning' && next.meaning.kind === 'noun');
    // "The uplinks of leaf1", "eBGP": one kind of what the answer is about.
    if ((meaning.kind === 'noun' && !hasWay && KIND.test(text)) || (meaning.kind === 'protocol' && KIND.test(text)))
      return [text];
    const isUnheard = (topic === 'session' && PREFIXES.test(text)) || (topic === 'uptime' && text === 'who');
    if (isUnheard) return [text];
    const isTransport = meaning.kind === 'port' && !isPort;
    if (meaning.kind !== 'topic') return isTransport ? [text] : [];
    // "Voice calls are choppy" asks for the delay; "loss for voice calls" asks for the loss of all that is sent.
    const isClass = meaning.weak === true && CLASS.test(text) && !(isWeak && topic === meaning.topic);
    const isState =
      isTable(topic) && meaning.past !== true && (STATE.test(text) || (meaning.topic === 'trouble' && !meaning.weak));
    // "Route changes", "connection errors": which of what is asked.
    const isPart = meaning.topic !== topic && PART.test(text) && isTopic(next, topic);
    if (isPart) return [text];
    const way = meaning.topic === 'errors' || meaning.topic === 'loss' ? WAY.exec(text)?.[0] : undefined;
    return isClass || isState ? [text] : way === undefined ? [] : [way];
  });
}

/** What is slow, gone or full, of which an answer about nodes says nothing. */
const UNMEASURED =
  /\b(?:internet|dhcp|leases|rpki|hijack\w*|leak\w*|oom|memory|disk|space|file system|open files|polari[sz]ed|skew|masters?)\b/;
/** "Servers on leaf1", "customers behind leaf1": what is at a node, and not the node. */
const ATTACHED =
  /^(?:hosts?|devices|servers?|machines?|agents?|sites?|systems?|customers?|users?|clients?|callers?|colleagues|people)$/;
const AT = /^(?:on|at|of|in|by|for)$/;
export const BEHIND =
  /^(?:behind|near|around|off|connected to|attached to|plugged into|adjacent to|peered with|facing)$/;

/** The words of what is at, or behind, a node that is named. */
function attachedIn(items: readonly Item[], at: number, topic: Topic): string | undefined {
  const [item, next] = [items[at], items[at + 1]];
  if (item?.kind !== 'meaning' || ['connected', 'where', 'nodes'].includes(topic)) return undefined;
  if (ATTACHED.test(item.text)) {
    // "Leaf1's servers", and not "pe1 and host h1".
    if (items[at - 1]?.kind === 'node' && next?.kind !== 'node') return item.text;
    // "Servers and customers behind leaf1".
    const isListed = (each: Item) =>
      each.kind === 'comma' || (each.kind === 'meaning' && (each.meaning.kind === 'and' || ATTACHED.test(each.text)));
    const role = items.slice(at + 1).find((each) => !isOfClause(each) && !isListed(each));
    const isAt = role?.kind === 'meaning' && (AT.test(role.text) || BEHIND.test(role.text));
    return isAt && items[items.indexOf(role) + 1]?.kind === 'node' ? item.text : undefined;
  }
  // "Everything behind leaf1".
  const before = items.slice(0, at).findLast((each) => !isOfClause(each));
  // "198.19.1.10 behind pe1" is the host's place, and is used.
  const isNamed = before?.kind === 'address' || (before?.kind === 'meaning' && ATTACHED.test(before.text));
  return !isNamed && BEHIND.test(item.text) && next?.kind === 'node' ? item.text : undefined;
}

/** "That are". */
export function isOfClause(item: Item): boolean {
  return (
    item.kind === 'meaning' &&
    /^(?:(?:that|which|who|what)(?: (?:is|are))?|is|are|sits?|sitting|there|directly|right)$/.test(item.text)
  );
}

/** What stands before the name of what is asked, and tells one kind of it from another. */
const PART = /^(?:paths?|routes?|routing|connections?|responses?|service|video|voice|voip)$/;
const OWNER = /^(?:users?|customers?|clients?|callers?|data|frames?|datagrams?|flows?|streams?|types?|order)$/;

function isTopic(item: Item | undefined, topic: Topic): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === topic;
}

const KIND = /^(?:uplinks?|core links?|trunk|e-?bgp|i-?bgp|ospfv3|ospf6|ospf3)$/;
/** What a session carries, and who restarted a node: the answer is about the session, and about when. */
const PREFIXES = /^(?:prefix|prefixes|routes?)$/;
const CLASS = /^(?:video|voice|voip|calls|streaming|meetings|web pages)\b/;
/** "Input errors": an answer tells of both ways. */
const WAY = /^(?:input|output|rx|tx)(?= )/;
const STATE =
  /^(?:down|up|offline|online|ok|okay|good|bad|healthy|unhealthy|broken|faulty|fail\w*|missing|stuck|dead|degraded|alive|working|not working|stable|quiet|silent|gone|away|established|idle|active|init)$/;

/** A table of things of which each has a state. */
function isTable(topic: Topic): boolean {
  return isData(topic) && !['uptime', 'history', 'path', 'where'].includes(topic);
}
