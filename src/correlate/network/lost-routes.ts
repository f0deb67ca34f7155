// Routes and announcements that nodes remember and have no more. Of routes only those are remembered that the configuration or a person set: what a
// protocol brought leaves no trace of its own. A default route leads anywhere, and one that puts packets into SRv6 is judged by its segment list.

import { covers, isDefaultRoute, isNarrow, parsePrefix } from '#base/ip.ts';
import { announcesAgent } from '#model/peer.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { isWhole } from './configured-routes.ts';
import { seenOtherwise, settingsBefore, stoodBefore } from './remembered.ts';
import { interfaceOf, ownerOf, statesSeen, type World } from './world.ts';

/** Prefixes for which the node remembers a route to the address that it set itself, and has none any more; none where its routes were not read. */
export function lostRoutes(world: World, node: string, address: string): readonly string[] {
  const current = routesOf(world, node).map(({ prefix }) => prefix);
  const lost = lostOf(world, node, () => true).filter(
    (prefix) => !isDefaultRoute(prefix) && covers(prefix, address) && !current.some((each) => covers(each, address)),
  );
  return [...new Set(lost)];
}

/** Prefixes of such routes, a default among them, whose next hop was behind the interface: a route that moved to another one is not lost. */
export function lostRoutesOver(world: World, node: string, ifname: string): readonly string[] {
  const current = routesOf(world, node).map(({ prefix }) => prefix);
  const lost = lostOf(world, node, (place) => place === ifname).filter((prefix) => !current.includes(prefix));
  return [...new Set(lost)];
}

function routesOf(world: World, node: string): readonly StaticRoute[] {
  return (world.views.get(node)?.state.staticRoutes ?? []).filter(isPlain);
}

/** Prefixes of remembered routes, by the interface of the next hop where it is known. */
function lostOf(world: World, node: string, isPlace: (ifname: string | undefined) => boolean): readonly string[] {
  const state = world.views.get(node)?.state;
  if (state === undefined || !isWhole(state)) return [];
  const remembered = (state.history?.settings ?? [])
    .filter(({ kind, setting }) => kind === 'static-route' && isPlace(setting))
    .filter(({ subject, setting }) =>
      settingsBefore(world, node, 'static-route', subject, setting).some((was) => was.split(', ').some(isPlainWord)),
    );
  // The kernel takes away the routes of an interface that is down.
  const isUp = ({ ifname }: StaticRoute) =>
    ifname === undefined || interfaceOf(world, { node, ifname })?.operUp === true;
  const seen = statesSeen(world, node)
    .flatMap(({ staticRoutes = [] }) => staticRoutes)
    .filter((route) => isPlain(route) && isUp(route) && isPlace(route.ifname) && stoodAt(world, node, route.prefix));
  return [...remembered.map(({ subject }) => subject), ...seen.map(({ prefix }) => prefix)];
}

/** A route to the prefix was there for a while. */
function stoodAt(world: World, node: string, prefix: string): boolean {
  return stoodBefore(world, node, ({ staticRoutes }) =>
    staticRoutes?.some((route) => isPlain(route) && route.prefix === prefix),
  ).includes(true);
}

function isPlain({ kind, segments }: StaticRoute): boolean {
  return kind === 'unicast' && segments === undefined;
}

/** As settings word it (model/settings/node-settings.ts). */
function isPlainWord(value: string): boolean {
  return value.startsWith('unicast') && !value.includes(' segments ');
}

/** A node lost a route of its own to the address, or the owner of the address does not announce it any more, in BGP or an interior protocol. */
export function wasRouted(world: World, address: string): boolean {
  const owners = new Set((world.owners.get(address) ?? []).map(({ node }) => node));
  return (
    [...world.views.keys()].some((node) => !owners.has(node) && lostRoutes(world, node, address).length > 0) ||
    [...owners].some((node) => isWithdrawn(world, node, address)) ||
    (world.owners.get(address) ?? []).some(({ node, ifname }) => leftProtocol(world, node, ifname))
  );
}

/** An answer to this address found its way within memory, and may not any more: it was routed, or the node that answers had a default route. */
export function hadWayBack(world: World, answering: string, address: string): boolean {
  const current = routesOf(world, answering).map(({ prefix }) => prefix);
  const lostDefault =
    !current.some(isDefaultRoute) && lostOf(world, answering, () => true).some((prefix) => isDefaultRoute(prefix));
  return wasRouted(world, address) || lostDefault;
}

/** The interface took part in IS-IS or OSPF for a while, and does not. */
function leftProtocol(world: World, node: string, ifname: string): boolean {
  const takesPart = (state: NodeState) =>
    state.isis?.circuits.some((circuit) => circuit.ifname === ifname) === true ||
    ospfRows(state).some((row) => row.ifname === ifname);
  return seenOtherwise(world, node, takesPart).includes(true);
}

/** The node remembers that it announced a prefix with this address to some BGP peer, and announces it to none now. */
export function isWithdrawn(world: World, node: string, address: string): boolean {
  const state = world.views.get(node)?.state;
  const isTold = (own: { readonly originated: boolean; readonly advertisedTo: readonly string[] }) =>
    own.originated && own.advertisedTo.length > 0;
  const own = ({ bgp }: NodeState) => bgp?.ownPrefixes?.filter(({ prefix }) => covers(prefix, address));
  if (state === undefined || own(state)?.some(isTold) === true) return false;
  const subjects = (state.history?.settings ?? []).flatMap(({ kind, subject }) =>
    kind === 'announced' && covers(subject, address) ? [subject] : [],
  );
  return (
    subjects.some((subject) => settingsBefore(world, node, 'announced', subject).some((was) => was !== 'none')) ||
    seenOtherwise(world, node, own).some((rows) => rows.some(isTold))
  );
}

/** Hosts were heard behind the port that has the address, now or in memory. */
export function isInhabited(world: World, address: string): boolean {
  const owner = ownerOf(world, address);
  return owner !== undefined && hostsHeard(world, owner.node, owner.ifname);
}

/** The address is one of two of a link, on which another node announces its agent, speaks a routing protocol or is a next hop: what is heard there is that node, and no host. */
export function isBetweenNodes(world: World, address: string): boolean {
  const owner = ownerOf(world, address);
  if (owner === undefined) return false;
  const { addresses = [] } = interfaceOf(world, owner) ?? {};
  const network = parsePrefix(addresses.find((each) => each.startsWith(`${address}/`)) ?? '');
  const state = world.views.get(owner.node)?.state;
  return (
    network !== undefined &&
    isNarrow(network) &&
    state !== undefined &&
    (state.neighbours.some((entry) => entry.ifname === owner.ifname && announcesAgent(entry)) ||
      isRouterBeyond(state, owner.ifname, (each) => covers(`${address}/${network.prefixBits}`, each)))
  );
}

function isRouterBeyond(state: NodeState, ifname: string, isThere: (address: string) => boolean): boolean {
  const { adjacencies, bgp, staticRoutes = [] } = state;
  return (
    adjacencies.some((entry) => entry.ifname === ifname) ||
    ospfRows(state).some((row) => row.ifname === ifname && row.neighbours.length > 0) ||
    (bgp?.sessions ?? []).some(({ peer }) => isThere(peer)) ||
    staticRoutes.some(({ nextHop }) => nextHop !== undefined && isThere(nextHop))
  );
}

/** Hosts with addresses in the network of this address were heard behind its port, now or in memory. */
export function hostsHeardBeside(world: World, address: string): boolean {
  const owner = ownerOf(world, address);
  const { addresses = [] } = (owner && interfaceOf(world, owner)) ?? {};
  const network = addresses.find((each) => each.startsWith(`${address}/`));
  if (owner === undefined || network === undefined) return false;
  return heardBehind(world, owner.node).some(
    (each) => each.ifname === owner.ifname && covers(network, each.address) && !world.owners.has(each.address),
  );
}

export function hostsHeard(world: World, node: string, ifname: string): boolean {
  return heardBehind(world, node).some((each) => each.ifname === ifname);
}

function heardBehind(world: World, node: string): readonly { readonly ifname: string; readonly address: string }[] {
  return [world.views.get(node)?.state, ...statesSeen(world, node)].flatMap((state) => {
    const { hosts = [], services = [], watchedHosts } = state?.history ?? {};
    const entries = (state?.neighbourTable ?? []).filter(({ mac }) => mac !== undefined);
    const looked = (watchedHosts?.looks ?? []).flatMap(({ ports }) =>
      ports.flatMap(({ ifname, answers }) =>
        answers.flatMap(({ address, macs }) => (macs.length > 0 ? [{ ifname, address }] : [])),
      ),
    );
    return [...hosts, ...services, ...entries, ...(watchedHosts?.answered ?? []), ...looked];
  });
}
