// dhcp_spoofed_gateway: a DHCP server offers a router that no node and no host of that link is. One real router among those offered is
// enough.
import { defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { wrongGateway } from '../../symptoms/host-settings.ts';
import { isOfItsHosts, offering, offersIn, type ServerDetail, serverDetection, serverRemedy } from './dhcp-server.ts';

/** `offered`: the routers in the offer. */
type Detail = ServerDetail & { readonly offered: readonly string[] };

const describe = (detail: Detail) =>
  `${offering(detail)} the router ${detail.offered.join(', ')}, which no device there has; its own is ${detail.networks[0]}`;

export const dhcpSpoofedGateway = defineFault<Detail>({
  id: 'dhcp_spoofed_gateway',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dhcp_spoofed_gateway', netOpsBench: null },
  summary: 'a DHCP server gives hosts a router address that no device on their link has',
  clue: 'dhcp',
  memories: ['dhcp-offers'],
  detect: ({ world }) =>
    offersIn(world).flatMap(({ server, network, look, offer: { routers } }) => {
      const isThere = (router: string) => world.owners.has(router) || look.present.includes(router);
      return routers.length === 0 || routers.some(isThere)
        ? []
        : [serverDetection(server, [network], { offered: [...routers] })];
    }),
  describe,
  remedy: (detail) => serverRemedy('offer the router that owns the network', detail, describe(detail)),
  // Hosts that took what was offered.
  consequences: ({ nodes, detail: { ifname, offered } }, file) =>
    wrongGateway
      .of(file)
      .filter((symptom) => isOfItsHosts(symptom, nodes, ifname) && offered.includes(symptom.detail.gateway))
      .map(shareOf),
});
