// The calls for a question that names no path: the state of every node in scope before and after a short window, probes on
// every link between them that each node runs with its own neighbours at the same time, and what each node says of the
// way to everybody else's addresses. Pure: asks nobody. Implements TS-11; calls grow with the scope.
import { parsePrefix, sharesSubnet } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { EvidenceKind, Phase, PlannedCall } from '#model/call.ts';
import { allLinks, type Link } from '#model/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { NodeState, StateParts } from '#model/router-port.ts';
import { COUNTERS_CAPABILITY, NODE_STATE_TOOL, PROBE_TOOL } from './plan.ts';

export { NODE_STATE_TOOL };
export const RELAY_TOOL = 'parley-relay';
const LOOKUPS_TOOL = 'parley-lookups';
export const REACH_TOOL = 'parley-reach';
/** Tools that a node is allowed by their own name: they make it send, or ask, more than counters and probes of its own paths (TS-14a). */
const OWN_CAPABILITY: ReadonlySet<string> = new Set([RELAY_TOOL, LOOKUPS_TOOL, REACH_TOOL]);

/** Enough to see 3 % on a link nearly always (0.97^200 = 0.2 %); a link that lost any is looked at again with many more. */
const SWEEP_PROBES = 200;
const SWEEP_INTERVAL_MS = 2;
export const PAYLOAD_BYTES = 64;
const LINGER_MS = 200;
const SLACK_MS = 3_000;
/**
 * A short train of large probes shows a link that carries less than its ends say: less of a packet, or fewer of them a second.
 * One train is less than a web page, and no load. IPv6, UDP and the link's own framing stay below the MTU.
 */
export const HEADER_BYTES = 48;
/** A train that waits in the queue of a narrow link needs longer than the small probes beside it: as long as 1 Mbit/s takes for both. */
const TRAIN_LINGER_MS = 900;
const REACH_PROBES = 5;
const LINK_REACH_PROBES = 60;
/** Others that one node of a large network probes: every node is still probed by several. */
const REACH_OTHERS = 8;
const ADDRESSES_PER_NODE = 6;

export type States = ReadonlyMap<string, NodeState>;

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

function linkProbes(link: Link, states: States, links: readonly Link[], mute: Mute): readonly PlannedCall[] {
  const ends = proberFirst(link, links, mute);
  return [probeOf(link, states, ends, SMALL, 'link'), trainOver(link, states, ends, 'large')].filter(
    (each) => each !== undefined,
  );
}

export type Run = {
  readonly count: number;
  readonly intervalMs: number;
  readonly payloadBytes: number;
  readonly flows: number;
  readonly lingerMs?: number;
  /** Back to back, timed by the kernels. */
  readonly train?: true;
};

/** Every few probes another flow: a fault may hit some and spare the others. */
export const SMALL: Run = {
  count: SWEEP_PROBES,
  intervalMs: SWEEP_INTERVAL_MS,
  payloadBytes: PAYLOAD_BYTES,
  flows: LIMITS.probeFlows,
};

export function trainOver(link: Link, states: States, ends: Ends, name: string): PlannedCall | undefined {
  const mtu = Math.min(...[link.from, link.to].map((end) => interfaceOf(states, end.node, end.ifname)?.mtu ?? 0));
  const payloadBytes = Math.min(mtu - HEADER_BYTES, LIMITS.probePayloadBytes);
  if (payloadBytes <= PAYLOAD_BYTES) return undefined;
  const count = Math.floor(LIMITS.probeTrainBytes / payloadBytes);
  const run = { count, intervalMs: 1, payloadBytes, flows: 1, lingerMs: TRAIN_LINGER_MS };
  return probeOf(link, states, ends, { ...run, train: true }, name);
}

export function probeOf(
  link: Link,
  states: States,
  [from, to]: Ends,
  { count, intervalMs, payloadBytes, flows, lingerMs = LINGER_MS, train }: Run,
  name: string,
): PlannedCall | undefined {
  if (link.addresses === undefined || !link.addresses.from.includes(':')) return undefined;
  const up = [link.from, link.to].every((end) => interfaceOf(states, end.node, end.ifname)?.operUp === true);
  if (!up) return undefined;
  const forward = from === link.from;
  const [source, destination] = forward
    ? [link.addresses.from, link.addresses.to]
    : [link.addresses.to, link.addresses.from];
  return {
    id: `probe/${from.node}:${from.ifname}/${to.node}:${to.ifname}/${name}`,
    node: from.node,
    kind: 'tool',
    name: PROBE_TOOL,
    arguments: {
      Local: from.node,
      Tail: to.node,
      'SID List': [],
      Count: count,
      destination,
      source,
      segments: [],
      intervalMs,
      payloadBytes,
      lingerMs,
      flows,
      ...(train === undefined ? {} : { train }),
    },
    capability: PROBE_TOOL,
    evidence: 'probe',
    phase: 'probe',
    timeoutMs: count * intervalMs + lingerMs + SLACK_MS,
  };
}

export type Target = { readonly node: string; readonly address: string };

/** What each node calls its own: loopbacks, and one address of each network that is no link of the scope. */
function ownAddresses(states: States, links: readonly Link[]): readonly Target[] {
  const narrow = links.filter(({ addresses }) => addresses === undefined || isNarrow(states, addresses.from));
  const inner = new Set(narrow.flatMap(({ from, to }) => [from, to]).map((end) => `${end.node} ${end.ifname}`));
  return [...states].flatMap(([node, { inventory }]) => {
    const attached = inventory.interfaces
      .filter((entry) => entry.kind !== 'loopback' && entry.adminUp && !inner.has(`${node} ${entry.name}`))
      .flatMap((entry) => entry.addresses)
      .map((address) => address.split('/')[0]!);
    const all = [...inventory.loopbacks.map((address) => address.split('/')[0]!), ...attached];
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
  const prefix = found === undefined ? undefined : parsePrefix(found);
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
    const planned = call('probe', node, LOOKUPS_TOOL, { destinations: part }, 'lookups', LIMITS.sweepCallMs);
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
  const timeoutMs = destinations.length * REACH_PROBES + SLACK_MS;
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
export function reachAgain(link: Link, states: States, look = 'again'): readonly PlannedCall[] {
  return [[link.from, link.to] as const, [link.to, link.from] as const].flatMap((ends) => {
    const name = `${look}/${ends[0].ifname}`;
    return echoes('deepen', ends[0].node, name, farAddress(ends, states), LIMITS.reachProbes);
  });
}

/** IPv4 address of the far end, where both ends have one of the same network. */
function farAddress([from, to]: Ends, states: States): readonly string[] {
  const [mine, theirs] = [from, to].map((end) => interfaceOf(states, end.node, end.ifname));
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
  const timeoutMs = destinations.length * count + SLACK_MS;
  const planned = call(phase, node, REACH_TOOL, { destinations: [...destinations], count }, 'reach', timeoutMs);
  return [{ ...planned, id: `${planned.id}/${name}` }];
}

/** Nodes that gave their state through a neighbour alone: nobody can ask them to measure. */
export type Mute = Pick<ReadonlySet<string>, 'has'>;
export const NOBODY: Mute = new Set();

/** Who probes, and who reflects. */
export type Ends = readonly [LinkEnd, LinkEnd];

export function bothEnds(link: Link, links: readonly Link[]): readonly [Ends, Ends] {
  const [from, to] = proberFirst(link, links);
  return [
    [from, to],
    [to, from],
  ];
}

/** The end that can be asked probes; of two the one with fewer links, so that no node of a star does all the work. */
function proberFirst(link: Link, links: readonly Link[], mute: Mute = NOBODY): Ends {
  if (mute.has(link.from.node) !== mute.has(link.to.node))
    return mute.has(link.from.node) ? [link.to, link.from] : [link.from, link.to];
  const degree = (node: string) => links.filter((each) => each.from.node === node || each.to.node === node).length;
  return degree(link.from.node) <= degree(link.to.node) ? [link.from, link.to] : [link.to, link.from];
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

function interfaceOf(states: States, node: string, ifname: string) {
  return states.get(node)?.inventory.interfaces.find((entry) => entry.name === ifname);
}
