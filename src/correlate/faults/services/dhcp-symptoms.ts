// Symptoms of addresses that hosts are given: a server that was there and offers nothing to anybody, a network that gets nothing while
// others do, and an offer that contradicts the router that owns the network: a router that nobody there is, a mask or an address of
// another network, a name server that is none. A server that is only slow, or cannot be reached, or stands behind a filter against
// such packets, is no symptom of this kind; where packets are lost on the way, silence accuses it only when it answered for another
// network over the same way at the same time.
import { covers, parsePrefix } from '#base/ip.ts';
import { isNameServer, nameServersIn } from '#model/hosts/name-servers.ts';
import { nodeResource, type ResourceId } from '#model/names.ts';
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { Fact } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { attachedTo, called } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import { type DhcpSeen, ownerOf, sourcesOf, type World } from '../../network/world.ts';
import { lossesOnTheWay } from '../../packet-filter/lossy-paths.ts';
import { linkLabel } from '../../symptoms/on-link.ts';
import { isDropping } from './service-symptoms.ts';

/** Of one server and one network: all looks at it. */
export type Network = {
  readonly node: string;
  readonly ifname: string;
  readonly gateway: string;
  readonly looks: readonly DhcpSeen[];
};
export type Server = {
  readonly world: World;
  readonly address: string;
  readonly resource: ResourceId;
  readonly label: string;
  /** The router that it is attached to; its own node where it has an agent. */
  readonly near: string;
  readonly networks: readonly Network[];
};

export function dhcpSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  return [...new Set(world.dhcp.map(({ server }) => server))].flatMap((address) => {
    const server = serverAt(world, address);
    if (server === undefined) return [];
    if (!server.networks.some(isServed)) return down(server);
    return server.networks.flatMap((network) => {
      const lossesTo = (to: string) => lossesOnTheWay(world, facts, network.node, to).map(linkLabel);
      return isServed(network) ? contradicting(server, network, lossesTo) : missing(server, network, lossesTo);
    });
  });
}

export function serverAt(world: World, address: string): Server | undefined {
  const direct = world.dhcp.filter(({ server, link }) => server === address && link === undefined);
  const groups = Map.groupBy(direct, ({ from, gateway }) => `${from} ${gateway}`);
  const networks = [...groups.values()].map((looks): Network => {
    const { from: node, ifname, gateway } = looks.at(-1)!;
    return { node, ifname, gateway, looks };
  });
  const base = { world, address, networks };
  const owner = ownerOf(world, address);
  if (owner !== undefined)
    return { ...base, near: owner.node, resource: nodeResource(owner.node), label: mark(owner.node) };
  const host = attachedTo(world, address);
  const view = host === undefined ? undefined : world.views.get(host.node);
  if (host === undefined || view === undefined) return undefined;
  const { node: resource, label } = called(world, view, host.ifname, address);
  return { ...base, near: host.node, resource, label };
}

function isServed({ looks }: Network): boolean {
  return looks.some(({ offers }) => offers.length > 0);
}

/** Nothing came although everything else did: the last look waited long, and each echo beside it came back. */
function isSilent({ looks }: Network): boolean {
  const last = looks.at(-1);
  return looks.length > 1 && last !== undefined && !last.refused && last.echoed === last.sent;
}

function down(server: Server): readonly Symptom[] {
  const near = server.networks.filter(({ node }) => node === server.near);
  const refused = near.some(({ looks }) => looks.some((look) => look.refused));
  if (!refused && (near.length === 0 || !server.networks.every(isSilent) || isFiltered(server.world))) return [];
  const how = refused ? 'refuses' : 'is silent';
  const text = `${server.label} gave addresses and now ${how}: no offer for ${server.networks.map(({ gateway }) => gateway).join(', ')}`;
  return [dhcpSymptom(server, server.networks, 'down', text, { refused })];
}

/** Beside the last question in vain went one from the same address, for another network, and that was answered. */
function answersForAnother({ world, address }: Server, { node, gateway, looks }: Network): boolean {
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

/** Links on which packets to this address, or from it, are lost on the way. */
type LossesTo = (to: string) => readonly string[];

function lostOn(links: readonly string[]): string {
  return `packets are lost on the way to it, on ${links.join(' and ')}`;
}

/** A network whose hosts ask, or to which this server gave addresses before. */
function missing(server: Server, network: Network, lossesTo: LossesTo): readonly Symptom[] {
  const { world, label } = server;
  const others = world.dhcp.some(
    (look) =>
      look.from === network.node &&
      look.gateway === network.gateway &&
      look.link === undefined &&
      look.offers.length > 0,
  );
  const asked = (world.views.get(network.node)?.state.history?.heard ?? []).some(
    ({ what, ifname }) => what === 'dhcp-request' && ifname === network.ifname,
  );
  const before = [...world.views.values()].some(({ state }) =>
    (state.history?.heard ?? []).some(
      ({ what, from, to }) => what === 'dhcp-reply' && from === server.address && to === network.gateway,
    ),
  );
  if (others || !(asked || before) || !isSilent(network)) return [];
  // What was answered at the same time, between the same addresses, passed whatever filter and loss there is.
  const passes = answersForAnother(server, network);
  if (!passes && isFiltered(world)) return [];
  const text = `${label} offers nothing to the network of ${mark(network.node)} ${network.ifname} (${network.gateway}), and does to others`;
  const lossy = passes ? [] : lossesTo(server.address);
  if (lossy.length === 0) return [dhcpSymptom(server, [network], 'missing', text, { before })];
  return [dhcpSymptom(server, [network], 'unsure', `${text}; ${lostOn(lossy)}`, { before })];
}

export function contradicting(server: Server, network: Network, lossesTo: LossesTo = () => []): readonly Symptom[] {
  const entry = server.world.views
    .get(network.node)
    ?.state.inventory.interfaces.find(({ name }) => name === network.ifname);
  const own = entry?.addresses.find((address) => address.split('/')[0] === network.gateway);
  const looks = network.looks.filter(({ offers }) => offers.length > 0);
  if (entry === undefined || own === undefined) return [];
  const where = `${server.label} offers hosts of ${mark(network.node)} ${network.ifname}`;
  return looks.flatMap((look) =>
    look.offers.flatMap((offer) => {
      const home = entry.addresses.find((address) => covers(address, offer.address));
      const found: Symptom[] = [];
      if (home === undefined)
        found.push(
          dhcpSymptom(server, [network], 'subnet', `${where} the address ${offer.address}, which is not of ${own}`, {}),
        );
      else if (offer.mask !== undefined && offer.mask !== maskOf(home))
        found.push(
          dhcpSymptom(server, [network], 'subnet', `${where} the mask ${offer.mask}, and it is ${home}`, {
            mask: offer.mask,
          }),
        );
      const there = (router: string) => server.world.owners.has(router) || look.present.includes(router);
      if (offer.routers.length > 0 && !offer.routers.some(there)) {
        const text = `${where} the router ${offer.routers.join(', ')}, which nobody there is; its own is ${network.gateway}`;
        found.push(dhcpSymptom(server, [network], 'gateway', text, { offered: [...offer.routers] }));
      }
      if (offer.names.length > 0 && offer.names.every((name) => isNone(server.world, network.node, name)))
        found.push(...wrongNames(server, network, offer.names, where, [...new Set(offer.names.flatMap(lossesTo))]));
      return found;
    }),
  );
}

/** Nobody was seen to use it, and it does not answer; what could not be tried is not known. */
function isNone(world: World, node: string, address: string): boolean {
  const tries = world.serviceProbes.filter(
    (serviceProbe) => serviceProbe.from === node && serviceProbe.destination === address && serviceProbe.port === 53,
  );
  return tries.length > 0 && !tries.some((serviceProbe) => serviceProbe.open) && !isNameServer(states(world), address);
}

/** Only where another name server is known: where there is none, this one may be the one that is down. */
function wrongNames(
  server: Server,
  network: Network,
  names: readonly string[],
  where: string,
  lossy: readonly string[],
): readonly Symptom[] {
  const real = nameServersIn(states(server.world))[0];
  if (real === undefined || names.some((name) => isFiltered(server.world, { node: network.node, address: name })))
    return [];
  const text = `${where} the name server ${names.join(', ')}, which answers nobody; one that does is ${real}`;
  if (lossy.length > 0) return [dhcpSymptom(server, [network], 'unsure', `${text}; ${lostOn(lossy)}`, {})];
  return [dhcpSymptom(server, [network], 'names', text, { offered: [...names], real })];
}

function states(world: World) {
  return [...world.views.values()].map(({ state }) => state);
}

const PACKETS: readonly Packet[] = [
  { network: 'ip', protocol: 'udp', destinationPort: 67, sourcePort: 67 },
  { network: 'ip', protocol: 'udp', destinationPort: 53, sourcePort: 0 },
  { network: 'ip', protocol: 'udp', destinationPort: 0, sourcePort: 53 },
];

/** A filter that may take such packets speaks for itself. Between a node and a host of its own networks there are its own filters only. */
export function isFiltered(world: World, way?: { readonly node: string; readonly address: string }): boolean {
  const own = way && attachedTo(world, way.address)?.node === way.node ? world.views.get(way.node) : undefined;
  return (own === undefined ? states(world) : [own.state]).some(({ filters }) =>
    filters.some((rule) => isDropping(rule) && PACKETS.some((packet) => mayTake(rule, packet))),
  );
}

function maskOf(network: string): string {
  const bits = parsePrefix(network)?.prefixBits ?? 32;
  const value = bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

export function dhcpSymptom(
  server: Server,
  networks: readonly Network[],
  how: string,
  text: string,
  detail: Symptom['detail'],
): Symptom {
  const nodes = [...new Set(networks.map(({ node }) => node))];
  return {
    id: `dhcp:${how}/${server.address}/${networks.map(({ gateway }) => gateway).join(',')}`,
    kind: 'dhcp',
    subject: server.resource,
    text,
    source: [
      ...networks.flatMap(({ looks }) => looks.map(({ source }) => source)),
      ...sourcesOf(server.world, ...nodes),
    ],
    nodes,
    detail: {
      how,
      server: server.address,
      host: server.resource,
      networks: networks.map(({ gateway }) => gateway),
      near: server.near,
      ifname: networks[0]!.ifname,
      ...detail,
    },
  };
}
