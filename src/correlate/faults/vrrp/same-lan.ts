// Whether ports of two nodes are shown to be on one LAN: each hears the other there, by LLDP or IS-IS, or has the other's MAC address in its neighbour
// table (ARP, ND), its memory of hosts, or a scan's answers. That both have addresses of one network shows nothing: two networks may have the same numbers.
import type { LinkEnd } from '#model/names.ts';
import { interfaceOf, linkOn, type World } from '../../network/world.ts';

export function isOnOneLan(world: World, ones: readonly LinkEnd[], others: readonly LinkEnd[]): boolean {
  return ones.some((one) => others.some((other) => one.node !== other.node && hearEachOther(world, one, other)));
}

function hearEachOther(world: World, one: LinkEnd, other: LinkEnd): boolean {
  return isNamed(world, one, other) || (hasHeard(world, one, other) && hasHeard(world, other, one));
}

/** Signs that name the node. OSPF and BGP name an address, which a node on another LAN may have as well. */
function isNamed(world: World, one: LinkEnd, { node, ifname }: LinkEnd): boolean {
  return linkOn(world, one).some(
    ({ from, to, link }) =>
      [from, to].some((end) => end.node === node && end.ifname === ifname) &&
      link.signs.some((sign) => sign === 'lldp' || sign === 'isis'),
  );
}

function hasHeard(world: World, near: LinkEnd, far: LinkEnd): boolean {
  const mac = interfaceOf(world, far)?.mac?.toLowerCase();
  return mac !== undefined && !isShared(world, mac, far.node) && heardMacs(world, near).has(mac);
}

/** Machines that were copied may have the same MAC addresses: then one of them was heard, and which is not known. */
function isShared(world: World, mac: string, owner: string): boolean {
  return [...world.views.values()].some(
    ({ node, state }) => node !== owner && state.inventory.interfaces.some((entry) => entry.mac?.toLowerCase() === mac),
  );
}

function heardMacs(world: World, { node, ifname }: LinkEnd): ReadonlySet<string> {
  const view = world.views.get(node);
  const tables = [view?.before, view?.after, view?.state].flatMap((state) => state?.neighbourTable ?? []);
  const entries = tables.filter((row) => row.ifname === ifname && !/FAILED|INCOMPLETE|PERMANENT|NOARP/.test(row.state));
  const hosts = (view?.state.history?.hosts ?? []).filter((host) => host.ifname === ifname);
  const answers = world.hosts
    .filter((port) => port.node === node && port.ifname === ifname)
    .flatMap((port) => port.answers.flatMap(({ macs }) => macs));
  return new Set(
    [...[...entries, ...hosts].flatMap(({ mac }) => mac ?? []), ...answers].map((mac) => mac.toLowerCase()),
  );
}
