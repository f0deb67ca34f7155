// FRR 8.4 configuration of one generated router: IS-IS level 2, OSPF (v2 and v3) or eBGP on every core link, with fast timers that labs
// strip for `timers: default`. Host prefixes are announced for IPv4 only; IPv6 between hosts travels over SRv6.
import { type CoreInterface, HOST_IFNAME, type Network, type Router } from './network.ts';

/** The first lines of each router's configuration. */
export function frrHead(hostname: string): readonly string[] {
  return [
    'frr defaults traditional',
    `hostname ${hostname}`,
    'log file /var/log/frr/frr.log informational',
    'service integrated-vtysh-config',
    // Next-hop objects of FRR 8.4 are sometimes refused by the kernel after a link came back, and their routes stay away for ever.
    'no zebra nexthop kernel enable',
    '!',
  ];
}

export function frrConf(network: Network, router: Router): string {
  return `${[
    ...frrHead(router.name),
    `ipv6 route ${router.locator} blackhole`,
    '!',
    ...interfaceBlock('lo', [`${router.loopback4}/32`], [`${router.loopback6}/128`], passive(network.protocol)),
    ...router.core.flatMap((port) =>
      interfaceBlock(port.ifname, [`${port.address4}/31`], [`${port.address6}/127`], active(network)),
    ),
    ...router.hosts.flatMap((port) =>
      interfaceBlock(
        port.ifname,
        [`${port.routerAddress4}/24`],
        [`${port.routerAddress6}/64`],
        [`description ${port.host} ${HOST_IFNAME}`, ...lan(network.protocol)],
      ),
    ),
    ...ROUTING[network.protocol](network, router),
  ].join('\n')}\n`;
}

export function systemIdOf(router: Router): string {
  return `0000.0000.${String(router.number).padStart(4, '0')}`;
}

/** Daemons beside zebra and staticd, as /etc/frr/daemons lists them. */
export function frrDaemons(network: Network): string {
  const names = { isis: ['isisd'], ospf: ['ospfd', 'ospf6d'], bgp: ['bgpd'] }[network.protocol];
  return [...(network.bfd ? ['bfdd'] : []), ...names].map((name) => `${name}=yes\n`).join('');
}

function interfaceBlock(
  ifname: string,
  addresses4: readonly string[],
  addresses6: readonly string[],
  lines: readonly string[],
): string[] {
  return [
    `interface ${ifname}`,
    ...addresses4.map((address) => ` ip address ${address}`),
    ...addresses6.map((address) => ` ipv6 address ${address}`),
    ...lines.map((line) => ` ${line}`),
    '!',
  ];
}

const passive = (protocol: Network['protocol']): string[] =>
  ({
    isis: ['ip router isis core', 'ipv6 router isis core', 'isis passive'],
    ospf: ['ip ospf area 0', 'ipv6 ospf6 area 0', 'ipv6 ospf6 passive'],
    bgp: [],
  })[protocol];

/** Host ports: only IPv4 is the routing protocol's matter. */
const lan = (protocol: Network['protocol']): string[] =>
  ({ isis: ['ip router isis core', 'isis passive'], ospf: ['ip ospf area 0', 'ip ospf passive'], bgp: [] })[protocol];

function active(network: Network): string[] {
  const isis = [
    ...[
      'ip router isis core',
      'ipv6 router isis core',
      'isis network point-to-point',
      'isis circuit-type level-2-only',
    ],
    ...['isis hello-interval 1', 'isis hello-multiplier 3'],
    ...(network.bfd ? ['isis bfd'] : []),
  ];
  const ospf = [
    ...['ip ospf area 0', 'ip ospf network point-to-point', 'ip ospf hello-interval 1', 'ip ospf dead-interval 4'],
    ...['ipv6 ospf6 area 0', 'ipv6 ospf6 network point-to-point'],
    ...['ipv6 ospf6 hello-interval 1', 'ipv6 ospf6 dead-interval 4'],
  ];
  return { isis, ospf, bgp: [] }[network.protocol];
}

const ROUTING: { readonly [protocol in Network['protocol']]: (network: Network, router: Router) => string[] } = {
  isis: (_network, router) => [
    'router isis core',
    ` net 49.0001.${systemIdOf(router)}.00`,
    ' is-type level-2-only',
    ' metric-style wide',
    ' lsp-gen-interval 1',
    ' spf-interval 1',
    ' redistribute ipv6 static level-2',
    '!',
  ],
  ospf: (_network, router) => [
    'router ospf',
    ` ospf router-id ${router.loopback4}`,
    ' timers throttle spf 0 50 500',
    '!',
    'router ospf6',
    ` ospf6 router-id ${router.loopback4}`,
    ' redistribute static',
    '!',
  ],
  bgp: (network, router) => [
    ...(network.bfd ? BFD_PROFILE : []),
    `router bgp ${router.asn}`,
    ` bgp router-id ${router.loopback4}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' bgp bestpath as-path multipath-relax',
    ' timers bgp 3 9',
    ...router.core.flatMap((port) => [
      ...neighbour(network, port, port.peer.address4),
      ...neighbour(network, port, port.peer.address6),
    ]),
    ' !',
    ' address-family ipv4 unicast',
    ...[
      `${router.loopback4}/32`,
      ...router.core.map((port) => port.prefix4),
      ...router.hosts.map((host) => host.prefix4),
    ].map(announced),
    ...router.core.map((port) => `  neighbor ${port.peer.address4} activate`),
    '  maximum-paths 16',
    ' exit-address-family',
    ' !',
    ' address-family ipv6 unicast',
    ...[`${router.loopback6}/128`, router.locator, ...router.core.map((port) => port.prefix6)].map(announced),
    ...router.core.map((port) => `  neighbor ${port.peer.address6} activate`),
    '  maximum-paths 16',
    ' exit-address-family',
    '!',
  ],
};

const announced = (prefix: string): string => `  network ${prefix}`;

function neighbour(network: Network, port: CoreInterface, address: string): string[] {
  const peer = network.routers.find((router) => router.name === port.peer.node)!;
  return [
    ` neighbor ${address} remote-as ${peer.asn}`,
    ` neighbor ${address} timers connect 1`,
    ...(network.bfd ? [` neighbor ${address} bfd profile core`] : []),
  ];
}

const BFD_PROFILE = ['bfd', ' profile core', '  receive-interval 500', '  transmit-interval 500', ' !', '!'];
