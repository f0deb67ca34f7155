// host_incorrect_netmask: a host asks on its own link for an address that is elsewhere, so its mask is too short. A router answers for all
// its addresses, so that such a mask does no harm there, but all the more elsewhere. Where the router answers for all others as well (proxy ARP), hosts
// may ask for whatever they like.
import { covers } from '#base/ip.ts';
import type { Host } from '#model/router/hosts.ts';
import { type Detection, defineFault, type Past, type Slice } from '../../engine/fault-definition.ts';
import { asksOf, type HostsOnPort, hasItsAddress, hostPorts } from '../../network/host-ports.ts';
import { remembered } from '../../network/hosts.ts';
import type { View, World } from '../../network/world.ts';
import { askedSince, farAsksOf } from '../../observe/off-link-arp.ts';
import { type NetmaskDetail, shortMask } from '../../symptoms/host-settings.ts';
import { echoedElsewhere, hostDetection, hostLabel, hostRemedy } from './host-detection.ts';

const describe = (detail: NetmaskDetail) =>
  `${hostLabel(detail)} asks on its link for ${detail.asks}, which is not on it: its mask is too short`;

export const hostIncorrectNetmask = defineFault<NetmaskDetail>({
  id: 'host_incorrect_netmask',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'host_incorrect_netmask', netOpsBench: null },
  summary: 'a host has a mask that is too short, and takes addresses behind its router for ones of its own link',
  symptoms: shortMask,
  clue: 'host',
  memories: ['host-scans', 'off-link-arp'],
  detect: ({ world, past }: Slice) => (past?.kept?.memory === 'off-link-arp' ? askedThen(world, past) : asking(world)),
  describe,
  remedy: (detail) => hostRemedy('set the mask of the host to that of its router', detail, describe(detail)),
  contrary: echoedElsewhere,
});

function asking(world: World): readonly Detection<NetmaskDetail>[] {
  return hostPorts(world).flatMap((port) =>
    port.hosts
      .filter((host) => hasItsAddress(port, host))
      .flatMap((host) => {
        const asks = offLinkTarget(port, host);
        return asks === undefined ? [] : [hostDetection(port, host, 'port', { asks })];
      }),
  );
}

/** An address off its link that the host asked for on its link, while we scanned or since the question began. */
export function offLinkTarget(port: HostsOnPort, host: Host): string | undefined {
  if (answersForOthers(port.view, port.ifname)) return undefined;
  const sources = port.seen.flatMap(({ source }) => source ?? []);
  const asked = asksOf(port, host.mac)
    .filter(({ sender }) => sender === host.address)
    .map(({ target }) => target);
  const far = asked.find(
    (target) =>
      (sources.includes(target) || isUnanswered(port, host, target)) &&
      !port.networks.some((own) => covers(own, target)),
  );
  return far ?? askedSince(port.world, port.view, host)?.target;
}

function answersForOthers({ state }: View, ifname: string): boolean {
  return (state.forwarding?.interfaces ?? []).some((row) => row.ifname === ifname && row.proxyArp === true);
}

/** A node that is nowhere near tried to reach the host in vain, while the host asked for that node on its link. */
function isUnanswered({ world }: HostsOnPort, host: Host, target: string): boolean {
  const owners = (world.owners.get(target) ?? []).map(({ node }) => node);
  const tries = world.serviceProbes.filter(
    ({ service, destination, from }) => service === 'echo' && destination === host.address && owners.includes(from),
  );
  return tries.length > 0 && tries.every(({ answered }) => !answered);
}

/** ARP requests that the router kept: it heard them itself. */
function askedThen(world: World, { kept }: Past): readonly Detection<NetmaskDetail>[] {
  const view = world.views.get(kept?.node ?? '');
  const asks = view?.state.history?.watchedHosts?.asks ?? [];
  return [...new Set(asks.map(({ ifname }) => ifname))].flatMap((ifname) =>
    view === undefined || answersForOthers(view, ifname)
      ? []
      : remembered(world, view, ifname).flatMap((host) =>
          farAsksOf(world, view, host, asks)
            .slice(0, 1)
            .map(({ target }) => hostDetection({ world, view, ifname, seen: [] }, host, 'port', { asks: target })),
        ),
  );
}
