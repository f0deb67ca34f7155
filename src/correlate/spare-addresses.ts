// A further loopback address of a router that nobody else has a route to may be meant for that router alone. What names a router,
// ends a session or was asked about is no such address, and neither is the only one of its kind.
import { interfaceOf, ownerOf, type World } from './world.ts';

/** An address that nothing is known to need, beside one of its kind on the same loopback that others have a route to. */
export function isSpare(world: World, address: string, routed: (address: string) => boolean): boolean {
  const owner = ownerOf(world, address);
  const own = owner === undefined ? undefined : interfaceOf(world, owner);
  if (own?.kind !== 'loopback' || isNeeded(world, address)) return false;
  const entries = own.addresses.map((entry) => {
    const [host = '', length = ''] = entry.split('/');
    return { host, form: `${host.includes(':') ? 6 : 4}/${length}` };
  });
  const form = entries.find(({ host }) => host === address)?.form;
  return entries.some((entry) => entry.host !== address && entry.form === form && routed(entry.host));
}

function isNeeded(world: World, address: string): boolean {
  if (address === world.destination) return true;
  return [...world.views.values()].some(
    ({ state: { bgp, ospf } }) =>
      bgp?.routerId === address ||
      bgp?.sessions.some((row) => row.peer === address || row.localAddress === address) === true ||
      ospf?.some(({ neighbours }) => neighbours.some(({ routerId }) => routerId === address)) === true,
  );
}
