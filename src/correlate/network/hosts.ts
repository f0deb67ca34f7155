// Hosts as their first router sees them: who was there, who answers now, and what a host is called. A name comes from what the
// operator wrote beside the port (`h1 eth1`), when one host alone is behind it; else a host is called by its address.
import { parsePrefix, sharesSubnet } from '#base/ip.ts';
import { coversHost, hostNetwork } from '#model/hosts/host-places.ts';
import { isNodeName, type LinkEnd, type ResourceId } from '#model/names.ts';
import type { Host } from '#model/router/hosts.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import { type HostScanSeen, interfaceOf, type View, type World } from './world.ts';

export type Attached = {
  readonly node: string;
  readonly ifname: string;
  /** The router's own address in that network. */
  readonly routerAddress: string;
  /** It answered when its router asked. */
  readonly present: boolean;
  /** Of IPv6: its router's kernel knows its MAC address, and had no answer lately. It may be there, or off. */
  readonly inDoubt?: true;
};

/**
 * The router port behind which an address is that no node has: of networks within each other the smallest, as routers forward. Where the host answered
 * comes first, then ports that are up.
 */
export function attachedTo(world: World, address: string): Attached | undefined {
  const ports = [...world.views.values()].flatMap(({ node, state }) =>
    state.inventory.interfaces.flatMap((entry) =>
      entry.addresses
        .filter((own) => coversHost(own, address) && (entry.kind !== 'loopback' || !address.includes(':')))
        .map((own) => ({
          ...{ node, ifname: entry.name, routerAddress: own.split('/')[0]!, bits: Number(own.split('/')[1]) },
          ...{ isUp: entry.operUp, present: isThere(world, { node, ifname: entry.name }, address) },
        })),
    ),
  );
  const first = [ports.filter(({ present }) => present), ports.filter(({ isUp }) => isUp), ports].find(
    (each) => each.length > 0,
  );
  const longest = Math.max(...(first ?? []).map(({ bits }) => bits));
  const found = first?.find(({ bits }) => bits === longest);
  if (found === undefined) return undefined;
  const { node, ifname, routerAddress, present } = found;
  const inDoubt = !present && isInDoubt6(world, found, address) ? { inDoubt: true as const } : {};
  return { node, ifname, routerAddress, present, ...inDoubt };
}

function isThere(world: World, at: LinkEnd, address: string): boolean {
  return address.includes(':') ? isThere6(world, at, address) : answersArp(world, at, address);
}

function answersArp(world: World, { node, ifname }: LinkEnd, address: string): boolean {
  return seenOn(world, node, ifname).some(({ answers }) =>
    answers.some((answer) => answer.address === address && answer.macs.length > 0),
  );
}

/** Of IPv6, of which no scan asks: anything came back to its own router, a refusal too, or that router's kernel had an answer lately (RFC 4861 §7.3.2). */
function isThere6(world: World, { node, ifname }: LinkEnd, address: string): boolean {
  const { state, before, after } = world.views.get(node) ?? {};
  return (
    world.serviceProbes.some(
      ({ from, destination, answered, via }) =>
        from === node && destination === address && answered && via === undefined,
    ) ||
    [state, before, after].some((each) =>
      each?.neighbourTable?.some(
        (row) => row.address === address && row.ifname === ifname && row.mac !== undefined && row.state === 'REACHABLE',
      ),
    )
  );
}

/** A MAC address that is kept, asked for or not, without an answer yet: FAILED, INCOMPLETE or no entry would say that nothing is there. */
function isInDoubt6(world: World, { node, ifname }: LinkEnd, address: string): boolean {
  const { state, before, after } = world.views.get(node) ?? {};
  const rows = (after ?? state ?? before)?.neighbourTable ?? [];
  return rows.some(
    (row) =>
      row.address === address &&
      row.ifname === ifname &&
      row.mac !== undefined &&
      /^(?:STALE|DELAY|PROBE)$/.test(row.state),
  );
}

/** A host answered a scan for the address. */
export function isOnLink(world: World, address: string): boolean {
  return world.hosts.some(({ answers }) => answers.some((each) => each.address === address && each.macs.length > 0));
}

/**
 * No host has the address: every scan for it by routers of its network was without an answer, and in one of them at least another host of the
 * same port answered. Lost echoes alone do not show this, as a host may drop them.
 */
export function isAbsentOnLink(world: World, address: string): boolean {
  const scans = world.hosts.filter(({ asked }) => asked.includes(address));
  const heard = scans.filter(
    ({ node, ifname, answers }) =>
      interfaceOf(world, { node, ifname })?.operUp === true && answers.some(({ macs }) => macs.length > 0),
  );
  return heard.length > 0 && !isOnLink(world, address);
}

export function ownNetworks(entry: InterfaceState): readonly string[] {
  return entry.addresses.filter((own) => hostNetwork(own) !== undefined);
}

/** Hosts that were on a port, the router's own neighbours with agents left out. */
export function remembered(world: World, view: View, ifname: string): readonly Host[] {
  const entry = view.state.inventory.interfaces.find((each) => each.name === ifname);
  const networks = entry === undefined ? [] : ownNetworks(entry);
  return (view.state.history?.hosts ?? []).filter(
    (host) =>
      host.ifname === ifname &&
      !hasOnLink(world, host.address) &&
      networks.some((own) => {
        const [one, other] = [parsePrefix(own), parsePrefix(`${host.address}/${own.split('/')[1]}`)];
        return one !== undefined && other !== undefined && sharesSubnet(one, other);
      }),
  );
}

/** A node with an agent has the address on a link; on a loopback it may be any node's. */
function hasOnLink(world: World, address: string): boolean {
  return (world.owners.get(address) ?? []).some((owner) => interfaceOf(world, owner)?.kind !== 'loopback');
}

export function seenOn(world: World, node: string, ifname: string): readonly HostScanSeen[] {
  return world.hosts.filter((port) => port.node === node && port.ifname === ifname);
}

type Name = { readonly node: string; readonly ifname: string };

/** `h1 eth1`, `h1:eth1`: a node and its port, nothing else. */
function describedName(description: string | undefined): Name | undefined {
  const [, node = '', ifname = ''] =
    /^(?:to )?([A-Za-z0-9][A-Za-z0-9._-]*)[ :]([A-Za-z]+[0-9][A-Za-z0-9./-]*)$/.exec(description ?? '') ?? [];
  return isNodeName(node) ? { node, ifname } : undefined;
}

export type Called = { readonly node: ResourceId; readonly port: ResourceId; readonly label: string };

/** How findings call a host. */
export function called(world: World, view: View, ifname: string, address: string): Called {
  const alone = remembered(world, view, ifname).length <= 1;
  const name = alone ? describedName(view.state.descriptions?.[ifname]) : undefined;
  if (name === undefined) return { node: `node/${address}`, port: `interface/${view.node}/${ifname}`, label: address };
  return { node: `node/${name.node}`, port: `interface/${name.node}/${name.ifname}`, label: name.node };
}
