// The two ends of what is asked, and what lies between: told by the words before the names, and where there are none by their order, by what is
// asked, and by the verb between them.
import type { FromHost, Topic } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { isData } from './data-topics.ts';
import { unusableHost } from './host-names.ts';
import type { KnownNames } from './names.ts';
import { hasEnds, type Places } from './places.ts';
import type { Refusal, Slots } from './slots.ts';

/** Of two addresses one is that which asks: a node's, or that of a host, whose router is sought once nodes have been asked. */
export function addressIn(
  { addresses, asking: end }: Places,
  topic: Topic,
  { addresses: owners = new Map() }: KnownNames,
): { readonly address?: string; readonly asker?: string; readonly fromHost?: FromHost } | Refusal {
  const [first, second, third] = addresses;
  if (first === undefined) return {};
  if (second === undefined) return { address: first.address };
  if (third !== undefined || topic === 'session')
    return { reason: 'unclear', words: `more than one address: ask about one of them` };
  if (end === undefined) return { reason: 'unclear', words: UNSAID };
  const [asking, asked] = end === 'first' ? [first, second] : [second, first];
  if (asking.port !== undefined)
    return {
      reason: 'unclear',
      words: `port ${asking.port} of ${asking.address}, which asks: name the port that is asked`,
    };
  const asker = owners.get(asking.address);
  if (asker !== undefined) return { address: asked.address, asker };
  const unusable = unusableHost(asking.address, asked.address);
  if (unusable !== undefined) return { reason: 'unclear', words: unusable };
  if (asked.behind !== undefined) return { reason: 'unclear', words: strangeSender(asking.address) };
  const { node, ifname } = asking.behind ?? {};
  return {
    address: asked.address,
    fromHost: { address: asking.address, ...(ifname === undefined || node === undefined ? {} : { ifname }) },
    ...(node === undefined ? {} : { asker: node }),
  };
}

const UNSAID = 'two addresses, and not which of them asks the other: ask "can ADDRESS reach ADDRESS"';

/** An address from which packets are to come, and of which no node is known to send them. */
export function strangeSender(address: string): string {
  return `two addresses; ${address} is of no node that is known: name the node that asks, and the address that is asked`;
}

/** What a node that packets pass through may do to them. */
const THROUGH: readonly Topic[] = ['loss', 'delay', 'capacity', 'mtu', 'trouble', 'errors'];

type Ends = { readonly way?: Slots['way']; readonly on: readonly string[]; readonly neighbour?: string };

export function endsIn(
  {
    from,
    to,
    via,
    between,
    on,
    with: company,
    bare,
    neighbour,
    arrows,
    dashes,
    verb,
    addresses,
    isAnswerFrom,
    nodes,
  }: Places,
  topic: Topic,
  {
    isLink,
    isAlong,
    asker,
    fromHost,
    here,
  }: {
    readonly isLink: boolean;
    readonly isAlong: boolean;
    readonly asker: string | undefined;
    readonly fromHost: FromHost | undefined;
    readonly here: string | undefined;
  },
): Ends {
  const way = (nodes: readonly string[], isDirected: boolean): Slots['way'] => ({ nodes, isDirected });
  const others = [...new Set([...on, ...bare])];
  const isSession = topic === 'session';
  if (asker !== undefined) return { on: [asker] };
  if (fromHost !== undefined) return { on: [] };
  // "Between pe2 and 198.51.100.0/24": the node asks.
  if (between.length === 1 && addresses.length === 1 && others.length + from.length + to.length === 0)
    return { on: between };
  if (isAnswerFrom === true && topic === 'reach' && from.length === 1 && to.length === 0 && addresses.length === 0) {
    const asking = others.length === 0 ? here : others[0];
    if (asking !== undefined && others.length < 2 && !isSame(asking, from[0]!))
      return { way: way([asking, ...via, from[0]!], true), on: [] };
  }
  // "Drops through spine2": at the node itself.
  const isThrough =
    via.length === 1 && others.length + from.length + to.length + between.length + addresses.length === 0;
  if (isThrough && THROUGH.includes(topic)) return { on: via };
  if (between.length === 2) return { way: way([between[0]!, ...via, between[1]!], via.length > 0), on: [] };
  if (from.length === 1 && to.length === 1) {
    if (isSession) return { on: from, neighbour: to[0]! };
    return { way: way([from[0]!, ...via, to[0]!], true), on: [] };
  }
  if (arrows > 0 && bare.length > 1)
    return { way: way([bare[0]!, ...bare.slice(1, -1), ...via, bare.at(-1)!], true), on };
  const [mine] = neighbour;
  if (isSession && mine !== undefined && !isData(topic))
    return company.length === 0 && others.length + from.length === 0
      ? { on: neighbour }
      : { on: [...others, ...from, ...company], neighbour: mine };
  if (isSession && company.length > 0) return { on: [...others, ...from], neighbour: company[0]! };
  if (isSession && to.length === 1) return { on: [...others, ...from], neighbour: to[0]! };
  if (isSession && others.length === 2 && on.length === 0) return { way: way(others, false), on: [] };
  const all = [...others, ...neighbour];
  const goesOn = hasEnds(topic) || isLink || dashes > 0;
  if (from.length === 1 && all.length === 1 && to.length === 0 && hasEnds(topic) && addresses.length === 0)
    return { way: way([from[0]!, ...via, all[0]!], true), on: [] };
  // "Loss to pe3": from the asked node.
  if (
    to.length === 1 &&
    all.length + from.length === 0 &&
    hasEnds(topic) &&
    here !== undefined &&
    !isSame(here, to[0]!)
  )
    return { way: way([here, ...via, to[0]!], true), on: [] };
  // "Is p2 reachable", "ping p2": from the asked node as well.
  const isBare = bare.length === 1 && all.length === 1 && from.length + to.length + company.length === 0;
  if (topic === 'reach' && isBare && addresses.length === 0 && here !== undefined && !isSame(here, bare[0]!))
    return { way: way([here, ...via, bare[0]!], true), on: [] };
  if (to.length + company.length === 1 && all.length === 1 && goesOn)
    return { way: way([all[0]!, ...via, ...to, ...company], !isLink), on: [] };
  // "Customers behind r1 cannot reach h1", "can h1 reach the host behind r1".
  const isOverVerb =
    topic === 'reach' && verb !== undefined && on.length === 1 && bare.length === 1 && all.length === 2;
  if (isOverVerb && nodes.length === 2 && addresses.length === 0)
    return { way: way(verb === 'back' ? [...nodes].reverse() : nodes, true), on: [] };
  // "Both ends of the link p2 p4".
  const isPair = isLink && nodes.length === 2 && on.length === 1 && bare.length === 1 && on[0] === nodes[0];
  if (isPair && !isSession && all.length === 2 && addresses.length === 0) return { way: way(nodes, false), on: [] };
  // "On the path pe1 pe3".
  const isOnPath = isAlong && nodes.length === 2 && on.length === 1 && bare.length === 1 && on[0] === nodes[0];
  if (isOnPath && hasEnds(topic) && all.length === 2 && addresses.length === 0)
    return { way: way(nodes, false), on: [] };
  if (isAlong && bare.length > 2 && on.length === 0) return { way: way(bare, true), on: [] };
  if (dashes > 0 && bare.length > 2 && hasEnds(topic)) return { way: way(bare, true), on: [] };
  if (bare.length === 2 && on.length === 0 && goesOn && addresses.length === 0) {
    const isBack = verb === 'back' && topic === 'reach';
    return {
      way: way(
        isBack ? [bare[1]!, ...via, bare[0]!] : [bare[0]!, ...via, bare[1]!],
        verb !== undefined || via.length > 0,
      ),
      on: [],
    };
  }
  return { on: [...new Set([...all, ...from, ...to, ...company])] };
}

function isSame(one: string, other: string): boolean {
  return nodeKey(one) === nodeKey(other);
}
