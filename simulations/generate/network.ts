// A network as numbers and names before it is files: routers, hosts, links, and every address that follows from their order. Pure.
import type { LinkEnd } from '#model/names.ts';

export type Protocol = 'isis' | 'ospf' | 'bgp';

/** One end of a core link. */
export type CoreInterface = {
  readonly ifname: string;
  readonly address4: string;
  readonly address6: string;
  readonly prefix4: string;
  readonly prefix6: string;
  readonly peer: LinkEnd & { readonly address4: string; readonly address6: string };
};

export type HostPort = {
  readonly host: string;
  readonly router: string;
  /** The router's interface; the host's is always eth1. */
  readonly ifname: string;
  readonly prefix4: string;
  readonly prefix6: string;
  readonly routerAddress4: string;
  readonly routerAddress6: string;
  readonly hostAddress4: string;
  readonly hostAddress6: string;
  /** What this host offers to all others: names on the first host, pages on the second. */
  readonly service?: 'dns' | 'http';
  /** It gives all hosts their addresses, those of other networks by way of their routers: the second host. */
  readonly dhcp?: true;
};

export type Router = {
  readonly name: string;
  /** From 1; loopbacks, locators, router ids and system ids follow from it. */
  readonly number: number;
  /** 0 without BGP. */
  readonly asn: number;
  readonly loopback4: string;
  readonly loopback6: string;
  readonly locator: string;
  readonly endSid: string;
  readonly decapSid: string;
  readonly core: readonly CoreInterface[];
  readonly hosts: readonly HostPort[];
};

export type CoreLink = { readonly a: LinkEnd; readonly b: LinkEnd };

export type Network = {
  readonly name: string;
  readonly protocol: Protocol;
  readonly bfd: boolean;
  readonly routers: readonly Router[];
  readonly hosts: readonly HostPort[];
  readonly links: readonly CoreLink[];
};

export type NetworkInit = {
  readonly name: string;
  readonly protocol: Protocol;
  readonly bfd?: boolean;
  readonly routers: readonly { readonly name: string; readonly asn?: number; readonly hostCount: number }[];
  /** Pairs of router names; each is one point-to-point link. */
  readonly edges: readonly (readonly [string, string])[];
};

export const HOST_IFNAME = 'eth1';
/** Most hosts: each has a /24 of the benchmarking range's upper half, whose last one holds the loopbacks. */
const MOST_HOSTS = 254;
const MOST_ROUTERS = 254;
const SERVICES = ['dns', 'http'] as const;
const DHCP_HOST = 2;

export function planNetwork(init: NetworkInit): Network {
  if (init.routers.length > MOST_ROUTERS)
    throw new RangeError(`expected at most ${MOST_ROUTERS} routers, got ${init.routers.length}`);
  const numberOf = new Map(init.routers.map((router, index) => [router.name, index + 1]));
  const core = new Map<string, CoreInterface[]>(init.routers.map((router) => [router.name, []]));
  const links = init.edges.map(([a, b], index) => connect(core, a, b, index));
  const hosts: HostPort[] = [];
  for (const router of init.routers)
    for (let index = 0; index < router.hostCount; index++)
      hosts.push(hostPort(router.name, core.get(router.name)!.length + index + 1, hosts.length + 1));
  if (hosts.length > MOST_HOSTS) throw new RangeError(`expected at most ${MOST_HOSTS} hosts, got ${hosts.length}`);
  const routers = init.routers.map((router): Router => {
    const number = numberOf.get(router.name)!;
    const hex = number.toString(16);
    return {
      name: router.name,
      number,
      asn: router.asn ?? 0,
      loopback4: `198.19.255.${number}`,
      loopback6: `fd00:0:0:${hex}::1`,
      locator: `fd00:5a:${hex}::/48`,
      endSid: `fd00:5a:${hex}::e`,
      decapSid: `fd00:5a:${hex}::d6`,
      core: core.get(router.name)!,
      hosts: hosts.filter((host) => host.router === router.name),
    };
  });
  return { name: init.name, protocol: init.protocol, bfd: init.bfd ?? false, routers, hosts, links };
}

function connect(core: Map<string, CoreInterface[]>, a: string, b: string, index: number): CoreLink {
  const endOf = (node: string): LinkEnd => ({ node, ifname: `eth${core.get(node)!.length + 1}` });
  const [endA, endB] = [endOf(a), endOf(b)];
  const address4 = (side: number) => `198.18.${Math.floor(index / 128)}.${(index % 128) * 2 + side}`;
  const address6 = (side: number) => `fd00:1:${(index + 1).toString(16)}::${side === 0 ? '' : side}`;
  const add = (own: LinkEnd, ownSide: number, peer: LinkEnd) =>
    core.get(own.node)!.push({
      ifname: own.ifname,
      address4: address4(ownSide),
      address6: address6(ownSide),
      prefix4: `${address4(0)}/31`,
      prefix6: `${address6(0)}/127`,
      peer: { ...peer, address4: address4(1 - ownSide), address6: address6(1 - ownSide) },
    });
  add(endA, 0, endB);
  add(endB, 1, endA);
  return { a: endA, b: endB };
}

function hostPort(router: string, port: number, number: number): HostPort {
  const hex = number.toString(16);
  return {
    host: `h${number}`,
    router,
    ifname: `eth${port}`,
    prefix4: `198.19.${number}.0/24`,
    prefix6: `fd00:c:${hex}::/64`,
    routerAddress4: `198.19.${number}.1`,
    routerAddress6: `fd00:c:${hex}::1`,
    hostAddress4: `198.19.${number}.10`,
    hostAddress6: `fd00:c:${hex}::10`,
    ...(SERVICES[number - 1] === undefined ? {} : { service: SERVICES[number - 1]! }),
    ...(number === DHCP_HOST ? { dhcp: true as const } : {}),
  };
}
