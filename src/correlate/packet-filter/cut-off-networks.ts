// New rules that cut a whole network of hosts off: they drop all that its hosts send into the network, or all that is sent to these, by the node's rules in their
// order. A router that others have a route to the network from, and that drops what is from it or for it, contradicts itself; that it let that through before, or that
// the rule was not there, shows a change.
import { covers, parsePrefix } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { ownNetworks, remembered } from '../network/hosts.ts';
import { isRouted } from '../network/spare-addresses.ts';
import type { View, World } from '../network/world.ts';
import { decisionsOf, isInOrder, type Ports } from './chain-walk.ts';
import { beforeOf } from './dropped-before.ts';
import { isPolicy } from './dropping-rules.ts';
import { stepsOf } from './followed-steps.ts';

export type CutOff = {
  readonly view: View;
  readonly rule: FilterRule;
  readonly ifname: string;
  /** `198.19.3.0/24`. */
  readonly network: string;
  /** What is sent to the hosts, or what they send. */
  readonly towards: boolean;
};

/** Heard hosts of a network that stand for the others. */
const HOSTS = 2;

const KINDS: readonly Pick<Packet, 'protocol' | 'sourcePort' | 'destinationPort' | 'icmpType'>[] = [
  { protocol: 'tcp', destinationPort: 80, sourcePort: 40_001 },
  { protocol: 'tcp', destinationPort: 40_002, sourcePort: 40_001 },
  { protocol: 'udp', destinationPort: 53, sourcePort: 40_001 },
  { protocol: 'udp', destinationPort: 40_002, sourcePort: 40_001 },
  { protocol: 'icmp', icmpType: 'echo-request' },
];

/** One for each network and direction in which hosts were heard and others have a route to; none where a host there is known to have answered another node. */
export function cutOffNetworks(world: World): readonly CutOff[] {
  return [...world.views.values()].flatMap((view) => {
    const { state } = view;
    if (!isInOrder(state)) return [];
    return state.inventory.interfaces
      .filter(({ operUp }) => operUp)
      .flatMap((port) =>
        ownNetworks(port)
          .filter((own) => isRouted(world, own.split('/')[0]!) && !isAnswered(world, view, own))
          .flatMap((own) => cutOffAt(world, view, port.name, own)),
      );
  });
}

function cutOffAt(world: World, view: View, ifname: string, own: string): readonly CutOff[] {
  const hosts = hostsOf(world, view, ifname, own).slice(0, HOSTS);
  if (hosts.length === 0) return [];
  return [false, true].flatMap((towards) => {
    const ports: Ports = towards ? { in: [], out: [ifname] } : { in: [ifname], out: [] };
    const packets = hosts.flatMap((host) =>
      KINDS.map(
        (kind): Packet => ({ network: 'ip', ...kind, ...(towards ? { destinations: [host] } : { sources: [host] }) }),
      ),
    );
    const drops = packets.map((packet) => ({ packet, rules: droppingRules(world, view, packet, ports) }));
    if (drops.some(({ rules }) => rules.length === 0)) return [];
    const { rule, before } = beforeOf(world, view.node, drops, ports);
    const isNew = (before === 'new' || before === 'passed') && rule.packets !== '0' && !isPolicy(world, rule);
    return isNew ? [{ view, rule, ifname, network: networkOf(own), towards }] : [];
  });
}

function droppingRules(world: World, { node, state }: View, packet: Packet, ports: Ports): readonly FilterRule[] {
  return decisionsOf(state.filters, packet, ports, stepsOf(world, node)).flatMap((each) =>
    each.kind === 'drop' ? [each.rule] : [],
  );
}

/** Of IPv4; without those that the node speaks a routing protocol with or sends to as next hops, as on a network of several providers. */
function hostsOf(world: World, view: View, ifname: string, own: string): readonly string[] {
  const { bgp, staticRoutes = [], defaultRoutes = [], ospf = [] } = view.state;
  const routers = new Set([
    ...(bgp?.sessions ?? []).map(({ peer }) => peer),
    ...staticRoutes.flatMap(({ nextHop }) => nextHop ?? []),
    ...defaultRoutes.flatMap(({ hops }) => hops.flatMap(({ nextHop }) => nextHop ?? [])),
    ...ospf.flatMap(({ neighbours }) => neighbours.map(({ address }) => address)),
  ]);
  const heard = remembered(world, view, ifname).map(({ address }) => address);
  const isHostNetwork = heard.every((address) => !routers.has(address));
  return isHostNetwork ? heard.filter((address) => covers(own, address)) : [];
}

/** `198.19.3.1/24` → `198.19.3.0/24`. */
function networkOf(own: string): string {
  const { family = 4, prefixBits = 0, value = 0n } = parsePrefix(own) ?? {};
  const hostBits = BigInt((family === 4 ? 32 : 128) - prefixBits);
  return `${formatAddress(family, (value >> hostBits) << hostBits)}/${prefixBits}`;
}

/** A host there answered a node other than its router: what it sends gets through, and what is sent to it. */
function isAnswered({ serviceProbes }: World, { node }: View, own: string): boolean {
  return serviceProbes.some(({ from, destination, answered }) => answered && from !== node && covers(own, destination));
}
