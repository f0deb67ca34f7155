// Addresses of one node that others cannot forward to, by the lookups of every node on the path. One symptom a failing place and
// owner; where routing itself is cut in two, that cut is the symptom, not its results.
import { covers, parsePrefix } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { type Ending, walk } from '../network/forwarding.ts';
import { isInhabited, isWithdrawn, lostRoutes, wasRouted } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import { keptOnTheWay, systemOf } from '../network/other-networks.ts';
import { isOfAreaAlone, isRouted, isSpare, kindOf } from '../network/spare-addresses.ts';
import { interfaceOf, ownerOf, sourcesOf, type World } from '../network/world.ts';
import { areConnected, carrierOf, type Parts, routedParts } from './routing-parts.ts';

export type RouteDetail = {
  readonly destination: string;
  readonly owner: string;
  /** Node at which it ends, and node from which it was looked up. */
  readonly at: string;
  readonly from: string;
  readonly how: Exclude<Ending['kind'], 'delivered' | 'unknown'> | 'detour' | 'astray';
  /** All nodes that fail so; absent for a detour and for what goes astray. */
  readonly affected?: readonly string[];
  /** Of `none`: the prefix for which the node remembers a route of its own, which is missed. */
  readonly lost?: string;
  /** Of `astray`: the next hop that the route had before, which leads to the owner. */
  readonly before?: string;
  /** Of a detour: the next hop, and whether it is as near to the owner as the node is. */
  readonly next?: string;
  readonly asNear?: boolean;
};

export const routeSymptom = defineSymptom<RouteDetail>('route');

export function routeSymptoms(world: World): readonly Symptom[] {
  const parts = routedParts(world);
  const found = new Map<string, Symptom<RouteDetail>>();
  for (const [from, answers] of world.lookups) {
    for (const destination of answers.keys()) {
      const owner = ownerOf(world, destination);
      if (owner === undefined || owner.node === from) continue;
      for (const symptom of failures(world, from, destination, owner.node, parts)) {
        const affected = [...new Set([...(found.get(symptom.id)?.detail.affected ?? []), from])];
        found.set(symptom.id, { ...symptom, detail: { ...symptom.detail, affected } });
      }
    }
  }
  return [...found.values()].filter((symptom) => isExpected(world, symptom));
}

function failures(
  world: World,
  from: string,
  destination: string,
  owner: string,
  parts: Parts,
): readonly Symptom<RouteDetail>[] {
  const way = walk(world, from, destination);
  return way.endings.flatMap(({ kind: how, at: end }) => {
    if (how === 'delivered' || how === 'unknown') return [];
    const lost = how === 'none' ? missedRoute(world, end, destination, owner) : undefined;
    if (
      how === 'none' &&
      lost === undefined &&
      !areConnected(parts, carrierOf(world, destination), destination, end, owner)
    )
      return [];
    const before = lost === undefined ? '' : `, and had one for ${lost} before`;
    const at = how === 'loop' ? [...way.nodes].sort().join('+') : how === 'none' ? '' : end;
    return [
      routeSymptom.raise({
        id: `route:${how}/${at}/${destination}`,
        subject: nodeResource(end),
        text: `${nodeRef(from)} cannot send to ${destination} of ${nodeRef(owner)}: ${WORDS[how](nodeRef(end))}${before}`,
        source: sourcesOf(world, end, owner),
        nodes: [...new Set([end, owner])],
        way: { nodes: way.nodes, links: way.links },
        detail: { destination, owner, at: end, how, from, ...(lost === undefined ? {} : { lost }) },
      }),
    ];
  });
}

const WORDS: Readonly<Record<Exclude<RouteDetail['how'], 'detour' | 'astray'>, (at: string) => string>> = {
  blackhole: (at) => `${at} throws it away`,
  unreachable: (at) => `${at} refuses it`,
  none: (at) => `${at} has no route`,
  loop: (at) => `it goes round in a loop at ${at}`,
  elsewhere: (at) => `${at} takes it for its own`,
};

/** The prefix of a route that the node set itself and lost, where another node still has a route to the address, or hosts are behind it. */
function missedRoute(world: World, node: string, address: string, owner: string): string | undefined {
  const [prefix] = lostRoutes(world, node, address);
  const isKnown = [...world.lookups].some(([other, answers]) => {
    const { kind, matched, segments = [] } = answers.get(address) ?? {};
    return other !== node && other !== owner && kind === 'unicast' && matched !== 'default' && segments.length === 0;
  });
  return isKnown || isInhabited(world, address) ? prefix : undefined;
}

/** An address that no node can reach may be meant to be: it is a symptom only when its like are reachable elsewhere. */
function isExpected(world: World, { way, detail }: Symptom<RouteDetail>): boolean {
  const { how, destination, lost, affected = [detail.from] } = detail;
  const isUnknown = how === 'none' || (how === 'loop' && isByDefault(world, way?.nodes ?? [], destination));
  if (!isUnknown || lost !== undefined || (how === 'loop' && wasRouted(world, destination))) return true;
  if (how === 'none' && affected.every((node) => isKeptFromSystem(world, node, affected, destination))) return false;
  const reached = (address: string) => isRouted(world, address);
  if (reached(destination)) return how !== 'none' || !affected.every((node) => isOfAreaAlone(world, node, destination));
  if (isSpare(world, destination, reached) || isOfLinkAlone(world, destination)) return false;
  // Its own node announced it before, and does not now.
  if (how === 'none' && isWithdrawn(world, ownerOf(world, destination)?.node ?? '', destination)) return true;
  const alike = [...world.owners.keys()].filter(
    (address) => address !== destination && kindOf(world, address) === kindOf(world, destination),
  );
  const asked = alike.filter((address) => [...world.lookups.values()].some((answers) => answers.has(address)));
  return asked.length >= 1 && asked.every(reached);
}

/** What one node of a system shows speaks for all of that system that lack the route: to another of them itself nothing may lead back. */
function isKeptFromSystem(world: World, node: string, affected: readonly string[], address: string): boolean {
  const system = systemOf(world, node);
  const alike = affected.filter((each) => each === node || (system !== undefined && systemOf(world, each) === system));
  return alike.some((each) => keptOnTheWay(world, each, address) !== undefined);
}

/** Every node of the way has a default route to it and no other, so that it comes back: none of them knows the address. */
function isByDefault(world: World, nodes: readonly string[], destination: string): boolean {
  return nodes.length > 0 && nodes.every((node) => world.lookups.get(node)?.get(destination)?.matched === 'default');
}

/**
 * Of a link of two addresses that no protocol carries, and none did as far as the nodes remember: its two ends need no route to it, and no other
 * node is owed one.
 */
function isOfLinkAlone(world: World, address: string): boolean {
  const owner = ownerOf(world, address);
  const { bgp } = (owner && world.views.get(owner.node)?.state) ?? {};
  const prefixes = (owner && interfaceOf(world, owner)?.addresses) ?? [];
  const own = parsePrefix(prefixes.find((entry) => entry.startsWith(`${address}/`)) ?? '');
  const hosts = own === undefined ? 0 : (own.family === 4 ? 32 : 128) - own.prefixBits;
  const isInBgp = bgp?.ownPrefixes.some(({ prefix }) => covers(prefix, address)) === true;
  if (hosts !== 1 || isInBgp || address === world.destination) return false;
  return carrierOf(world, address) === 'bgp' && !wasRouted(world, address);
}
