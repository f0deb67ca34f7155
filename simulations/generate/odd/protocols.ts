// Lines of FRR configuration that several shapes need: OSPF and IS-IS on a link or a LAN, BGP sessions. Timers are fast, as labs have them.
import {
  type Adjacency,
  type Block,
  bare,
  blockOf,
  type Draft,
  has4,
  has6,
  type Port,
  peerAddress,
  type Router,
} from './model.ts';

export const routerId = ({ number }: Pick<Router, 'number'>): string => `192.0.2.${number}`;

export function startOspf(draft: Draft, router: Router): void {
  if (has4(draft)) {
    router.daemons.add('ospfd');
    blockOf(router, 'router ospf').lines.push(`ospf router-id ${routerId(router)}`, 'timers throttle spf 0 50 500');
  }
  if (!has6(draft)) return;
  router.daemons.add('ospf6d');
  blockOf(router, 'router ospf6').lines.push(`ospf6 router-id ${routerId(router)}`, 'timers throttle spf 0 50 500');
}

/** Lines for both families, below `router ospf` and `router ospf6`. */
export function ospfLine(draft: Draft, router: Router, line: string): void {
  if (has4(draft)) blockOf(router, 'router ospf').lines.push(line);
  if (has6(draft)) blockOf(router, 'router ospf6').lines.push(line);
}

const forOspf = (draft: Draft, line: string): string[] => [
  ...(has4(draft) ? [`ip ospf ${line}`] : []),
  ...(has6(draft) ? [`ipv6 ospf6 ${line}`] : []),
];

/** An adjacency on both ends of a link. */
export function ospfLink(draft: Draft, ports: readonly Port[], area: string, cost = 10): void {
  for (const port of ports) {
    port.adjacency = { kind: 'ospf', area };
    for (const line of [
      `area ${area}`,
      `cost ${cost}`,
      'network point-to-point',
      'hello-interval 1',
      'dead-interval 4',
    ])
      port.lines.push(...forOspf(draft, line));
  }
}

/** A network that is announced and has no neighbour, or (without a port) the loopback. */
export function ospfPassive(draft: Draft, lines: string[], area: string): void {
  lines.push(...forOspf(draft, `area ${area}`), ...forOspf(draft, 'passive'));
}

export type Level = Extract<Adjacency, { kind: 'isis' }>['level'];

export function startIsis(router: Router, area: string, type: Level): void {
  router.daemons.add('isisd');
  const systemId = `0000.0000.${String(router.number).padStart(4, '0')}`;
  blockOf(router, 'router isis core').lines.push(
    ...[`net ${area}.${systemId}.00`, `is-type ${type}`, 'metric-style wide', 'lsp-gen-interval 1', 'spf-interval 1'],
  );
}

const onIsis = (draft: Draft): string[] => [
  ...(has4(draft) ? ['ip router isis core'] : []),
  ...(has6(draft) ? ['ipv6 router isis core'] : []),
];

export function isisLink(draft: Draft, port: Port, level: Level, metric = 10): void {
  port.adjacency = { kind: 'isis', level };
  port.lines.push(
    ...onIsis(draft),
    ...['isis network point-to-point', `isis circuit-type ${level}`, 'isis hello-interval 1'],
    ...['isis hello-multiplier 3', `isis metric ${metric}`],
  );
}

export function isisPassive(draft: Draft, lines: string[]): void {
  lines.push(...onIsis(draft), 'isis passive');
}

export function startBgp(router: Router): Block {
  router.daemons.add('bgpd');
  const block = blockOf(router, `router bgp ${router.asn}`);
  block.lines.push(
    ...[`bgp router-id ${routerId(router)}`, 'no bgp ebgp-requires-policy', 'no bgp default ipv4-unicast'],
    ...['no bgp network import-check', 'timers bgp 1 3'],
  );
  return block;
}

/** Lines of one session; `inFamily` go below its address family, with the neighbour before them. */
export function bgpNeighbor(
  block: Block,
  neighbor: string,
  family: 4 | 6,
  lines: readonly string[],
  inFamily: readonly string[] = [],
): void {
  block.lines.push(
    ...[...lines, 'timers 1 3', 'timers connect 2', 'advertisement-interval 0'].map(
      (line) => `neighbor ${neighbor} ${line}`,
    ),
  );
  const into = family === 4 ? block.ipv4 : block.ipv6;
  into.push(...['activate', ...inFamily].map((line) => `neighbor ${neighbor} ${line}`));
}

/** Route maps of each direction that a session has, by name. */
export type Policy = { readonly in?: string; readonly out?: string };

/** The session from `router` over `port`, in each family that the link has. */
export function ebgpOver(draft: Draft, router: Router, port: Port, peer: Router, policy: Policy = {}): void {
  const block = startedBgp(router);
  const maps = (family: 4 | 6) => [
    ...(policy.in === undefined ? [] : [`route-map ${policy.in}-${family} in`]),
    ...(policy.out === undefined ? [] : [`route-map ${policy.out}-${family} out`]),
  ];
  const neighbors: string[] = [];
  for (const family of [4, 6] as const) {
    const address = peerAddress(draft, port, family);
    if (address === undefined) continue;
    neighbors.push(address);
    bgpNeighbor(block, address, family, [`remote-as ${peer.asn}`], maps(family));
  }
  port.adjacency = { kind: 'bgp', peerAs: peer.asn!, neighbors };
}

export function startedBgp(router: Router): Block {
  return router.blocks.find(({ head }) => head.startsWith('router bgp')) ?? startBgp(router);
}

/** `network` statements for prefixes of either family. */
export function announce(router: Router, prefixes: readonly (string | undefined)[]): void {
  const block = startedBgp(router);
  for (const prefix of prefixes)
    if (prefix !== undefined) (prefix.includes(':') ? block.ipv6 : block.ipv4).push(`network ${prefix}`);
}

export const loopbacksOf = (router: Router): string[] => [
  ...(router.loopback4 === undefined ? [] : [`${router.loopback4}/32`]),
  ...(router.loopback6 === undefined ? [] : [`${router.loopback6}/128`]),
];

/** `ip route` or `ipv6 route`, as the prefix wants it. */
export const staticRoute = (prefix: string, via: string, distance?: number): string =>
  `${prefix.includes(':') ? 'ipv6' : 'ip'} route ${prefix} ${bare(via)}${distance === undefined ? '' : ` ${distance}`}`;
