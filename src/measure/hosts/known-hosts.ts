// Hosts without agents that routers remember on their ports. Pure.
import { hostNetworksOf, isInside, userNetworksOf } from '#model/hosts/host-places.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import type { States } from '../states.ts';

/** Hosts of one router at which services are tried. */
export const PROBED_HOSTS = 4;

/** Addresses that were heard on a port, or seen to serve there, and that no node with an agent has. */
export function hostsOn(states: States, state: NodeState, entry: InterfaceState): readonly string[] {
  const networks = hostNetworksOf(entry);
  const owned = ownedIn(states);
  const { hosts = [], services = [] } = state.history ?? {};
  // A host of which the node has a fixed entry is never learned, and serves all the same.
  const heard = [...hosts, ...services].filter((host) => host.ifname === entry.name);
  return [...new Set(heard.map((host) => host.address))].filter(
    (address) => !owned.has(address) && networks.some((network) => isInside(network, address)),
  );
}

/** The same, and of IPv6 also what asked for a name or stands in the node's table of neighbours: hosts on the port that may use what others serve. */
export function usersOn(states: States, state: NodeState, entry: InterfaceState): readonly string[] {
  const networks = userNetworksOf(entry).filter(({ family }) => family === 6);
  if (networks.length === 0) return hostsOn(states, state, entry);
  const owned = ownedIn(states);
  const { services = [], heard = [] } = state.history ?? {};
  const routers = routerMacs(state);
  const near = (state.neighbourTable ?? []).filter(({ mac }) => mac !== undefined && !routers.has(mac));
  const asking = heard.map(({ ifname, from }) => ({ ifname, address: from }));
  const addresses = [...services, ...asking, ...near]
    .filter(({ ifname }) => ifname === entry.name)
    .map(({ address }) => address)
    .filter((address) => !owned.has(address) && networks.some((network) => isInside(network, address)));
  return [...new Set([...hostsOn(states, state, entry), ...addresses])];
}

/** Of neighbours that this node sends to on the way to others, by whichever of their addresses; without an agent, nothing else tells them from hosts. */
function routerMacs({
  neighbourTable = [],
  staticRoutes = [],
  defaultRoutes = [],
  bgp,
}: NodeState): ReadonlySet<string> {
  const hops = [...staticRoutes, ...defaultRoutes.flatMap(({ hops }) => hops)].map(({ nextHop }) => nextHop);
  const peers = (bgp?.sessions ?? []).map(({ peer }) => peer);
  const known = new Set([...hops, ...peers]);
  return new Set(neighbourTable.flatMap(({ address, mac }) => (mac !== undefined && known.has(address) ? [mac] : [])));
}

/** States do not change: what they own is gathered once. */
const OWNED = new WeakMap<States, ReadonlySet<string>>();

function ownedIn(states: States): ReadonlySet<string> {
  const known = OWNED.get(states);
  if (known !== undefined) return known;
  const owned = new Set(
    [...states.values()].flatMap(({ inventory }) =>
      // An address of a loopback says nothing of who is on a link.
      inventory.interfaces
        .filter((each) => each.kind !== 'loopback')
        .flatMap((each) => each.addresses.map((address) => address.split('/')[0]!)),
    ),
  );
  OWNED.set(states, owned);
  return owned;
}

export function hostsOf(states: States, node: string): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  return state.inventory.interfaces.flatMap((entry) => hostsOn(states, state, entry)).slice(0, PROBED_HOSTS);
}

/** The same over IPv6, where hosts may be that only use what others serve: those that serve come first. */
export function hosts6Of(states: States, node: string): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  const served = new Set((state.history?.services ?? []).map(({ address }) => address));
  const users = state.inventory.interfaces.flatMap((entry) =>
    usersOn(states, state, entry).filter((address) => address.includes(':')),
  );
  const isServer = (address: string) => served.has(address);
  return [...users.filter(isServer), ...users.filter((each) => !isServer(each))].slice(0, PROBED_HOSTS);
}

export function loopback4(states: States, node: string): readonly string[] {
  return (states.get(node)?.inventory.loopbacks ?? []).filter((address) => !address.includes(':')).slice(0, 1);
}
