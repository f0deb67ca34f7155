// Packet filters that an operator left behind. Tables and chains have the names that administrators give them.

import { z } from 'zod';
import type { FaultId } from '#correlate/faults/registry.ts';
import type { HostPort, Network } from '../../generate/network.ts';
import { SERVICE_CHECKS } from '../services.ts';
import {
  address,
  defineFault,
  type FaultStep,
  ifname,
  linkEnd,
  locationOf,
  mtuShows,
  nodeName,
  prefix,
  type Random,
  type Symptom,
  shareOf,
  truthAtInterface,
  truthAtNode,
} from './fault.ts';
import { randomEdge, randomLink, randomPort, randomRouter } from './places.ts';

type Hook = 'input' | 'output' | 'forward';

/** One inet table with a chain per hook, each with the same counted rules. */
function filter(node: string, hooks: readonly Hook[], rules: readonly string[]): FaultStep[] {
  const commands = hooks.flatMap((hook) => [
    `add chain inet filter ${hook} { type filter hook ${hook} priority 0; }`,
    ...rules.map((rule) => `add rule inet filter ${hook} ${rule}`),
  ]);
  return [
    {
      where: 'node',
      node,
      exec: [`nft '${['add table inet filter', ...commands].join('; ')}'`],
      undo: ['nft delete table inet filter'],
    },
  ];
}

const counts = (node: string): Symptom => ({
  where: 'network',
  node,
  script: "nft list table inet filter | grep -Eq 'packets [1-9]'",
});
const onNode = z.strictObject({ node: nodeName });
/** From which host a fault is seen, and towards which address; without it nobody looks. */
const seenFrom = z.strictObject({ host: nodeName, address }).optional();
type SeenFrom = z.infer<typeof seenFrom>;

/** What `host` tries towards the address does not come back. */
const unseen = (seen: SeenFrom, tries: (address: string) => string): Symptom[] =>
  seen === undefined ? [] : [{ where: 'network', node: seen.host, script: `! ${tries(seen.address)}` }];
const echo = (to: string): string => `ping -q -c 1 -W 0.5 ${to} > /dev/null`;

/** A host behind `router`, and the address of another; of the other way round where `target` is behind the router itself. */
function acrossFrom(network: Network, router: string, target: HostPort): SeenFrom {
  const near = network.hosts.find((host) => (host.router === router) !== (target.router === router));
  return near && { host: near.host, address: target.hostAddress4 };
}
const anyRouter = (network: Network, random: Random) => ({ node: randomRouter(network, random).name });

/** UDP that nobody listens to, with a segment routing header whose only segment is its destination (RFC 8754 §2). */
const srv6Packets = (to: string): string =>
  `perl -MSocket=:DEFAULT,inet_pton -e 'my $to = inet_pton(AF_INET6, "${to}"); socket(my $s, AF_INET6, SOCK_DGRAM, 17) or die; setsockopt($s, 41, 57, pack("C6n", 0, 2, 4, 0, 0, 0, 0) . $to) or die; send($s, "x", 0, pack_sockaddr_in6(9, $to)) for 1 .. 100'`;

export const aclMisconfig = defineFault({
  id: 'acl_misconfig',
  description: 'an egress ACL of a node drops a share of its SRv6 packets',
  parameters: z.strictObject({
    node: nodeName,
    interface: ifname,
    acl: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected a chain name')
      .default('acl-2001'),
    percent: z.number().positive().max(100),
    /** Of the neighbour over that interface: packets with a routing header are sent there to see the fault. */
    towards: address.optional(),
  }),
  steps: ({ node, interface: port, acl, percent }) => [
    {
      where: 'node',
      node,
      exec: [
        `nft 'add table ip6 filter; add chain ip6 filter ${acl}; add rule ip6 filter ${acl} oifname ${port} exthdr rt exists ${shareOf(percent)}counter drop; add chain ip6 filter postrouting { type filter hook postrouting priority 0; policy accept; }; add rule ip6 filter postrouting jump ${acl}'`,
      ],
      undo: ['nft delete table ip6 filter'],
    },
  ],
  truth: ({ node }) => truthAtNode('acl_misconfig', node),
  symptoms: ({ node, acl, towards }) =>
    towards === undefined
      ? []
      : [
          {
            where: 'network',
            node,
            script: `${srv6Packets(towards)}; nft list chain ip6 filter ${acl} | grep -Eq 'packets [1-9]'`,
          },
        ],
  place: (network, random) => {
    const { router, port } = randomPort(network, random);
    return {
      node: router.name,
      interface: port.ifname,
      towards: port.peer.address6,
      acl: random.pick(['acl-2001', 'acl-3000', 'edge-out', 'policy-7']),
      percent: random.pick([5, 10, 30, 100]),
    };
  },
});

export const prefixFiltered = defineFault({
  id: 'acl_blocks_prefix',
  description: 'a filter of a router drops what it should forward to a prefix',
  parameters: z.strictObject({ node: nodeName, prefix, seen: seenFrom }),
  steps: ({ node, prefix: network }) =>
    filter(node, ['forward'], [`${network.includes(':') ? 'ip6' : 'ip'} daddr ${network} counter drop`]),
  truth: ({ node }) => truthAtNode('acl_misconfig', node),
  symptoms: ({ node, seen }) => [...unseen(seen, echo), ...(seen === undefined ? [] : [counts(node)])],
  place: (network, random) => {
    const { router, host } = randomEdge(network, random);
    const others = network.hosts.filter((entry) => entry.router !== router.name);
    const target = random.pick([host, ...others]);
    return { node: router.name, prefix: target.prefix4, seen: acrossFrom(network, router.name, target) };
  },
});

export const bgpBlocked = defineFault({
  id: 'bgp_acl_block',
  description: 'a filter of a router drops BGP',
  parameters: onNode,
  steps: ({ node }) => filter(node, ['input', 'output'], ['tcp dport 179 counter drop', 'tcp sport 179 counter drop']),
  truth: ({ node }) => truthAtNode('bgp_acl_block', node),
  symptoms: ({ node }) => [
    counts(node),
    { where: 'node', node, script: '! vtysh -c \'show bgp summary json\' | grep -q \'"state":"Established"\'' },
  ],
  place: (network, random) => (network.protocol === 'bgp' ? anyRouter(network, random) : undefined),
});

export const ospfBlocked = defineFault({
  id: 'ospf_acl_block',
  description: 'a filter of a router drops OSPF',
  parameters: onNode,
  steps: ({ node }) =>
    filter(node, ['input', 'output'], ['ip protocol 89 counter drop', 'ip6 nexthdr 89 counter drop']),
  truth: ({ node }) => truthAtNode('ospf_acl_block', node),
  symptoms: ({ node }) => [
    counts(node),
    { where: 'node', node, script: "! vtysh -c 'show ip ospf neighbor' | grep -q Full" },
  ],
  place: (network, random) => (network.protocol === 'ospf' ? anyRouter(network, random) : undefined),
});

export const isisBlocked = defineFault({
  id: 'isis_acl_block',
  description: 'a filter of a router drops the IS-IS packets that it sends over one interface',
  parameters: z.strictObject({ node: nodeName, interface: ifname }),
  steps: ({ node, interface: port }) => [
    {
      where: 'node',
      node,
      exec: [
        `nft 'add table netdev filter; add chain netdev filter out { type filter hook egress device ${port} priority 0; }; add rule netdev filter out @ll,112,16 0xfefe counter drop'`,
      ],
      undo: ['nft delete table netdev filter'],
    },
  ],
  truth: ({ node }) => truthAtNode('isis_acl_block', node),
  symptoms: ({ node }) => [
    { where: 'network', node, script: "nft list table netdev filter | grep -Eq 'packets [1-9]'" },
  ],
  place: (network, random) => {
    if (network.protocol !== 'isis') return undefined;
    const { router, port } = randomPort(network, random);
    return { node: router.name, interface: port.ifname };
  },
});

export const bfdBlocked = defineFault({
  id: 'bfd_acl_block',
  description: 'a filter of a router drops the BFD packets that reach it',
  parameters: onNode,
  steps: ({ node }) => filter(node, ['input'], ['udp dport 3784 counter drop']),
  truth: ({ node }) => truthAtNode('bfd_acl_block', node),
  symptoms: ({ node }) => [
    counts(node),
    { where: 'node', node, script: "vtysh -c 'show bfd peers brief' | grep -q ' down'" },
  ],
  place: (network, random) => (network.bfd ? anyRouter(network, random) : undefined),
});

export const icmpBlocked = defineFault({
  id: 'icmp_acl_block',
  description: 'a filter of a router drops all ICMP',
  parameters: onNode.extend({ seen: seenFrom }),
  steps: ({ node }) => filter(node, ['input', 'output', 'forward'], ['ip protocol icmp counter drop']),
  truth: ({ node }) => truthAtNode('icmp_acl_block', node),
  symptoms: ({ node, seen }) => [...unseen(seen, echo), ...(seen === undefined ? [] : [counts(node)])],
  place: (network, random) => {
    const { router, host } = randomEdge(network, random);
    return { node: router.name, seen: { host: host.host, address: host.routerAddress4 } };
  },
});

const servicePort = (id: FaultId, service: 'dns' | 'http', what: string, rule: string) =>
  defineFault({
    id,
    description: `a filter of a router drops ${what} that it should forward`,
    parameters: onNode.extend({ seen: seenFrom }),
    steps: ({ node }) => filter(node, ['forward'], [rule]),
    truth: ({ node }) => truthAtNode(id, node),
    symptoms: ({ node, seen }) => [
      ...unseen(seen, SERVICE_CHECKS[service]),
      ...(seen === undefined ? [] : [counts(node)]),
    ],
    place: (network, random) => {
      const node = randomEdge(network, random).router.name;
      const server = network.hosts.find((host) => host.service === service);
      return { node, seen: server && acrossFrom(network, node, server) };
    },
  });

export const httpBlocked = servicePort('http_acl_block', 'http', 'HTTP', 'tcp dport 80 counter drop');
export const dnsBlocked = servicePort(
  'dns_port_blocked',
  'dns',
  'DNS',
  'meta l4proto { tcp, udp } th dport 53 counter drop',
);

export const arpBlocked = defineFault({
  id: 'arp_acl_block',
  description: 'a filter of a router drops ARP',
  parameters: onNode.extend({ neighbor: address }),
  steps: ({ node }) => [
    {
      where: 'node',
      node,
      exec: [
        "nft 'add table arp filter; add chain arp filter input { type filter hook input priority 0; }; add rule arp filter input counter drop'",
        'ip -4 neigh flush all',
      ],
      undo: ['nft delete table arp filter'],
    },
  ],
  truth: ({ node }) => truthAtNode('arp_acl_block', node),
  symptoms: ({ node, neighbor }) => [{ where: 'network', node, script: `! ping -c 1 -W 0.3 ${neighbor} > /dev/null` }],
  place: (network, random) => {
    const { router, port } = randomPort(network, random);
    return { node: router.name, neighbor: port.peer.address4 };
  },
});

export const fragNeededBlocked = defineFault({
  id: 'icmp_frag_needed_filter_misconfiguration',
  description: 'a link has a small MTU and its router filters the messages that would say so',
  parameters: z.strictObject({
    at: linkEnd,
    mtu: z.int().min(1_280).max(1_480).default(1_400),
    was: z.int().default(9_000),
  }),
  steps: ({ at, mtu, was }) => {
    const { device: node, interface: port } = locationOf(at);
    return [
      { where: 'node', node, exec: [`ip link set ${port} mtu ${mtu}`], undo: [`ip link set ${port} mtu ${was}`] },
      ...filter(
        node,
        ['output'],
        [
          'icmp type destination-unreachable icmp code frag-needed counter drop',
          'icmpv6 type packet-too-big counter drop',
        ],
      ),
    ];
  },
  truth: ({ at }) => {
    const filtered = truthAtNode('icmp_frag_needed_filter_misconfiguration', locationOf(at).device);
    return { pairs: [...filtered.pairs, ...truthAtInterface('mtu_mismatch', at).pairs], locations: [] };
  },
  /** That its messages are missed shows only to a long packet that has to cross this very link. */
  symptoms: ({ at, mtu }) => [mtuShows(at, mtu)],
  place: (network, random) => ({ at: randomLink(network, random).from }),
});

export const spoilsWhatPasses = defineFault({
  id: 'device_forwarding_packet_corruption',
  description: 'a router spoils a share of the TCP and UDP packets that it forwards, and none of its own',
  parameters: onNode.extend({
    percent: z.number().positive().max(100),
    seen: seenFrom,
    /** The host with that address. */
    receiver: nodeName.optional(),
  }),
  steps: ({ node, percent }) =>
    filter(
      node,
      ['forward'],
      [
        `meta l4proto tcp ${shareOf(percent)}counter tcp checksum set 0xdead`,
        `meta l4proto udp ${shareOf(percent)}counter udp checksum set 0xdead`,
      ],
    ),
  truth: ({ node }) => truthAtNode('device_forwarding_packet_corruption', node),
  symptoms: ({ seen, receiver }) =>
    seen === undefined || receiver === undefined ? [] : [datagrams(seen.host, seen.address), spoiledUdp(receiver)],
  place: (network, random) => {
    const { router, host } = randomEdge(network, random);
    const to = network.hosts.find((entry) => entry.router !== router.name);
    const seen = to && { host: host.host, address: to.hostAddress4 };
    return { node: router.name, percent: random.pick([5, 20]), seen, receiver: to?.host };
  },
});

/** UDP that nobody listens to. Shows nothing by itself. */
const datagrams = (from: string, to: string): Symptom => ({
  where: 'network',
  node: from,
  script: `for flow in $(seq 200); do echo > /dev/udp/${to}/$((40000 + flow)); done 2> /dev/null; true`,
});

/** A host has received UDP whose checksum is wrong. */
const spoiledUdp = (node: string): Symptom => ({
  where: 'network',
  node,
  script: `awk '$1 == "Udp:" && !at { for (n = 2; n <= NF; n++) if ($n == "InCsumErrors") at = n; next } $1 == "Udp:" { print $at }' /proc/net/snmp`,
  rises: 1,
});

/** No fault: a filter that does its job, with a counter that grows. */
export const filterAtWork = defineFault({
  id: 'filter_at_work',
  description: 'a filter drops packets that no node should send, and one does send them',
  parameters: onNode,
  steps: ({ node }) => [
    ...filter(node, ['forward', 'input'], ['tcp dport 23 counter drop', 'udp dport 161 counter drop']),
    {
      where: 'beside',
      node,
      argv: [
        'bash',
        '-c',
        'while :; do (exec 3<> /dev/tcp/127.0.0.1/23) 2> /dev/null & sleep 0.3; kill $! 2> /dev/null; done',
      ],
    },
  ],
  place: anyRouter,
});
