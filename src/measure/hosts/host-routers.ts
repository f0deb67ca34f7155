// Which router port a host without an agent is behind, as states tell: one on a network with its address; of several one that heard the host.
// Pure.
import { covers, type IpPrefix, isLinkLocal, parsePrefix } from '#base/ip.ts';
import { isVirtualRouterMac } from '#model/names.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { isOfHosts } from '../probe-sources.ts';
import type { States } from '../states.ts';

export type HostRouter = {
  readonly node: string;
  readonly ifname: string;
  /** The router heard the host on this port. */
  readonly heard: boolean;
};

/** One port of a router at most; those that heard the host first, then those that are up, then by name. */
export function hostRoutersOf(states: States, address: string): readonly HostRouter[] {
  const found = [...states].flatMap(([node, state]) => {
    const ports = state.inventory.interfaces.filter((entry) => isOnNetwork(entry, address));
    const best = ports.map((entry) => ({ entry, heard: hasHeard(state, entry, address) })).toSorted(better)[0];
    return best === undefined ? [] : [{ node, ...best }];
  });
  return found
    .toSorted((one, other) => better(one, other) || (one.node < other.node ? -1 : 1))
    .map(({ node, entry, heard }) => ({ node, ifname: entry.name, heard }));
}

/** The node whose own address it is, however it is written; on a loopback too, as what is asked is who sends, not who is on a link (known-hosts.ts). */
export function ownerIn(states: States, address: string): string | undefined {
  const wanted = parsePrefix(address);
  return [...states].find(([, { inventory }]) =>
    inventory.interfaces.some(({ addresses }) =>
      addresses.some((own) => {
        const has = parsePrefix(own);
        return has !== undefined && has.family === wanted?.family && has.value === wanted.value;
      }),
    ),
  )?.[0];
}

type Port = { readonly entry: InterfaceState; readonly heard: boolean };

function better(one: Port, other: Port): number {
  return Number(rank(other)) - Number(rank(one));
}

/** The address of a VRRP group is on an interface of its own beside the port: the port is what the host is behind. */
function rank({ entry, heard }: Port): number {
  return (heard ? 4 : 0) + (entry.operUp ? 2 : 0) + (isVirtualRouterMac(entry.mac ?? '') ? 0 : 1);
}

/**
 * A network that one host may be on, narrower than `isAttached` (services.ts), by which a destination is found: a link of two nodes has no hosts, and every
 * link has the same link-local network, whose addresses tell no port.
 */
function isOnNetwork({ kind, addresses }: InterfaceState, address: string): boolean {
  const host = parsePrefix(address);
  if (kind === 'loopback' || host === undefined || isLinkLocal(host)) return false;
  return addresses.some((own) => isOfHosts(own) && covers(own, address) && !isOfNoHost(own, host));
}

/** The network's own address and its broadcast address (RFC 1122 §3.2.1.3), and the one of all routers of an IPv6 network (RFC 4291 §2.6.1). */
function isOfNoHost(network: string, { family, value }: IpPrefix): boolean {
  const size = 1n << BigInt((family === 4 ? 32 : 128) - parsePrefix(network)!.prefixBits);
  const number = value % size;
  return number === 0n || (family === 4 && number === size - 1n);
}

function hasHeard({ history }: NodeState, { name }: InterfaceState, address: string): boolean {
  const heard = [...(history?.hosts ?? []), ...(history?.services ?? [])];
  return heard.some((host) => host.ifname === name && host.address === address);
}
