// DHCP servers as routers find them: each with the networks that it was asked for addresses of, and all exchanges about each. What the
// faults of a server share: how it is named, and who mends it.
import type { JsonObject } from '#base/json.ts';
import type { Remedy } from '#model/finding.ts';
import { nodeResource, type ResourceId } from '#model/names.ts';
import type { DhcpOffer } from '#model/router/dhcp.ts';
import type { Fact } from '../../engine/facts.ts';
import type { Detection } from '../../engine/fault-definition.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { attachedTo, called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { type DhcpSeen, ownerOf, sourcesOf, type World } from '../../network/world.ts';
import { lossesOnTheWay } from '../../packet-filter/lossy-paths.ts';
import { linkLabel } from '../../symptoms/links/on-link.ts';

/** Of one server and one network: all exchanges, in their order. */
export type ServedNetwork = {
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
  readonly networks: readonly ServedNetwork[];
};

export type ServerDetail = {
  readonly server: string;
  readonly host: string;
  readonly label: string;
  readonly near: string;
  /** Gateways of the networks in question, and the port that leads to the first. */
  readonly networks: readonly string[];
  readonly node: string;
  readonly ifname: string;
};

export function serversIn(world: World): readonly Server[] {
  return [...new Set(world.dhcp.map(({ server }) => server))].flatMap((address) => serverAt(world, address) ?? []);
}

function serverAt(world: World, address: string): Server | undefined {
  const direct = world.dhcp.filter(({ server, link }) => server === address && link === undefined);
  const groups = Map.groupBy(direct, ({ from, gateway }) => `${from} ${gateway}`);
  const networks = [...groups.values()].map((looks): ServedNetwork => {
    const { from: node, ifname, gateway } = looks.at(-1)!;
    return { node, ifname, gateway, looks };
  });
  const base = { world, address, networks };
  const owner = ownerOf(world, address);
  if (owner !== undefined)
    return { ...base, near: owner.node, resource: nodeResource(owner.node), label: nodeRef(owner.node) };
  const host = attachedTo(world, address);
  const view = host === undefined ? undefined : world.views.get(host.node);
  if (host === undefined || view === undefined) return undefined;
  const { node: resource, label } = called(world, view, host.ifname, address);
  return { ...base, near: host.node, resource, label };
}

export function isServed({ looks }: ServedNetwork): boolean {
  return looks.some(({ offers }) => offers.length > 0);
}

/** Nothing came although everything else did: the last exchange waited long, and each echo beside it came back. */
export function isSilent({ looks }: ServedNetwork): boolean {
  const last = looks.at(-1);
  return looks.length > 1 && last !== undefined && !last.refused && last.echoed === last.sent;
}

/** One offer, with the networks of the port that it is for. */
export type OfferSeen = {
  readonly server: Server;
  readonly network: ServedNetwork;
  readonly look: DhcpSeen;
  readonly offer: DhcpOffer;
  /** The router's own address that is the gateway, and all of that port. */
  readonly own: string;
  readonly addresses: readonly string[];
};

export function offersIn(world: World): readonly OfferSeen[] {
  return serversIn(world).flatMap((server) =>
    server.networks.flatMap((network) => {
      const { interfaces = [] } = world.views.get(network.node)?.state.inventory ?? {};
      const addresses = interfaces.find(({ name }) => name === network.ifname)?.addresses ?? [];
      const own = addresses.find((address) => address.split('/')[0] === network.gateway);
      if (own === undefined) return [];
      return network.looks.flatMap((look) =>
        look.offers.map((offer) => ({ server, network, look, offer, own, addresses })),
      );
    }),
  );
}

export function serverDetection<More extends JsonObject>(
  { world, address, resource, label, near }: Server,
  networks: readonly ServedNetwork[],
  more: More,
): Detection<ServerDetail & More> {
  const nodes = [...new Set(networks.map(({ node }) => node))];
  const gateways = networks.map(({ gateway }) => gateway);
  const [{ node, ifname }] = networks as readonly [ServedNetwork];
  return {
    resource,
    key: `${address} ${gateways.join(',')}`,
    confidence: 'certain',
    evidence: [...networks.flatMap(({ looks }) => looks.map(({ source }) => source)), ...sourcesOf(world, ...nodes)],
    nodes,
    detail: { server: address, host: resource, label, near, networks: gateways, node, ifname, ...more },
  };
}

/** `h3 offers hosts of {r1} eth3`. */
export function offering({ label, node, ifname }: ServerDetail): string {
  return `${label} offers hosts of ${nodeRef(node)} ${ifname}`;
}

export function serverRemedy(what: string, { near }: ServerDetail, text: string): Remedy {
  return { node: near, summary: `${what}: ${text}` };
}

/** Why silence proves nothing: links on which packets from the node to one of the addresses, or back, are lost. */
export function lossOnTheWay(
  world: World,
  facts: readonly Fact[],
  node: string,
  addresses: readonly string[],
): string | undefined {
  const links = [...new Set(addresses.flatMap((to) => lossesOnTheWay(world, facts, node, to).map(linkLabel)))];
  return links.length === 0 ? undefined : `packets are lost on the way to it, on ${links.join(' and ')}`;
}

/** The symptom is of a host of the same port as the offer. */
export function isOfItsHosts(symptom: Symptom<{ ifname: string }>, nodes: readonly string[], ifname: string): boolean {
  return symptom.nodes.some((node) => nodes.includes(node)) && symptom.detail.ifname === ifname;
}
