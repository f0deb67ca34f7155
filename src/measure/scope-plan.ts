// The calls for a question that names no path: the state of every node in scope before and after a short window, probes on
// every link between them that each node runs with its own neighbours at the same time, and what each node says of the
// way to everybody else's addresses. Pure: asks nobody. Implements TS-11; calls grow with the scope.
import { parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { StateParts } from '#model/router/router-port.ts';
import { callFor } from './call.ts';
import { reachOverLinks } from './links/link-echoes.ts';
import { linkProbes } from './links/link-probes.ts';
import { scopeLinks } from './scope-links.ts';
import { type Mute, NOBODY, type States } from './states.ts';

const REACH_PROBES = 5;
/** Others that one node of a large network probes: every node is still probed by several. */
const REACH_OTHERS = 8;
const ADDRESSES_PER_NODE = 6;

export function planScopeStates(
  phase: 'before' | 'after',
  nodes: readonly string[],
  parts: Exclude<StateParts, 'wire'> = 'all',
): readonly PlannedCall[] {
  return nodes.map((node) => callFor(node, { kind: 'state', when: phase }, { parts }, LIMITS.sweepCallMs));
}

/** One probe a link, plus lookups and reachability from every node. */
export function planSweep(states: States, mute: Mute = NOBODY): readonly PlannedCall[] {
  const links = scopeLinks(states);
  const targets = ownAddresses(states, links);
  return [
    ...links.flatMap((link) => linkProbes(link, states, links, mute)),
    ...[...states.keys()].flatMap((node) => reachOverLinks(node, links, states, mute)),
    ...[...states.keys()].flatMap((node, index) => [
      ...lookups(node, targets, states, 'first'),
      ...reach(node, index, targets, [...states.keys()]),
    ]),
  ];
}

export type Target = { readonly node: string; readonly address: string };

/** What each node calls its own: loopbacks, and one address of each network that is no link of the scope. */
function ownAddresses(states: States, links: readonly Link[]): readonly Target[] {
  const narrow = links.filter(({ addresses }) => addresses === undefined || isNarrow(states, addresses.from));
  const inner = new Set(narrow.flatMap(({ from, to }) => [from, to]).map((end) => `${end.node} ${end.ifname}`));
  return [...states].flatMap(([node, { inventory }]) => {
    const attached = inventory.interfaces
      .filter((entry) => entry.kind !== 'loopback' && entry.adminUp && !inner.has(`${node} ${entry.name}`))
      .flatMap((entry) => entry.addresses);
    // Networks of hosts come before links that lead out of the scope.
    const sorted = [...attached.filter((own) => !isNarrowPrefix(own)), ...attached.filter(isNarrowPrefix)];
    const all = [...inventory.loopbacks, ...sorted].map((address) => address.split('/')[0]!);
    const usable = [...new Set(all)].filter(
      (address) => parsePrefix(address) !== undefined && !/^fe[89ab]/i.test(address),
    );
    return usable.slice(0, ADDRESSES_PER_NODE).map((address) => ({ node, address }));
  });
}

/** A link of two addresses only; a wider one is a network that hosts are attached to. */
function isNarrow(states: States, address: string): boolean {
  const found = [...states.values()]
    .flatMap(({ inventory }) => inventory.interfaces.flatMap((entry) => entry.addresses))
    .find((each) => each.startsWith(`${address}/`));
  return found !== undefined && isNarrowPrefix(found);
}

function isNarrowPrefix(text: string): boolean {
  const prefix = parsePrefix(text);
  return prefix !== undefined && prefix.prefixBits >= (prefix.family === 4 ? 30 : 126);
}

function lookups(
  node: string,
  targets: readonly Target[],
  states: States,
  round: 'first' | 'confirmation',
): readonly PlannedCall[] {
  // Where its own lists begin, and whether it knows a way to what others put into SRv6.
  const steeredTo = [...states].flatMap(([head, state]) =>
    (state.staticRoutes ?? [])
      .filter((route) => route.segments !== undefined)
      .flatMap((route) => (head === node ? route.segments! : [route.prefix.split('/')[0]!])),
  );
  const others = addressesOf(targets.filter((target) => target.node !== node));
  // What a host of its own serves may be led elsewhere by a route for less than its network.
  const served = (states.get(node)?.history?.services ?? []).map(({ address }) => address);
  const destinations = [...new Set([...steeredTo, ...served, ...others])];
  const parts = Array.from({ length: Math.ceil(destinations.length / LIMITS.lookups) }, (_, part) =>
    destinations.slice(part * LIMITS.lookups, (part + 1) * LIMITS.lookups),
  );
  return parts.map((destinations, index) =>
    callFor(node, { kind: 'lookups', part: index + 1, round }, { destinations }, LIMITS.measureCallMs),
  );
}

/** Where one node forwards what is asked about. */
export function planWayLookup(node: string, destination: string): PlannedCall {
  return callFor(node, { kind: 'path-lookup', destination }, { destinations: [destination] }, LIMITS.sweepCallMs);
}

function reach(
  node: string,
  index: number,
  targets: readonly Target[],
  nodes: readonly string[],
): readonly PlannedCall[] {
  const step = Math.max(1, Math.floor((nodes.length - 1) / REACH_OTHERS));
  const chosen = new Set(
    Array.from({ length: REACH_OTHERS }, (_, turn) => nodes[(index + 1 + turn * step) % nodes.length]!),
  );
  chosen.delete(node);
  const destinations = addressesOf(targets.filter((target) => chosen.has(target.node))).slice(
    0,
    LIMITS.reachDestinations,
  );
  if (destinations.length === 0) return [];
  const timeoutMs = destinations.length * REACH_PROBES + LIMITS.measureCallMs;
  return [callFor(node, { kind: 'reach', round: 'first' }, { destinations, count: REACH_PROBES }, timeoutMs)];
}

/** The second look at who forwards where, when the first found a way that fails: what is over by then was no fault. */
export function planSecondLookups(states: States): readonly PlannedCall[] {
  const targets = ownAddresses(states, scopeLinks(states));
  return [...states.keys()].flatMap((node) => lookups(node, targets, states, 'confirmation'));
}

function addressesOf(targets: readonly Target[]): string[] {
  return [...new Set(targets.map((target) => target.address))];
}
