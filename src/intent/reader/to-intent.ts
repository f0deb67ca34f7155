// Slots become an intent: the kind of investigation that answers them, over the nodes that they name. Refuses what no investigation answers.
import { parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { Intent, IntentKind, NamedNode } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { lengthMs } from '../time/asked-time.ts';
import { isData } from './data-topics.ts';
import type { KnownNames } from './names.ts';
import { hasEnds } from './places.ts';
import type { Refusal, Slots } from './slots.ts';

/** Without a time in a question about changes. */
const DAY_MS = 86_400_000;

type Made = { readonly ok: true; readonly intent: Intent } | { readonly ok: false; readonly refusal: Refusal };

/** Without `understoodAs`. */
export function toIntent(slots: Slots, text: string, known: KnownNames): Made {
  const { topic, way, on, except, when } = slots;
  const asked = slots.isBeforeFault && topic === 'changes' ? { ...slots, topic: 'trouble' as const } : slots;
  const problem = problemIn(asked, known);
  if (problem !== undefined) return { ok: false, refusal: problem };
  const kind = kindOf(asked);
  const names = namesOf(asked, known);
  const sinceMs = when === undefined ? (kind === 'changes' ? DAY_MS : undefined) : lengthMs(when);
  const { ifname, address, fromHost, neighbour, protocol, service } = asked;
  const intent: Intent = {
    ...{ kind, text, topic: asked.topic, path: names.map(named) },
    encapsulation: slots.isSrv6 && (kind === 'path-loss' || kind === 'fault') ? 'srv6' : 'ip',
    ...(protocol === undefined ? {} : { protocol }),
    ...(neighbour === undefined ? {} : { neighbour }),
    ...(ifname === undefined ? {} : { ifname }),
    ...(address === undefined ? {} : { destination: address }),
    ...(fromHost === undefined ? {} : { fromHost }),
    ...(service === undefined ? {} : { service }),
    ...(when === undefined ? {} : { when }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(slots.isBeforeFault ? { beforeFault: true } : {}),
    ...(slots.isLink ? { isLink: true } : {}),
    ...(except.length === 0 ? {} : { except: except.map(named) }),
  };
  const isTwice = new Set(names.map(nodeKey)).size < names.length;
  if (isTwice && way !== undefined)
    return refused('unclear', `the path ${names.join(' > ')}, on which a node is named twice`);
  if (on.length > LIMITS.intentPathNodes || names.length > LIMITS.intentPathNodes)
    return refused('unclear', `${names.length} nodes; at most ${LIMITS.intentPathNodes} are asked about at once`);
  return { ok: true, intent };
}

function named(as: string): NamedNode {
  return { as, key: nodeKey(as) };
}

function refused(reason: Refusal['reason'], words: string): Made {
  return { ok: false, refusal: { reason, words } };
}

function kindOf({ topic, way, ifname, isLink, address, when }: Slots): IntentKind {
  if (isData(topic)) return 'data';
  if (topic === 'changes') return 'changes';
  if (topic === 'session') return 'neighbour-down';
  if (address !== undefined) return 'reachability';
  if (ifname !== undefined || isLink) return 'interface-fault';
  if (topic === 'loss' && way !== undefined) return when === undefined ? 'path-loss' : 'reachability';
  if (way !== undefined && hasEnds(topic)) return 'reachability';
  return 'fault';
}

function namesOf({ topic, way, on, fromHost }: Slots, { here }: KnownNames): readonly string[] {
  const names = way?.nodes ?? [...new Map(on.map((name) => [nodeKey(name), name])).values()];
  // A table without a place is of the asked node.
  const isHere =
    isData(topic) && !['where', 'nodes', 'history'].includes(topic) && names.length === 0 && fromHost === undefined;
  return isHere && here !== undefined ? [here] : names;
}

function problemIn(
  { protocol, topic, way, on, except, ifname, address, neighbour, service }: Slots,
  { here }: KnownNames,
): Refusal | undefined {
  const unclear = (words: string): Refusal => ({ reason: 'unclear', words });
  if (address !== undefined && parsePrefix(address) === undefined) return unclear(`${address}, which is no address`);
  if (except.length > 0 && (isData(topic) || neighbour !== undefined || way !== undefined || on.length > 0))
    return unclear(
      isData(topic)
        ? `an exception ("except ${except[0]}") in a question about a table: ask about each node that is meant`
        : `an exception ("except ${except[0]}") beside names: only a question about all nodes may leave one out; ask about the ones that are meant`,
    );
  if (topic === 'reach' && way === undefined && address === undefined && on.length === 0)
    return unclear('reachability; two nodes, or a node and an address, were not named');
  if (topic === 'reach' && way === undefined && address === undefined && on.length > 2)
    return unclear('reachability of more than two nodes: ask about two of them');
  if (topic === 'reach' && way === undefined && address === undefined && on.length === 1 && sameNode(on[0], here))
    return unclear('whether the asked node reaches itself: name the other end');
  const isOfAddress =
    !['changes', 'errors', 'flap'].includes(topic) && (!isData(topic) || topic === 'where' || topic === 'path');
  if (address !== undefined && !isOfAddress)
    return unclear(`${address}, of which this is not known: an address can be reached or located`);
  if (isData(topic) && topic !== 'neighbours' && protocol !== undefined)
    return unclear(`${protocol}, by which this table is not told apart`);
  if (isData(topic) && topic !== 'path' && way !== undefined)
    return unclear('a table of a way from one node to another: ask for one node, or for the path');
  if (topic === 'uptime' && (protocol !== undefined || address !== undefined || ifname !== undefined))
    return unclear('how long something other than a node is up: ask for the neighbours, or the flaps of the interface');
  if (topic === 'where' && address === undefined) return unclear('where an address is, and no address');
  if (topic === 'path' && way === undefined && address === undefined)
    return unclear('a path, and not its two ends: say "from" and "to"');
  if (topic === 'path' && (way?.nodes.length ?? 2) > 2)
    return unclear('a path with nodes between: ask which way packets go from one end to the other');
  if ((topic === 'delay' || topic === 'mtu') && ifname !== undefined && way === undefined)
    return unclear(`${topic} of one interface: name the two ends`);
  if (topic === 'jitter' && way === undefined && address === undefined)
    return unclear('jitter, and not between which two nodes');
  if (service !== undefined && topic === 'session') return unclear('a service and a session at once');
  if (neighbour === undefined && topic === 'session' && on.length > 4)
    return unclear('sessions of more than four nodes at once');
  return undefined;
}

function sameNode(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && nodeKey(one) === nodeKey(other);
}
