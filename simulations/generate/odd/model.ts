// A heterogeneous network while it is drawn: routers with lines of FRR configuration and commands, links, hosts. Addresses follow from the
// order in which things are added. Shapes make it, oddities add to it, faults find places in it; write.ts turns it into files. Pure.
import type { LinkEnd } from '#model/names.ts';
import type { Random } from '../../lab/faults/fault.ts';

export type Family = 'ipv4' | 'ipv6' | 'dual';
export type ShapeName =
  | 'ospf-areas'
  | 'bgp-transit'
  | 'isis-levels'
  | 'unnumbered-bgp'
  | 'unnumbered-ospf'
  | 'hub-spoke';

/** What runs over a link to another router. */
export type Adjacency =
  | { readonly kind: 'ospf'; readonly area: string }
  | { readonly kind: 'isis'; readonly level: 'level-1' | 'level-1-2' | 'level-2-only' }
  | { readonly kind: 'bgp'; readonly peerAs: number; readonly neighbors: readonly string[] }
  | { readonly kind: 'static' };

export type Port = {
  readonly ifname: string;
  peer: LinkEnd;
  /** `spare`: a link that carries nothing, such as one that was shut before the agents start. */
  readonly role: 'core' | 'lan' | 'spare';
  /** With their length, as the interface has them; none on an unnumbered link. */
  address4?: string;
  address6?: string;
  adjacency?: Adjacency;
  /** Lines below `interface …` in frr.conf. */
  readonly lines: string[];
};

/** A block of frr.conf such as `router bgp 64500`, with its address families. */
export type Block = {
  readonly head: string;
  readonly lines: string[];
  readonly ipv4: string[];
  readonly ipv6: string[];
};

export type Router = {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly asn?: number;
  readonly loopback4?: string;
  readonly loopback6?: string;
  readonly ports: Port[];
  readonly loopbackLines: string[];
  /** Lines outside of blocks: static routes, prefix lists, route maps. */
  readonly top: string[];
  readonly blocks: Block[];
  readonly daemons: Set<string>;
  /** Run inside the node once it is there. */
  readonly exec: string[];
  /** False: it runs no agent. */
  hasAgent: boolean;
};

export type Host = {
  readonly name: string;
  readonly router: string;
  /** The router's port; the host's is always eth1. */
  readonly port: string;
  readonly prefix4?: string;
  readonly prefix6?: string;
  readonly address4?: string;
  readonly address6?: string;
  readonly gateway4?: string;
  readonly gateway6?: string;
  readonly service?: 'http';
  readonly exec: string[];
  /** It sends nothing and answers nobody: no flow begins or ends there. */
  isAsleep: boolean;
  /** Its LAN has two routers and a virtual one, behind a switch. */
  hasVirtualRouter: boolean;
  /** Behind NAT: it reaches others, and no other host begins a conversation with it. */
  isBehindNat: boolean;
  /** What filters deny of what others send to it. */
  readonly denied: Set<'ping' | 'http'>;
};

export type Link = { readonly a: LinkEnd; b: LinkEnd; mtu: number };

export type Switch = { readonly name: string; readonly ports: readonly string[] };

/** What a host does towards an address of another host. */
export type Flow = {
  readonly from: string;
  readonly to: string;
  readonly address: string;
  readonly kind: 'ping' | 'http';
  /** False: a filter denies it, and it must fail. */
  readonly works: boolean;
};

export type Draft = {
  readonly name: string;
  readonly shape: ShapeName;
  readonly family: Family;
  readonly random: Random;
  readonly routers: Router[];
  readonly hosts: Host[];
  /** Nodes that join their ports and have no address. */
  readonly switches: Switch[];
  readonly links: Link[];
  /** Names of the oddities that it has. */
  readonly oddities: string[];
  /** `host host` pairs, from and to, that policy keeps apart. */
  readonly apart: Set<string>;
  /** More flows than those between hosts, such as one to an anycast address. */
  readonly flows: Flow[];
  /** Agents are told of each other: LLDP shows them not all. */
  isTold: boolean;
  /** Lengths and addresses that more than one node has, on purpose. */
  readonly shared: Set<string>;
};

export const has4 = ({ family }: Pick<Draft, 'family'>): boolean => family !== 'ipv6';
export const has6 = ({ family }: Pick<Draft, 'family'>): boolean => family !== 'ipv4';

export const LINK_MTU = 1_500;

export function newDraft(init: Pick<Draft, 'name' | 'shape' | 'family' | 'random'>): Draft {
  return {
    ...init,
    ...{ routers: [], hosts: [], switches: [], links: [], oddities: [], flows: [], isTold: false },
    ...{ apart: new Set<string>(), shared: new Set<string>() },
  };
}

export function addRouter(draft: Draft, name: string, asn?: number): Router {
  const number = draft.routers.length + 1;
  const router: Router = {
    ...{ name, number, hasAgent: true },
    ...(asn === undefined ? {} : { asn }),
    ...(has4(draft) ? { loopback4: `192.0.2.${number}` } : {}),
    ...(has6(draft) ? { loopback6: `2001:db8:ffff::${number.toString(16)}` } : {}),
    ...{ ports: [], loopbackLines: [], top: [], blocks: [], exec: [], daemons: new Set<string>() },
  };
  draft.routers.push(router);
  return router;
}

/** A link between two routers; `unnumbered` ones get no addresses. The ports come in the order of the routers. */
export function connect(
  draft: Draft,
  a: Router,
  b: Router,
  options: { readonly unnumbered?: boolean; readonly role?: Port['role'] } = {},
): readonly [Port, Port] {
  const index = draft.links.length;
  const endOf = (router: Router): LinkEnd => ({ node: router.name, ifname: `eth${router.ports.length + 1}` });
  const [endA, endB] = [endOf(a), endOf(b)];
  const portOf = (own: LinkEnd, peer: LinkEnd, side: 0 | 1): Port => ({
    ...{ ifname: own.ifname, peer, role: options.role ?? 'core', lines: [`description ${peer.node} ${peer.ifname}`] },
    ...(options.unnumbered || !has4(draft) ? {} : { address4: `198.18.${index >> 7}.${(index & 127) * 2 + side}/31` }),
    ...(options.unnumbered || !has6(draft)
      ? {}
      : { address6: `fd00:1:${(index + 1).toString(16)}::${side === 0 ? '' : side}/127` }),
  });
  const [portA, portB] = [portOf(endA, endB, 0), portOf(endB, endA, 1)];
  a.ports.push(portA);
  b.ports.push(portB);
  draft.links.push({ a: endA, b: endB, mtu: LINK_MTU });
  return [portA, portB];
}

export type HostInit = {
  readonly service?: 'http' | undefined;
  /** The LAN's first three numbers and a multiple of its size, and its length; 198.19.N.0/24 unless given. */
  readonly lan4?: { readonly base: string; readonly length: number } | undefined;
  readonly behindNat?: boolean;
};

/** A host on a LAN of its own behind `router`. */
export function addHost(
  draft: Draft,
  router: Router,
  init: HostInit = {},
): { readonly host: Host; readonly port: Port } {
  const number = draft.hosts.length + 1;
  const name = `h${number}`;
  const ifname = `eth${router.ports.length + 1}`;
  const { base, length } = init.lan4 ?? { base: `198.19.${number}.0`, length: 24 };
  const at4 = (offset: number) => base.replace(/\d+$/, (last) => String(Number(last) + offset));
  const at6 = (last: string) => `2001:db8:${number.toString(16)}::${last}`;
  const v4 = has4(draft) ? { prefix4: `${base}/${length}`, address4: at4(10), gateway4: at4(1) } : {};
  const v6 =
    has6(draft) && !init.behindNat ? { prefix6: `${at6('')}/64`, address6: at6('10'), gateway6: at6('1') } : {};
  const host: Host = {
    ...{ name, router: router.name, port: ifname, ...v4, ...v6, exec: [], denied: new Set<'ping' | 'http'>() },
    ...{ isAsleep: false, hasVirtualRouter: false, isBehindNat: init.behindNat ?? false },
    ...(init.service === undefined ? {} : { service: init.service }),
  };
  const port: Port = {
    ...{ ifname, peer: { node: name, ifname: 'eth1' }, role: 'lan', lines: [`description ${name} eth1`] },
    ...(v4.gateway4 === undefined ? {} : { address4: `${v4.gateway4}/${length}` }),
    ...(v6.gateway6 === undefined ? {} : { address6: `${v6.gateway6}/64` }),
  };
  router.ports.push(port);
  draft.hosts.push(host);
  draft.links.push({ a: { node: router.name, ifname }, b: { node: name, ifname: 'eth1' }, mtu: LINK_MTU });
  return { host, port };
}

/** The block with that head, made when it is not there yet. */
export function blockOf(router: Router, head: string): Block {
  const known = router.blocks.find((block) => block.head === head);
  if (known !== undefined) return known;
  const made: Block = { head, lines: [], ipv4: [], ipv6: [] };
  router.blocks.push(made);
  return made;
}

export const bgpOf = (router: Router): Block | undefined =>
  router.blocks.find(({ head }) => head.startsWith('router bgp'));

export function routerNamed(draft: Pick<Draft, 'routers'>, name: string): Router {
  return draft.routers.find((router) => router.name === name)!;
}

export function portNamed(router: Router, ifname: string): Port {
  return router.ports.find((port) => port.ifname === ifname)!;
}

/** `198.18.0.1/31` without its length. */
export const bare = (address: string): string => address.split('/')[0]!;

/** The address of the other end of a core link; nothing where it has none of that family. */
export function peerAddress(draft: Pick<Draft, 'routers'>, port: Port, family: 4 | 6): string | undefined {
  const other = draft.routers
    .find(({ name }) => name === port.peer.node)
    ?.ports.find(({ ifname }) => ifname === port.peer.ifname);
  const address = family === 4 ? other?.address4 : other?.address6;
  return address === undefined ? undefined : bare(address);
}

export const corePorts = (router: Router): readonly Port[] => router.ports.filter(({ role }) => role === 'core');
export const lanPorts = (router: Router): readonly Port[] => router.ports.filter(({ role }) => role === 'lan');

export const linkText = ({ a, b }: Pick<Link, 'a' | 'b'>): string => `${a.node}:${a.ifname}--${b.node}:${b.ifname}`;

/** A whole number from `low` to `high`, both among them. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random.next() * (high - low + 1));
}

/** Some of `values`, in a random order. */
export function sample<T>(random: Random, values: readonly T[], count: number): T[] {
  const left = [...values];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0)
    taken.push(...left.splice(Math.floor(random.next() * left.length), 1));
  return taken;
}
