// dhcp_spoofed_dns: a DHCP server offers name servers of which none serves names, while another one is known that does. Where packets are
// lost on the way to them, or a filter may take such questions, silence says nothing.
import { isNameServer, nameServersIn } from '#model/hosts/name-servers.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { World } from '../../network/world.ts';
import { mayFilterServers } from '../../packet-filter/dropping-rules.ts';
import { wrongNameServer } from '../../symptoms/host-settings.ts';
import {
  isOfItsHosts,
  lossOnTheWay,
  offering,
  offersIn,
  type ServerDetail,
  serverDetection,
  serverRemedy,
} from './dhcp-server.ts';

/** `offered`: the name servers in the offer; `real`: one that serves names. */
type Detail = ServerDetail & { readonly offered: readonly string[]; readonly real: string };

const describe = (detail: Detail) =>
  `${offering(detail)} the name server ${detail.offered.join(', ')}, which answers no query; a name server that does is ${detail.real}`;

export const dhcpSpoofedDns = defineFault<Detail>({
  id: 'dhcp_spoofed_dns',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dhcp_spoofed_dns', netOpsBench: null },
  summary: 'a DHCP server gives hosts a name server that answers no query, while another one is in use',
  clue: 'dhcp',
  memories: ['dhcp-offers'],
  detect: ({ world, facts }) =>
    offersIn(world).flatMap(({ server, network: { node }, network, offer: { names } }) => {
      // Where no other name server is known, this one may be the one that is down.
      const real = nameServersIn(statesOf(world))[0];
      const isFiltered = names.some((address) => mayFilterServers(world, { node, address }));
      if (names.length === 0 || real === undefined || isFiltered) return [];
      if (!names.every((name) => servesNone(world, node, name))) return [];
      const withheld = lossOnTheWay(world, facts, node, names);
      return [
        {
          ...serverDetection(server, [network], { offered: [...names], real }),
          ...(withheld === undefined ? {} : { withheld }),
        },
      ];
    }),
  describe,
  remedy: (detail) => serverRemedy('offer the name server that is in use', detail, describe(detail)),
  // Hosts that took what was offered.
  consequences: ({ nodes, detail: { ifname, offered } }, file) =>
    wrongNameServer
      .of(file)
      .filter(
        (symptom) =>
          isOfItsHosts(symptom, nodes, ifname) && symptom.detail.asks.every((each) => offered.includes(each)),
      )
      .map(shareOf),
});

/** It was never seen to serve names, and does not answer; what could not be tried is not known. */
function servesNone(world: World, node: string, address: string): boolean {
  const tries = world.serviceProbes.filter(
    ({ from, destination, port }) => from === node && destination === address && port === 53,
  );
  return tries.length > 0 && !tries.some(({ open }) => open) && !isNameServer(statesOf(world), address);
}

function statesOf(world: World) {
  return [...world.views.values()].map(({ state }) => state);
}
