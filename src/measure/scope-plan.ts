// The calls for a question that names no path: the state of every node in scope before and after a short window, probes on
// every link between them that each node runs with its own neighbours at the same time, and what each node says of the
// way to everybody else's addresses. Pure: asks nobody. Implements TS-11; calls grow with the scope.
import { parsePrefix, sharesSubnet } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { EvidenceKind, Phase, PlannedCall } from '#model/call.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { StateParts } from '#model/router/router-port.ts';
import { bothEnds, type Ends, linkProbes, probeOf, proberFirst, type Run, SMALL } from './links/link-probes.ts';
import { COUNTERS_CAPABILITY, NODE_STATE_TOOL } from './path-plan.ts';
import { interfaceOf, type Mute, NOBODY, type States } from './states.ts';

export { NODE_STATE_TOOL };
export const RELAY_TOOL = 'parley-relay';
const LOOKUPS_TOOL = 'parley-lookups';
export const REACH_TOOL = 'parley-reach';
/** Tools that a node is allowed by their own name: they make it send, or ask, more than counters and probes of its own paths (TS-14a). */
const OWN_CAPABILITY: ReadonlySet<string> = new Set([RELAY_TOOL, LOOKUPS_TOOL, REACH_TOOL]);

const REACH_PROBES = 5;
const LINK_REACH_PROBES = 60;
/** Others that one node of a large network probes: every node is still probed by several. */
const REACH_OTHERS = 8;
const ADDRESSES_PER_NODE = 6;

export function planScopeStates(
  phase: 'before' | 'after',
  nodes: readonly string[],
  parts: Exclude<StateParts, 'wire'> = 'all',
): readonly PlannedCall[] {
  return nodes.map((node) => call(phase, node, NODE_STATE_TOOL, { parts }, 'state', LIMITS.sweepCallMs));
}

/** One probe a link, plus lookups and reachability from every node. */
export function planSweep(states: States, mute: Mute = NOBODY): readonly PlannedCall[] {
  const links = scopeLinks(states);
  const targets = ownAddresses(states, links);
  return [
    ...links.flatMap((link) => linkProbes(link, states, links, mute)),
    ...[...states.keys()].flatMap((node) => reachOverLinks(node, links, states, mute)),
    ...[...states.keys()].flatMap((node, index) => [
      ...lookups(node, targets, states),
      ...reach(node, index, targets, [...states.keys()]),
    ]),
  ];
}

/** Small probes of many flows over one link, from both ends at once. */
export function planBothEnds(
  states: States,
  link: Link,
  run: Pick<Run, 'count' | 'intervalMs'>,
  name: string,
): readonly PlannedCall[] {
  return bothEnds(link, scopeLinks(states)).flatMap((ends) => {
    const planned = probeOf(link, states, ends, { ...SMALL, ...run }, name);
    return planned === undefined ? [] : [{ ...planned, phase: 'deepen' as const }];
  });
}

export function scopeLinks(states: States): readonly Link[] {
  return allLinks([...states].map(([node, state]) => ({ node, state }))).slice(0, LIMITS.scopeLinks);
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

function lookups(node: string, targets: readonly Target[], states: States): readonly PlannedCall[] {
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
  return parts.map((part, index) => {
    const planned = call('probe', node, LOOKUPS_TOOL, { destinations: part }, 'lookups', LIMITS.measureCallMs);
    return index === 0 ? planned : { ...planned, id: `${planned.id}/${index + 1}` };
  });
}

/** Where one node forwards what is asked about. */
export function planWayLookup(node: string, destination: string): PlannedCall {
  const planned = call('before', node, LOOKUPS_TOOL, { destinations: [destination] }, 'lookups', LIMITS.sweepCallMs);
  return { ...planned, id: `${planned.id}/${destination}` };
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
  return [
    {
      ...call('probe', node, REACH_TOOL, { destinations, count: REACH_PROBES }, 'reach', timeoutMs),
    },
  ];
}

/** IPv4 over each link, from the end that probes it: damaged IPv4 headers are seen by nothing else. */
function reachOverLinks(node: string, links: readonly Link[], states: States, mute: Mute): readonly PlannedCall[] {
  const destinations = links.flatMap((link) => {
    const ends = proberFirst(link, links, mute);
    return ends[0].node === node ? farAddress(ends, states) : [];
  });
  return echoes('probe', node, 'links', destinations, LINK_REACH_PROBES);
}

/** More of them over links that lost some, from both ends: each counts its own. */
export function reachAgain(link: Link, states: States): readonly PlannedCall[] {
  return [[link.from, link.to] as const, [link.to, link.from] as const].flatMap((ends) => {
    const name = `again/${ends[0].ifname}`;
    return echoes('deepen', ends[0].node, name, farAddress(ends, states), LIMITS.reachProbes);
  });
}

/** As many over each of these links, from both ends: one call of a node for all of them, however many it has. */
export function reachOverAll(links: readonly Link[], states: States, name: string): readonly PlannedCall[] {
  const ways = links.flatMap(({ from, to }): readonly Ends[] => [
    [from, to],
    [to, from],
  ]);
  return [...Map.groupBy(ways, ([near]) => near.node)].flatMap(([node, ends]) => {
    const destinations = ends.flatMap((each) => farAddress(each, states));
    return echoes('deepen', node, name, [...new Set(destinations)], LIMITS.reachProbes);
  });
}

/** IPv4 address of the far end, where both ends have one of the same network. */
function farAddress([from, to]: Ends, states: States): readonly string[] {
  const [mine, theirs] = [from, to].map((end) => interfaceOf(states, end));
  if (mine?.operUp !== true || theirs?.operUp !== true) return [];
  const four = (addresses: readonly string[]) => addresses.map(parsePrefix).filter((prefix) => prefix?.family === 4);
  const pair = four(mine.addresses).flatMap((own) => four(theirs.addresses).filter((its) => sharesSubnet(own!, its!)));
  return pair.slice(0, 1).map((prefix) => prefix!.address);
}

function echoes(
  phase: Phase,
  node: string,
  name: string,
  destinations: readonly string[],
  count: number,
): readonly PlannedCall[] {
  if (destinations.length === 0) return [];
  const timeoutMs = destinations.length * count + LIMITS.measureCallMs;
  const planned = call(phase, node, REACH_TOOL, { destinations: [...destinations], count }, 'reach', timeoutMs);
  return [{ ...planned, id: `${planned.id}/${name}` }];
}

/** The second look at who forwards where, when the first found a way that fails: what is over by then was no fault. */
export function planSecondLookups(states: States): readonly PlannedCall[] {
  const targets = ownAddresses(states, scopeLinks(states));
  return [...states.keys()]
    .flatMap((node) => lookups(node, targets, states))
    .map((each) => ({ ...each, id: each.id.replace('probe/', 'deepen/'), phase: 'deepen' as const }));
}

function addressesOf(targets: readonly Target[]): string[] {
  return [...new Set(targets.map((target) => target.address))];
}

export function call(
  phase: Phase,
  node: string,
  name: string,
  args: PlannedCall['arguments'],
  evidence: EvidenceKind,
  timeoutMs: number,
): PlannedCall {
  return {
    id: `${phase}/${node}/${name}`,
    node,
    kind: 'tool',
    name,
    arguments: args,
    capability: OWN_CAPABILITY.has(name) ? name : COUNTERS_CAPABILITY,
    evidence,
    phase,
    timeoutMs,
  };
}
