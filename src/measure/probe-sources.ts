// From which of its own addresses a node probes others from end to end: one that they have a route to, so that the answers come back. The
// node itself takes its first loopback, which may be anycast, or withheld from the network. Pure: chooses by what the states tell of
// announcements; a second look chooses by what nodes said of their routes (correlate/doubts.ts).

import { covers, isDefaultRoute, isLinkLocal, parsePrefix } from '#base/ip.ts';
import { isJsonObject, type JsonValue } from '#base/json.ts';
import type { PlannedCall } from '#model/call.ts';
import { isVirtualRouterMac } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import type { States } from './states.ts';

const FAMILIES = [4, 6] as const;
type Family = (typeof FAMILIES)[number];

/**
 * Addresses that a node may send probes from, best first: its loopbacks, then those of its networks of hosts. Without what another node has as
 * well, and without the address of a VRRP group.
 */
export function sourcesOf(states: States, node: string, family: Family): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  const { interfaces, loopbacks } = state.inventory;
  const networks = interfaces
    .filter(({ kind, operUp, mac = '' }) => kind !== 'loopback' && operUp && !isVirtualRouterMac(mac))
    .flatMap(({ addresses }) => addresses)
    .filter(isOfHosts);
  const shared = sharedIn(states);
  return [...loopbacks, ...networks].flatMap((text) => {
    const own = parsePrefix(text);
    if (own?.family !== family || isLinkLocal(own) || shared.has(own.address)) return [];
    return [own.address];
  });
}

/** The node's own address on a network with the host, from which what the host would be answered is answered alike. */
export function sourceBeside(states: States, node: string, host: string): string | undefined {
  const own = (states.get(node)?.inventory.interfaces ?? [])
    .filter(({ kind }) => kind !== 'loopback')
    .flatMap(({ addresses }) => addresses.filter((each) => covers(each, host)))
    .map((each) => parsePrefix(each)?.address);
  return sourcesOf(states, node, host.includes(':') ? 6 : 4).find((address) => own.includes(address));
}

/** What the node sends from without being told. */
export function usualSource({ inventory }: NodeState, family: Family): string | undefined {
  return inventory.loopbacks.map(parsePrefix).find((own) => own?.family === family)?.address;
}

/** A node without an address of a family, beside link-local ones, sends nothing of that family and is answered nothing. */
export function canSendTo({ inventory }: NodeState, destination: string): boolean {
  const family = destination.includes(':') ? 6 : 4;
  return inventory.interfaces
    .flatMap(({ addresses }) => addresses.map(parsePrefix))
    .some(
      (own) => own?.family === family && !isLinkLocal(own) && own.address !== '::1' && !own.address.startsWith('127.'),
    );
}

/** With the address that the node's service probes are to be sent from, where the call names none and the states tell of a better one. */
export function withSource(call: PlannedCall, states: States): PlannedCall {
  if (call.evidence !== 'service-probe' || call.arguments['source'] !== undefined) return call;
  const isIpv6 = isOfIpv6(call.arguments['serviceProbes']);
  const source = plannedSources(states, call.node).find((address) => address.includes(':') === isIpv6);
  return source === undefined ? call : { ...call, arguments: { ...call.arguments, source } };
}

/** A call tries services of one family. */
function isOfIpv6(serviceProbes: JsonValue | undefined): boolean {
  const [first] = Array.isArray(serviceProbes) ? serviceProbes : [];
  return isJsonObject(first) && typeof first['destination'] === 'string' && first['destination'].includes(':');
}

/** One address of a family at most, and only where the states tell of a better one than the node's own choice. */
export function plannedSources(states: States, node: string): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  return FAMILIES.flatMap((family) => {
    const best = bestSource(states, node, state, family);
    return best === undefined || best === usualSource(state, family) ? [] : [best];
  });
}

/** Addresses of two nodes of one family, IPv6 before IPv4, that the states show to be routed; undefined where they show it of neither family. */
export function routedPair(states: States, from: string, to: string): readonly [string, string] | undefined {
  for (const family of [6, 4] as const) {
    const [source, destination] = [from, to].map((node) => routedSource(states, node, family));
    if (source !== undefined && destination !== undefined) return [source, destination];
  }
  return undefined;
}

function bestSource(states: States, node: string, state: NodeState, family: Family): string | undefined {
  return routedSource(states, node, family) ?? firstLoopback(states, node, state, family);
}

function routedSource(states: States, node: string, family: Family): string | undefined {
  const state = states.get(node);
  if (state === undefined) return undefined;
  // An interior protocol announces what BGP does not.
  if ((state.isis?.circuits.length ?? 0) > 0 || ospfRows(state).length > 0)
    return firstLoopback(states, node, state, family);
  const others = [...states].flatMap(([other, { staticRoutes = [] }]) => (other === node ? [] : staticRoutes));
  return sourcesOf(states, node, family).find(
    (address) => isTold(state, address) || others.some((route) => leadsTo(route, address)),
  );
}

function firstLoopback(states: States, node: string, state: NodeState, family: Family): string | undefined {
  const loopbacks = state.inventory.loopbacks.map((text) => parsePrefix(text)?.address);
  return sourcesOf(states, node, family).find((address) => loopbacks.includes(address));
}

/** A default route leads everywhere, and says of no address that it is there. */
function leadsTo({ kind, prefix, segments }: StaticRoute, address: string): boolean {
  return kind === 'unicast' && segments === undefined && !isDefaultRoute(prefix) && covers(prefix, address);
}

/** It, or a network that covers it, goes to at least one BGP peer. */
function isTold({ bgp }: NodeState, address: string): boolean {
  return (bgp?.ownPrefixes ?? []).some(
    ({ prefix, advertisedTo }) => advertisedTo.length > 0 && covers(prefix, address),
  );
}

/** Ports over which more came, by orders of magnitude, first: of many networks those that are in use. */
export function busiestFirst<Port extends Pick<InterfaceState, 'counters'>>(ports: readonly Port[]): readonly Port[] {
  return ports.toSorted((one, other) => other.counters.rxPackets.length - one.counters.rxPackets.length);
}

/** A network of two addresses is a link's, which is often announced to none but its ends. */
export function isOfHosts(text: string): boolean {
  const own = parsePrefix(text);
  return own !== undefined && own.prefixBits < (own.family === 4 ? 30 : 126);
}

/** States do not change: which addresses several nodes have is gathered once. */
const SHARED = new WeakMap<States, ReadonlySet<string>>();

function sharedIn(states: States): ReadonlySet<string> {
  const known = SHARED.get(states);
  if (known !== undefined) return known;
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const [node, { inventory }] of states)
    for (const text of inventory.interfaces.flatMap(({ addresses }) => addresses)) {
      const address = parsePrefix(text)?.address ?? text;
      if ((owners.get(address) ?? node) !== node) shared.add(address);
      owners.set(address, node);
    }
  SHARED.set(states, shared);
  return shared;
}
