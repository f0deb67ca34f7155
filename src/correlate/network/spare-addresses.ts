// A further address of a loopback or a port that no other node has a route to may be meant for that router, or its link, alone. What names a router,
// ends a session or was asked about is no such address, and neither is the only one of its kind, nor one in whose network hosts are heard. Routers of
// an IS-IS area know what level 2 need not (RFC 5302 §2): they do not count as others.
import { ospfRows } from '#model/router/control-plane.ts';
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

/** Another node has a route of its own to the address. What one head sends into a segment list says nothing of what others should have a route to. */
export function isRouted(world: World, address: string): boolean {
  const inside = insidersOf(world, address);
  return [...world.lookups].some(([from, answers]) => {
    const { kind, matched, segments = [] } = answers.get(address) ?? {};
    const routes = (world.views.get(from)?.state.daemons?.length ?? 0) > 0;
    return (
      routes &&
      kind === 'unicast' &&
      segments.length === 0 &&
      matched !== 'default' &&
      ownerOf(world, address)?.node !== from &&
      !inside.has(from)
    );
  });
}

/** A spare address that is known inside one IS-IS area alone, and was as far as the nodes remember: nothing beyond that area is owed a route to it. */
export function isOfAreaAlone(world: World, from: string, address: string): boolean {
  const inside = insidersOf(world, address);
  return (
    inside.size > 0 &&
    !inside.has(from) &&
    !isRouted(world, address) &&
    !wasRouted(world, address) &&
    isSpare(world, address, (other) => isRouted(world, other))
  );
}

/** Routers of the area in which the owner announces the network of the address on level 1 and nowhere else, itself among them. */
function insidersOf(world: World, address: string): ReadonlySet<string> {
  const owner = ownerOf(world, address);
  const isis = owner && world.views.get(owner.node)?.state.isis;
  const circuit = isis?.circuits.find(({ ifname }) => ifname === owner?.ifname);
  if (isis === undefined || (isis.level !== '1' && circuit?.level !== '1')) return new Set();
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
