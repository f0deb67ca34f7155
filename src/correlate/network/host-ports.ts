// What routers saw of the hosts on their ports: which hosts were there, who answered for which address, and who asked for whom.
import type { Host, HostPort } from '#model/router/hosts.ts';
import { ownNetworks, remembered, seenOn } from './hosts.ts';
import type { HostScanSeen, View, World } from './world.ts';

/** A port that leads to hosts, with everything that its scans say. */
export type HostsOnPort = {
  readonly world: World;
  readonly view: View;
  readonly ifname: string;
  /** The router's own addresses there, with their lengths. */
  readonly networks: readonly string[];
  readonly seen: readonly HostScanSeen[];
  /** Hosts that were there before. */
  readonly hosts: readonly Host[];
};

/** Ports that are up, have a network of hosts and were scanned. */
export function hostPorts(world: World): readonly HostsOnPort[] {
  return [...world.views.values()].flatMap((view) =>
    view.state.inventory.interfaces.flatMap((entry) => {
      const [networks, seen] = [ownNetworks(entry), seenOn(world, view.node, entry.name)];
      if (!entry.operUp || networks.length === 0 || seen.length === 0) return [];
      const before = { ...view, state: view.before ?? view.state };
      return [{ world, view, ifname: entry.name, networks, seen, hosts: remembered(world, before, entry.name) }];
    }),
  );
}

/** MAC addresses that answered for an address, whenever it was asked. */
export function answeredBy({ seen }: HostsOnPort, address: string): readonly string[] {
  const answers = seen.flatMap((each) => each.answers.filter((answer) => answer.address === address));
  return [...new Set(answers.flatMap(({ macs }) => macs))];
}

export function asksOf({ seen }: HostsOnPort, mac: string): HostPort['asks'] {
  return seen.flatMap(({ asks }) => asks.filter((ask) => ask.mac === mac));
}

/** Two ports of one host on a network answer for the addresses of each other, as kernels do unless they are set otherwise. */
function isSameHost(port: HostsOnPort, host: Host, mac: string): boolean {
  const its = port.hosts.filter((each) => each.mac === mac && each.address !== host.address);
  return its.length > 0 && its.every((each) => answeredBy(port, each.address).includes(host.mac));
}

/** The MAC address of another host that answers for the address beside the host itself. */
export function rivalOf(port: HostsOnPort, host: Host): string | undefined {
  const macs = answeredBy(port, host.address);
  return macs.includes(host.mac) ? macs.find((mac) => mac !== host.mac && !isSameHost(port, host, mac)) : undefined;
}

/** The host answers for its own address, alone. */
export function hasItsAddress(port: HostsOnPort, host: Host): boolean {
  return answeredBy(port, host.address).includes(host.mac) && rivalOf(port, host) === undefined;
}
