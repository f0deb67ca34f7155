// Many probes over the nodes' own routing: over links that have no IPv6 addresses of their own to probe, and to what a question about
// reaching a node or an address names. Pure; bounded in nodes, addresses and probes.
import { covers, isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { FromHost, Intent } from '#model/intent.ts';
import type { Link } from '#model/links/links.ts';
import { nodeKey } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import { isServicePort } from '#model/router/hosts.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import type { MuteHost } from '../doubts.ts';
import { serviceProbeCalls } from '../hosts/service-probe.ts';
import { isAttached } from '../hosts/services.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { plannedSources, sourceBeside } from '../probe-sources.ts';
import { scopeLinks } from '../scope-links.ts';
import { interfaceOf, type Mute, NO_NODE, type States } from '../states.ts';

type Way = { readonly from: string; readonly destination: string };

/** Enough to call 3 % a loss and a stray a stray. */
const MANY_PROBES = 100;
const SLACK_MS = 3_000;
/** Addresses of one node that a question about reaching it probes. */
const ASKED_ADDRESSES = 4;
/** Echoes to one host, as to IPv4 hosts. */
const HOST_ECHOES = 3;
/** Services of a host that a question about reaching it tries. */
const ASKED_SERVICES = 2;

export const plainLinks = defineMeasurement({
  kinds: ['plain-links'],
  rounds: { first: ({ states, relays }) => planPlainLinks(states, scopeLinks(states), relays) },
  read: decodeReach,
});

export const askedReach = defineMeasurement({
  kinds: ['asked-reach', 'host-echo', 'host-try'],
  rounds: {
    first: ({ intent, states, home, forwarding }) => planAsked(intent, states, home, forwarding),
    confirmation: ({ intent, states, home }, { muteHosts }) => planHostAgain(intent, states, home, muteHosts),
  },
  read: decodeReach,
});

/** Over each link without IPv6 addresses, from one end: to the other's IPv4 address there, else to its loopback. */
export function planPlainLinks(states: States, links: readonly Link[], mute: Mute = NO_NODE): readonly PlannedCall[] {
  const ways = links.flatMap((link): readonly Way[] => {
    if (link.addresses?.from.includes(':') === true) return [];
    const [from, to] = mute.has(link.from.node) ? [link.to, link.from] : [link.from, link.to];
    const [near, far] = [from, to].map((end) => interfaceOf(states, end));
    if (near?.operUp !== true || far?.operUp !== true) return [];
    const destination = sharedAddress(near, far) ?? loopbackOf(states.get(to.node));
    return destination === undefined ? [] : [{ from: from.node, destination }];
  });
  return [...Map.groupBy(ways, ({ from }) => from)].map(([node, mine]) => {
    const destinations = [...new Set(mine.map(({ destination }) => destination))];
    return reachCall(node, { kind: 'plain-links' }, destinations.slice(0, LIMITS.reachDestinations));
  });
}

/**
 * What a question about reachability names: each of two nodes probes the other's own addresses, and the node of a question about an
 * address probes that. A host has no agent to answer probes: it is sent echoes, also by the router that it is attached to, and by a node between:
 * one of `forwarding`, the nearest to the host, where the way is known.
 */
export function planAsked(
  intent: Intent,
  states: States,
  home: string,
  forwarding: readonly string[] = [],
): readonly PlannedCall[] {
  if (intent.kind !== 'reachability') return [];
  const named = namedNodes(intent, states);
  const asker = intent.path.length === 0 ? home : named[0];
  const tail = named.at(-1);
  if (asker === undefined || !states.has(asker)) return [];
  if (intent.destination !== undefined) return planGoal(intent.destination, asker, states, forwarding, intent.fromHost);
  if (tail === undefined || tail === asker) return [];
  return [
    { from: asker, to: tail },
    { from: tail, to: asker },
  ].map(({ from, to }) =>
    reachCall(from, { kind: 'asked-reach' }, addressesOf(states.get(to)), plannedSources(states, from)),
  );
}

function namedNodes({ path }: Intent, states: States): readonly string[] {
  return path.flatMap(({ key }) => [...states.keys()].find((node) => nodeKey(node) === key) ?? []);
}

/**
 * The host that no echo came back from, once more by the node that the question is about: a TCP connection request, which any kernel refuses or resets,
 * as echoes may be denied where all else passes; from another own address, where no route leads back to the first, an echo as well.
 */
export function planHostAgain(
  intent: Intent,
  states: States,
  home: string,
  muteHosts: readonly MuteHost[] = [],
): readonly PlannedCall[] {
  const asker = intent.path.length === 0 ? home : namedNodes(intent, states)[0];
  return muteHosts
    .filter(({ from }) => from === asker)
    .flatMap(({ from, destination, used, sender }) => {
      // A host asks from its own network alone.
      const other = intent.fromHost === undefined ? sender : undefined;
      const source = other ?? used;
      const named = source === undefined ? {} : { sender: source };
      const traffics = other === undefined ? (['tcp'] as const) : (['icmp', 'tcp'] as const);
      return traffics.map((traffic) =>
        callFor(
          from,
          { kind: 'host-try', traffic, round: 'confirmation', ...named },
          {
            destinations: [destination],
            count: HOST_ECHOES,
            traffic,
            ...namedSources(source === undefined ? [] : [source]),
          },
          MEASURE_LIMITS.measureCallMs,
        ),
      );
    });
}

function planGoal(
  destination: string,
  asker: string,
  states: States,
  forwarding: readonly string[],
  fromHost?: FromHost,
): readonly PlannedCall[] {
  // In place of a host its router asks from beside it.
  const source = fromHost === undefined ? undefined : sourceBeside(states, asker, fromHost.address);
  const sources = source === undefined ? plannedSources(states, asker) : [source];
  const owned = [...states.values()]
    .flatMap(({ inventory }) => inventory.interfaces.flatMap(({ addresses }) => addresses))
    .map((address) => address.split('/')[0]!)
    .filter((address) => covers(destination, address) || address === destination.split('/')[0]);
  if (owned.length > 0)
    return [reachCall(asker, { kind: 'asked-reach' }, [...new Set(owned)].slice(0, ASKED_ADDRESSES), sources)];
  const host = parsePrefix(destination);
  if (host === undefined || host.prefixBits < (host.family === 4 ? 32 : 128)) return [];
  const attached = [...states].filter(([, state]) => isAttached(state, host.address)).map(([node]) => node);
  // What the asker's default route alone leads to may be sent no tries: another node's answers speak for the rest of the way.
  const onTheWay = forwarding.filter((node) => states.has(node)).toReversed();
  const witness = attached.includes(asker) ? undefined : [...onTheWay, ...states.keys()].find(isBetween);
  const senders = [...new Set([asker, ...attached, ...(witness === undefined ? [] : [witness])])];
  function isBetween(node: string): boolean {
    return node !== asker && !attached.includes(node);
  }
  if (host.family === 6)
    return isLinkLocal(host)
      ? []
      : senders.map((node) => {
          const planned = plannedSources(states, node).filter((address) => address.includes(':'));
          return hostEchoCall(node, host.address, node === asker && source !== undefined ? [source] : planned);
        });
  const echo = { destination: host.address, service: 'echo' } as const;
  // An echo may be denied where a service is not: what the host is known to serve is tried as well.
  const served = [...states.values()].flatMap(({ history }) =>
    (history?.services ?? [])
      .filter(({ address, service, port }) => address === host.address && service === 'tcp' && isServicePort(port))
      .map(({ port }) => ({ destination: host.address, service: 'tcp', port }) as const),
  );
  const known = [...new Map(served.map((each) => [each.port, each])).values()].slice(0, ASKED_SERVICES);
  return senders.flatMap((node) =>
    serviceProbeCalls(
      node,
      'asked-echo',
      [echo, ...known],
      'first',
      node === asker && source !== undefined ? { source } : {},
    ),
  );
}

function hostEchoCall(node: string, address: string, sources: readonly string[]): PlannedCall {
  const args = { destinations: [address], count: HOST_ECHOES, traffic: 'icmp', ...namedSources(sources) };
  return callFor(node, { kind: 'host-echo' }, args, MEASURE_LIMITS.measureCallMs);
}

/** Loopbacks first; a node without any is reached by whatever address it has. */
function addressesOf(state: NodeState | undefined): readonly string[] {
  const all = [
    ...(state?.inventory.loopbacks ?? []),
    ...(state?.inventory.interfaces ?? []).filter(({ operUp }) => operUp).flatMap(({ addresses }) => addresses),
  ].map((address) => address.split('/')[0]!);
  const usable = all.filter((address) => !/^(?:fe[89ab]|127\.|::1$)/i.test(address));
  return [...new Set(usable)].slice(0, Math.max(1, Math.min(ASKED_ADDRESSES, state?.inventory.loopbacks.length ?? 0)));
}

function sharedAddress(near: InterfaceState, far: InterfaceState): string | undefined {
  const [mine, theirs] = [near, far].map(({ addresses }) =>
    addresses.map(parsePrefix).filter((prefix) => prefix?.family === 4),
  );
  return theirs!.find((its) => mine!.some((own) => sharesSubnet(own!, its!)))?.address;
}

function loopbackOf(state: NodeState | undefined): string | undefined {
  return state?.inventory.loopbacks[0]?.split('/')[0];
}

/** `sources`: the node's own addresses that it probes from, one of a family at most; its loopback's where none is named. */
export function reachCall(
  node: string,
  purpose: PlannedPurpose,
  destinations: readonly string[],
  sources: readonly string[] = [],
): PlannedCall {
  const timeoutMs = destinations.length * MANY_PROBES + SLACK_MS;
  const args = { destinations: [...destinations], count: MANY_PROBES, ...namedSources(sources) };
  return callFor(node, purpose, args, timeoutMs);
}

export function namedSources(sources: readonly string[]): { readonly sources?: string[] } {
  return sources.length === 0 ? {} : { sources: [...sources] };
}
