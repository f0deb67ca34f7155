// dhcp_spoofed_subnet: a DHCP server offers an address that is not of the network it is asked for, or the mask of another network.
import { covers, parsePrefix } from '#base/ip.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { shortMask } from '../../symptoms/host-settings.ts';
import { isOfItsHosts, offering, offersIn, type ServerDetail, serverDetection, serverRemedy } from './dhcp-server.ts';

/** The offered address or mask, and what the router has there. */
type Detail = ServerDetail & { readonly own: string; readonly offered?: string; readonly mask?: string };

const describe = (detail: Detail) =>
  detail.mask === undefined
    ? `${offering(detail)} the address ${detail.offered}, which is not of ${detail.own}`
    : `${offering(detail)} the mask ${detail.mask}, and it is ${detail.own}`;

export const dhcpSpoofedSubnet = defineFault<Detail>({
  id: 'dhcp_spoofed_subnet',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dhcp_spoofed_subnet', netOpsBench: null },
  summary: 'a DHCP server gives hosts a mask, or an address, that is not of the network that their router owns',
  clue: 'dhcp',
  memories: ['dhcp-offers'],
  detect: ({ world }) =>
    offersIn(world).flatMap(
      ({ server, network, offer: { address, mask }, own, addresses }): readonly Detection<Detail>[] => {
        const home = addresses.find((each) => covers(each, address));
        if (home === undefined) return [serverDetection(server, [network], { own, offered: address })];
        return mask === undefined || mask === maskOf(home)
          ? []
          : [serverDetection(server, [network], { own: home, mask })];
      },
    ),
  describe,
  remedy: (detail) =>
    serverRemedy('offer addresses and the mask of the network that the router owns', detail, describe(detail)),
  // Hosts that took what was offered.
  consequences: ({ nodes, detail: { ifname } }, file) =>
    shortMask
      .of(file)
      .filter((symptom) => isOfItsHosts(symptom, nodes, ifname))
      .map(shareOf),
});

function maskOf(network: string): string {
  const bits = parsePrefix(network)?.prefixBits ?? 32;
  const value = bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}
