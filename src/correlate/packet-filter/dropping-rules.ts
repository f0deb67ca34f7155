// Rules that drop or reject: which of them most nodes have alike, so that they are meant, and which may take what goes to servers of
// names and addresses.
import { FORWARDING_HOOKS, mayTake, networkOf, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { attachedTo } from '../network/hosts.ts';
import { hasCome } from '../network/remembered.ts';
import type { World } from '../network/world.ts';
import { kindOf } from './filter-kinds.ts';

export function isDropping(rule: FilterRule): boolean {
  return rule.verdict === 'drop' || rule.verdict === 'reject';
}

/** True when one of the node's rules may drop such a packet. */
export function mayDrop({ filters }: Pick<NodeState, 'filters'>, ...packets: readonly Packet[]): boolean {
  return filters.some((rule) => isDropping(rule) && packets.some((packet) => mayTake(rule, packet)));
}

/** What most nodes filter alike is meant to be. */
export function isPolicy(world: World, rule: Partial<Pick<FilterRule, 'family' | 'matches'>>): boolean {
  const kind = kindOf(rule);
  if (world.views.size < 3) return false;
  const same = (each: FilterRule) =>
    kind === undefined ? JSON.stringify(each.matches) === JSON.stringify(rule.matches) : kindOf(each) === kind;
  const alike = [...world.views.values()].filter(({ state }) =>
    state.filters.some((each) => isDropping(each) && same(each)),
  );
  return alike.length * 2 > world.views.size;
}

/** It drops or refuses what its node forwards, was not there before, and took packets as far as it counts. */
export function isNewInTheWay(world: World, node: string, rule: FilterRule): boolean {
  return FORWARDING_HOOKS.has(rule.hook) && isDropping(rule) && rule.packets !== '0' && hasCome(world, node, rule);
}

/** Questions for names with their answers, and over IPv4 a question to a DHCP server by a relay. */
const TO_SERVERS: Readonly<Record<'ip' | 'ip6', readonly Packet[]>> = {
  ip: [{ network: 'ip', protocol: 'udp', destinationPort: 67, sourcePort: 67 }, ...forNames('ip')],
  ip6: forNames('ip6'),
};

function forNames(network: 'ip' | 'ip6'): readonly Packet[] {
  return [
    { network, protocol: 'udp', destinationPort: 53, sourcePort: 0 },
    { network, protocol: 'udp', destinationPort: 0, sourcePort: 53 },
  ];
}

/** True when a filter of this node may take what it sends to a port of a service, or what comes back. */
export function mayFilterTries(
  world: World,
  node: string,
  { service, port, address }: { readonly service: 'tcp' | 'udp'; readonly port: number; readonly address: string },
): boolean {
  const view = world.views.get(node);
  const network = networkOf(address);
  const there = { network, protocol: service, destinationPort: port, destinations: [address] } as const;
  const back = { network, protocol: service, sourcePort: port, sources: [address] } as const;
  return (
    view === undefined || mayDrop(view.state, there, back) || view.state.missing.some(({ part }) => UNREAD.has(part))
  );
}

/** Parts of a state without which not all of a node's filters are known. */
const UNREAD: ReadonlySet<string> = new Set(['filters', 'xtables', 'traffic-control']);

/**
 * True when a filter may take what is sent to DHCP and name servers. Between a node and a host of its own networks there are its own
 * filters only; without such a pair those of all nodes count.
 */
export function mayFilterServers(world: World, between?: { readonly node: string; readonly address: string }): boolean {
  const own =
    between !== undefined && attachedTo(world, between.address)?.node === between.node
      ? world.views.get(between.node)
      : undefined;
  const views = own === undefined ? [...world.views.values()] : [own];
  const packets = TO_SERVERS[between === undefined ? 'ip' : networkOf(between.address)];
  return views.some(({ state }) => mayDrop(state, ...packets));
}
