// A further address of a loopback or a port that no other node has a route to may be meant for that router, or its link, alone. What names a router,
// ends a session or was asked about is no such address, and neither is the only one of its kind, nor one in whose network hosts are heard. So may one be
// that an IS-IS area keeps to itself: FRR's isisd brings nothing of level 1 into level 2 by itself.
import { covers } from '#base/ip.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { hostsHeardBeside, wasRouted } from './lost-routes.ts';
import { interfaceOf, ownerOf, type World } from './world.ts';

/** An address that nothing is known to need, beside one of its kind on the same interface that others have a route to. */
export function isSpare(world: World, address: string, routed: (address: string) => boolean): boolean {
  const owner = ownerOf(world, address);
  const own = owner === undefined ? undefined : interfaceOf(world, owner);
  if (own === undefined || isNeeded(world, address)) return false;
  if (own.kind !== 'loopback' && hostsHeardBeside(world, address)) return false;
  return own.addresses
    .map((entry) => entry.split('/')[0]!)
    .some((other) => other !== address && kindOf(world, other) === kindOf(world, address) && routed(other));
}

/** Another node has a route of its own to the address. */
export function isRouted(world: World, address: string): boolean {
  return knowersOf(world, address).length > 0;
}

/** Nodes with such a route. What one head sends into a segment list says nothing of what others should have a route to. */
function knowersOf(world: World, address: string): readonly { readonly node: string; readonly answer: RouteAnswer }[] {
  const owner = ownerOf(world, address)?.node;
  return [...world.lookups].flatMap(([node, answers]) => {
    const answer = answers.get(address);
    const routes = (world.views.get(node)?.state.daemons?.length ?? 0) > 0;
    if (answer === undefined || !routes || node === owner) return [];
    const { kind, matched, segments = [] } = answer;
    return kind === 'unicast' && segments.length === 0 && matched !== 'default' ? [{ node, answer }] : [];
  });
}

/**
 * A spare address that routers of one IS-IS area know by IS-IS and no other node knows, beside one of its kind that others beyond have a route to:
 * nothing beyond that area is owed a route to it. Its router is of level 1 alone, and BGP does not announce the network.
 */
export function isOfAreaAlone(world: World, from: string, address: string): boolean {
  const inside = areaOf(world, address);
  if (inside.size === 0 || inside.has(from) || wasRouted(world, address)) return false;
  const isBeyond = (other: string) => knowersOf(world, other).some(({ node }) => !inside.has(node));
  return (
    knowersOf(world, address).every(({ node, answer }) => inside.has(node) && answer.protocol === 'isis') &&
    isSpare(world, address, isBeyond)
  );
}

/** Routers of the area that the router of the address, which is of level 1 alone, announces its network in; none where it does not. */
function areaOf(world: World, address: string): ReadonlySet<string> {
  const owner = ownerOf(world, address);
  const { isis, bgp } = (owner && world.views.get(owner.node)?.state) ?? {};
  const circuit = isis?.circuits.find(({ ifname }) => ifname === owner?.ifname);
  const isCarried = circuit !== undefined && (address.includes(':') ? circuit.ipv6 : circuit.ipv4);
  const isInBgp = bgp?.ownPrefixes.some(({ prefix }) => covers(prefix, address)) === true;
  if (isis?.level !== '1' || !isCarried || isInBgp) return new Set();
  const inside = [...world.views].filter(
    ([, { state }]) =>
      state.isis !== undefined &&
      state.isis.level !== '2' &&
      state.isis.areas.some((area) => isis.areas.includes(area)),
  );
  return new Set(inside.map(([node]) => node));
}

/** Addresses of one family on one kind of interface, with prefixes of one length, are alike. */
export function kindOf(world: World, address: string): string {
  const owner = ownerOf(world, address);
  const found = owner === undefined ? undefined : interfaceOf(world, owner);
  const length = found?.addresses.find((entry) => entry.startsWith(`${address}/`))?.split('/')[1];
  return `${address.includes(':') ? 6 : 4} ${found?.kind} ${length}`;
}

function isNeeded(world: World, address: string): boolean {
  if (address === world.destination) return true;
  return [...world.views.values()].some(
    ({ state, state: { bgp } }) =>
      bgp?.routerId === address ||
      bgp?.sessions.some((row) => row.peer === address || row.localAddress === address) === true ||
      ospfRows(state).some(({ neighbours }) => neighbours.some(({ routerId }) => routerId === address)),
  );
}
