// Services and echoes through a router that filters some: probed by other routers, at its hosts and beyond it, so that what a rule drops is seen.
// Only where a filter may drop them. Pure.
import type { PlannedCall } from '#model/call.ts';
import { hostNetworksOf } from '#model/hosts/host-places.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import { demands, isAboveRate, mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { States } from '../states.ts';
import { hosts6Of, hostsOf, loopback4, PROBED_HOSTS } from './known-hosts.ts';
import { defineServiceProbes, serviceProbeCalls } from './service-probe.ts';

/** Nodes that try services through one that filters. */
const PROBING_NODES = 4;

export const filteredServices = defineServiceProbes({ first: ({ states }) => planServiceProbes(states) });

const ECHO: Packet = { network: 'ip', protocol: 'icmp', icmpType: 'echo-request' };

type Tried = Omit<ServiceProbe, 'destination'> & { readonly packet: Packet };
type Network = 'ip' | 'ip6';

function servicesOver(network: Network): readonly Tried[] {
  return [
    { service: 'echo', packet: { ...ECHO, network, protocol: network === 'ip' ? 'icmp' : 'ipv6-icmp' } },
    { service: 'tcp', port: 80, packet: { network, protocol: 'tcp', destinationPort: 80 } },
    { service: 'tcp', port: 443, packet: { network, protocol: 'tcp', destinationPort: 443 } },
    { service: 'tcp', port: 8_080, packet: { network, protocol: 'tcp', destinationPort: 8_080 } },
    { service: 'udp', port: 53, packet: { network, protocol: 'udp', destinationPort: 53 } },
  ];
}
const SERVICES = { ip: servicesOver('ip'), ip6: servicesOver('ip6') } as const;

/** Tries of what a router's filters may drop, by others, at its hosts and beyond it. */
export function planServiceProbes(states: States): readonly PlannedCall[] {
  const links = allLinks([...states].map(([node, state]) => ({ node, state })));
  const near = (node: string) => [
    ...new Set(links.flatMap(({ from, to }) => (from.node === node ? to.node : to.node === node ? from.node : []))),
  ];
  const wanted = new Map<string, ServiceProbe[]>();
  const add = (from: string, serviceProbes: readonly ServiceProbe[]) =>
    wanted.set(from, [...(wanted.get(from) ?? []), ...serviceProbes]);
  for (const [node, state] of states) {
    const around = near(node);
    for (const network of ['ip', 'ip6'] as const) {
      const services = droppedAt(state, network);
      const own = (each: string) => goalsAt(states, each, network);
      const behind = hostsBehind(states, node, network);
      const goals = [...behind, ...around.flatMap(own)];
      // Of IPv6, of which no scan asks, its own router tells whether a host is there.
      if (network === 'ip6' && services.length > 0)
        add(
          node,
          behind.map((destination) => ({ destination, service: 'echo' })),
        );
      for (const from of services.length === 0 ? [] : sendersThrough(states, node, around)) {
        const mine = new Set(own(from));
        const tried = goals.filter((destination) => !mine.has(destination));
        add(
          from,
          tried.flatMap((destination) =>
            services.map(({ packet: _, ...serviceProbe }): ServiceProbe => ({ ...serviceProbe, destination })),
          ),
        );
      }
    }
  }
  for (const [node, state] of states)
    for (const { from, serviceProbes } of handedOver(states, node, state, links)) add(from, serviceProbes);
  return [...wanted].flatMap(([node, serviceProbes]) => serviceProbeCalls(node, 'filters', serviceProbes));
}

function hostsBehind(states: States, node: string, network: Network): readonly string[] {
  return network === 'ip' ? hostsOf(states, node) : hosts6Of(states, node);
}

/** Over IPv4 the node itself as well. */
function goalsAt(states: States, node: string, network: Network): readonly string[] {
  return [...hostsBehind(states, node, network), ...(network === 'ip' ? loopback4(states, node) : [])];
}

/** What a rule of the node may drop; with an echo beside it where that rule has no counter, and shows itself by what else is answered. */
function droppedAt({ filters }: NodeState, network: Network): readonly Tried[] {
  const rules = filters.filter((rule) => dropsSome(rule) && !isLimiterOfItself(rule));
  const taken = SERVICES[network].filter(({ packet }) => rules.some((rule) => mayTake(rule, packet)));
  if (taken.length === 0 || rules.every(({ packets }) => packets !== undefined)) return taken;
  return SERVICES[network].filter((each) => taken.includes(each) || each.service === 'echo');
}

/** A node that limits what is for itself may lose answers beside what else it is sent: it comes last. */
function sendersThrough(states: States, node: string, around: readonly string[]): readonly string[] {
  const able = [...around, ...[...states.keys()].filter((other) => other !== node && !around.includes(other))];
  const isLimited = (each: string) => states.get(each)?.filters.some(isLimiterOfItself) === true;
  return [...able.filter((each) => !isLimited(each)), ...able.filter(isLimited)].slice(0, PROBING_NODES);
}

/**
 * A filter against some addresses meets only what comes that way: a neighbour hands the router echoes for them, and sends the same
 * by its own way to see that they are there.
 */
function handedOver(
  states: States,
  node: string,
  state: NodeState,
  links: readonly Link[],
): readonly { readonly from: string; readonly serviceProbes: readonly ServiceProbe[] }[] {
  const rules = state.filters.filter(
    (rule) => dropsSome(rule) && rule.hook === 'forward' && demands(rule, 'destination') && !demands(rule, 'source'),
  );
  if (rules.length === 0) return [];
  const goals = [...states]
    .filter(([other]) => other !== node)
    .flatMap(([other, { inventory }]) => [
      ...hostsOf(states, other),
      ...inventory.interfaces.flatMap((entry) => hostNetworksOf(entry).map(({ address }) => address)),
    ])
    .filter((address) => rules.some((rule) => mayTake(rule, { ...ECHO, destinations: [address] })))
    .slice(0, PROBED_HOSTS);
  return links
    .flatMap((link) => {
      const [mine, theirs] = link.from.node === node ? [link.from, link.to] : [link.to, link.from];
      const mac = state.inventory.interfaces.find((entry) => entry.name === mine.ifname)?.mac;
      if (mine.node !== node || mac === undefined) return [];
      const serviceProbes = goals.flatMap((destination): ServiceProbe[] => [
        { destination, service: 'echo', via: { ifname: theirs.ifname, mac } },
        { destination, service: 'echo' },
      ]);
      return [{ from: theirs.node, serviceProbes }];
    })
    .slice(0, PROBING_NODES);
}

/** It takes what comes too fast for its own node: tries beside other probes would only meet that. */
function isLimiterOfItself(rule: FilterRule): boolean {
  return rule.hook === 'input' && isAboveRate(rule);
}

/** A rule in the way of what is forwarded, or of a whole protocol. */
function dropsSome(rule: FilterRule): boolean {
  return (rule.verdict === 'drop' || rule.verdict === 'reject') && rule.family !== 'arp' && rule.family !== 'bridge';
}
