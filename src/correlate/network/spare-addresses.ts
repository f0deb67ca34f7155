// A further address of a loopback or a port that no other node has a route to may be meant for that router, or its link, alone. What names a router,
// ends a session or was asked about is no such address, and neither is the only one of its kind, nor one in whose network hosts are heard.
import { ospfRows } from '#model/router/control-plane.ts';
import { hostsHeardBeside } from './lost-routes.ts';
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
