// host_incorrect_gateway: a host has its address, answers no address off its link, and asks on its link for a router that is not there. A
// gateway that answers, or one that is the router's own, is none of this.
import { covers } from '#base/ip.ts';
import type { Host } from '#model/router/hosts.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { answeredBy, asksOf, type HostsOnPort, hasItsAddress, hostPorts } from '../../network/host-ports.ts';
import { type GatewayDetail, wrongGateway } from '../../symptoms/host-settings.ts';
import { echoedElsewhere, hostDetection, hostLabel, hostRemedy } from './host-detection.ts';
import { offLinkTarget } from './host-incorrect-netmask.ts';

const describe = (detail: GatewayDetail) =>
  `${hostLabel(detail)} answers others by way of ${detail.gateway}, which is not its router (${detail.own.join(', ')})`;

export const hostIncorrectGateway = defineFault<GatewayDetail>({
  id: 'host_incorrect_gateway',
  resource: 'node',
  accuses: true,
  labels: { nika: 'host_incorrect_gateway', netOpsBench: null },
  summary: 'a host sends packets for other networks to an address that is not its router’s',
  symptoms: wrongGateway,
  clue: 'host',
  memories: ['host-scans'],
  detect: ({ world }) =>
    hostPorts(world).flatMap((port) =>
      port.hosts
        // A mask that is too short explains that it asks on its link.
        .filter((host) => hasItsAddress(port, host) && offLinkTarget(port, host) === undefined)
        .filter((host) => isUnreachable(port, host))
        .flatMap((host) => {
          const own = port.networks.map((network) => network.split('/')[0]!);
          const gateway = missingGateway(port, host, own);
          return gateway === undefined ? [] : [hostDetection(port, host, 'host', { gateway, own })];
        }),
    ),
  describe,
  remedy: (detail) => hostRemedy('set the gateway of the host to its router', detail, describe(detail)),
  contrary: echoedElsewhere,
});

/** Echoes from off its link were tried, and it answered none. */
function isUnreachable({ seen }: HostsOnPort, { address }: Host): boolean {
  const tried = seen.flatMap(({ echoed }) => (echoed === undefined ? [] : [echoed]));
  return tried.length > 0 && !tried.some((echoed) => echoed.includes(address));
}

/** An address of its network that the host asked for, that we asked for too, and that no host has, nor a router for several of which one is to answer. */
function missingGateway(port: HostsOnPort, host: Host, own: readonly string[]): string | undefined {
  return asksOf(port, host.mac)
    .filter(({ sender }) => sender === host.address)
    .map(({ target }) => target)
    .find(
      (target) =>
        !own.includes(target) &&
        !port.world.owners.has(target) &&
        port.networks.some((network) => covers(network, target)) &&
        port.seen.some(({ asked }) => asked.includes(target)) &&
        answeredBy(port, target).length === 0,
    );
}
