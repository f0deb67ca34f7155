// dhcp_missing_subnet: a DHCP server offers nothing to a network whose hosts ask it, or that it served before, and does to others. Where
// packets are lost on the way, silence accuses it only when it answered for another network over the same path at the same time.
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import { type Detection, defineFault, type Past, type Slice } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { mayFilterServers } from '../../packet-filter/dropping-rules.ts';
import {
  isServed,
  isSilent,
  lossOnTheWay,
  type ServedNetwork,
  type Server,
  type ServerDetail,
  serverDetection,
  serverRemedy,
  serversIn,
} from './dhcp-server.ts';

/** `before`: it gave that network addresses. `past`: it was silent then and offers now. */
type Detail = ServerDetail & { readonly before: boolean; readonly past?: true };

const describe = ({ label, node, ifname, networks, past }: Detail) =>
  `${label} ${past === true ? 'offered' : 'offers'} nothing to the network of ${nodeRef(node)} ${ifname} (${networks[0]}), and ${past === true ? 'did to its own' : 'does to others'}`;

export const dhcpMissingSubnet = defineFault<Detail>({
  id: 'dhcp_missing_subnet',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dhcp_missing_subnet', netOpsBench: null },
  summary: 'a DHCP server offers nothing to a network whose hosts ask it, and does to others',
  clue: 'dhcp',
  memories: ['dhcp-silences'],
  detect: (slice) =>
    slice.past === undefined
      ? serversIn(slice.world)
          .filter(({ networks }) => networks.some(isServed))
          .flatMap((server) => server.networks.flatMap((network) => unserved(server, network, slice)))
      : unservedThen(slice.world, slice.past),
  describe,
  remedy: (detail) => serverRemedy('give the DHCP server a range for that network', detail, describe(detail)),
});

function unserved(server: Server, network: ServedNetwork, { facts }: Slice): readonly Detection<Detail>[] {
  const { world, address } = server;
  const others = world.dhcp.some(
    ({ from, gateway, link, offers }) =>
      from === network.node && gateway === network.gateway && link === undefined && offers.length > 0,
  );
  const asked = (world.views.get(network.node)?.state.history?.heard ?? []).some(
    ({ what, ifname }) => what === 'dhcp-request' && ifname === network.ifname,
  );
  const before = [...world.views.values()].some(({ state }) =>
    (state.history?.heard ?? []).some(
      ({ what, from, to }) => what === 'dhcp-reply' && from === address && to === network.gateway,
    ),
  );
  if (isServed(network) || others || !(asked || before) || !isSilent(network)) return [];
  if (hasServedNeighbour(world, network)) return [];
  // What was answered at the same time, between the same addresses, passed whatever filter and loss there is.
  const passes = answersForAnother(server, network);
  if (!passes && mayFilterServers(world)) return [];
  const withheld = passes ? undefined : lossOnTheWay(world, facts, network.node, [address]);
  return [
    {
      ...serverDetection(server, [network], { before }),
      confidence: before ? 'certain' : 'likely',
      ...(withheld === undefined ? {} : { withheld }),
    },
  ];
}

/** Another network of the same port is served: its hosts are those that ask, and have what they ask for. */
function hasServedNeighbour(world: World, { node, ifname, gateway }: ServedNetwork): boolean {
  return serversIn(world)
    .flatMap(({ networks }) => networks)
    .some((each) => each.node === node && each.ifname === ifname && each.gateway !== gateway && isServed(each));
}

/** Beside the last question in vain went one from the same address, for another network, and that was answered. */
function answersForAnother({ world, address }: Server, { node, gateway, looks }: ServedNetwork): boolean {
  return world.dhcp.some(
    (look) =>
      look.link !== undefined &&
      look.from === node &&
      look.gateway === gateway &&
      look.server === address &&
      look.source === looks.at(-1)?.source &&
      look.offers.length > 0,
  );
}

/** Of the answers of one time: a server that was silent although each echo came back, and served another network. */
function unservedThen(world: World, { now, kept }: Past): readonly Detection<Detail>[] {
  return serversIn(world).flatMap((server) =>
    server.networks.flatMap((network) => {
      const silent = network.looks.some((look) => wasSilent(now, kept?.node ?? '', look, world.dhcp));
      const servedOthers = world.dhcp.some(
        (look) => look.link !== undefined && look.server === server.address && look.offers.length > 0,
      );
      if (!silent || !servedOthers) return [];
      const found = serverDetection(server, [network], { before: false, past: true as const });
      return [{ ...found, confidence: 'likely' as const }];
    }),
  );
}

/** It was silent to a router for a network that no other server served then, and offers to that network now. */
export function wasSilent(now: World, node: string, answer: DhcpAnswer, answers: readonly DhcpAnswer[]): boolean {
  const { gateway, server } = answer;
  const isSilence =
    answer.link === undefined &&
    answer.offers.length === 0 &&
    !answer.refused &&
    answer.sent > 0 &&
    answer.echoed === answer.sent;
  const others = answers.some((each) => each.gateway === gateway && each.link === undefined && each.offers.length > 0);
  const today = now.dhcp.some(
    (each) => each.from === node && each.gateway === gateway && each.server === server && each.offers.length > 0,
  );
  return isSilence && !others && today;
}
