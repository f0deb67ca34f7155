// BGP sessions that cannot come up, and routes that should not, or no longer, be announced.
import { z } from 'zod';
import {
  address,
  asNumber,
  configure,
  defineFault,
  ifname,
  interfaceId,
  nodeId,
  nodeName,
  prefix,
  truthAtNode,
} from './fault.ts';
import { randomEdge, randomPort, randomRouter, routerNamed } from './places.ts';

const WRONG_AS = 65_222;
const session = (node: string, neighbour: string) => ({
  where: 'node' as const,
  node,
  script: `! vtysh -c 'show bgp neighbors ${neighbour}' | grep -q 'BGP state = Established'`,
});

export const ownAs = defineFault({
  id: 'bgp_asn_misconfig',
  description: 'a router runs under a wrong autonomous system number of its own',
  parameters: z.strictObject({ node: nodeName, was: asNumber, asn: asNumber.default(WRONG_AS) }),
  steps: ({ node, was, asn }) => [{ where: 'node', node, exec: [renumbered(was, asn)], undo: [renumbered(asn, was)] }],
  truth: ({ node }) => truthAtNode('bgp_asn_misconfig', node),
  symptoms: ({ node, asn }) => [
    { where: 'node', node, script: `vtysh -c 'show running-config' | grep -q '^router bgp ${asn}$'` },
    { where: 'node', node, script: '! vtysh -c \'show bgp summary json\' | grep -q \'"state":"Established"\'' },
  ],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const router = randomRouter(network, random);
    return { node: router.name, was: router.asn };
  },
});

/** Takes the whole BGP block and enters it again under another number. */
function renumbered(from: number, to: number): string {
  return [
    `block=$(vtysh -c 'show running-config' | sed -n '/^router bgp ${from}$/,/^exit$/p')`,
    `vtysh -c 'configure terminal' -c 'no router bgp ${from}'`,
    `printf '%s\\n' "$block" | sed 's/^router bgp ${from}$/router bgp ${to}/' | vtysh -f /proc/self/fd/0 > /dev/null`,
  ].join('\n');
}

export const neighbourAs = defineFault({
  id: 'bgp_neighbor_misconfig',
  description: 'a router expects a wrong autonomous system number of one neighbour',
  parameters: z.strictObject({
    node: nodeName,
    interface: ifname,
    /** All addresses of the neighbour over this link. */
    neighbors: z.array(address).min(1),
    was: asNumber,
    asn: asNumber.default(65_099),
  }),
  steps: ({ node, neighbors, was, asn }) => {
    const lines = (number: number) => neighbors.map((neighbour) => `neighbor ${neighbour} remote-as ${number}`);
    return [{ where: 'node', node, exec: [inBgp(...lines(asn))], undo: [inBgp(...lines(was))] }];
  },
  truth: ({ node, interface: port }) => ({
    pairs: [{ resource: interfaceId(`${node}:${port}`), fault: 'bgp_neighbor_misconfig' }],
    locations: [{ device: node, interface: port }],
  }),
  symptoms: ({ node, neighbors }) => neighbors.map((neighbour) => session(node, neighbour)),
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, port } = randomPort(network, random);
    return {
      node: router.name,
      interface: port.ifname,
      neighbors: [port.peer.address4, port.peer.address6],
      was: routerNamed(network, port.peer.node).asn,
    };
  },
});

/** `router bgp` alone names the one process of a node, whatever its number is. */
const inBgp = (...lines: readonly string[]): string => configure('router bgp', ...lines);

export const missingRoute = defineFault({
  id: 'bgp_missing_route_advertisement',
  description: 'a router no longer announces a prefix of its own: the network statement is missing',
  parameters: z.strictObject({ node: nodeName, prefix }),
  steps: ({ node, prefix: network }) => {
    const family = `address-family ${network.includes(':') ? 'ipv6' : 'ipv4'} unicast`;
    return [
      {
        where: 'node',
        node,
        exec: [inBgp(family, `no network ${network}`)],
        undo: [inBgp(family, `network ${network}`)],
      },
    ];
  },
  truth: ({ node }) => truthAtNode('bgp_missing_route_advertisement', node),
  symptoms: ({ node, prefix: network }) => [
    { where: 'node', node, script: `! vtysh -c 'show running-config' | grep -q '  network ${network}$'` },
  ],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, host } = randomEdge(network, random);
    return { node: router.name, prefix: host.prefix4 };
  },
});

export const routePolicy = defineFault({
  id: 'route_policy_misconfig',
  description: 'a route map on the way out withholds a prefix of its own from every neighbour',
  parameters: z.strictObject({ node: nodeName, prefix, neighbors: z.array(address).min(1) }),
  steps: ({ node, prefix: network, neighbors }) => {
    const family = ['router bgp', 'address-family ipv4 unicast'];
    return [
      {
        where: 'node',
        node,
        exec: [
          configure(`ip prefix-list EDGE seq 5 permit ${network}`),
          configure('route-map OUT deny 5', 'match ip address prefix-list EDGE', 'exit', 'route-map OUT permit 10'),
          configure(...family, ...neighbors.map((neighbour) => `neighbor ${neighbour} route-map OUT out`)),
        ],
        undo: [
          configure(...family, ...neighbors.map((neighbour) => `no neighbor ${neighbour} route-map OUT out`)),
          configure('no route-map OUT'),
          configure('no ip prefix-list EDGE'),
        ],
      },
    ];
  },
  truth: ({ node }) => truthAtNode('route_policy_misconfig', node),
  symptoms: ({ node, prefix: network, neighbors }) => [
    {
      where: 'node',
      node,
      script: `! vtysh -c 'show bgp ipv4 unicast neighbors ${neighbors[0]} advertised-routes' | grep -q '${network}'`,
    },
  ],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, host } = randomEdge(network, random);
    return { node: router.name, prefix: host.prefix4, neighbors: router.core.map((port) => port.peer.address4) };
  },
});

export const maxPrefix = defineFault({
  id: 'bgp_max_prefix_exceeded',
  description: 'a router takes fewer prefixes from a neighbour than it announces, and has closed the session',
  parameters: z.strictObject({ node: nodeName, neighbor: address, peer: nodeName, limit: z.int().min(1).default(1) }),
  steps: ({ node, neighbor, limit }) => {
    const family = ['router bgp', 'address-family ipv4 unicast'];
    return [
      {
        where: 'node',
        node,
        exec: [configure(...family, `neighbor ${neighbor} maximum-prefix ${limit}`)],
        undo: [
          configure(...family, `no neighbor ${neighbor} maximum-prefix ${limit}`),
          `vtysh -c 'clear bgp ${neighbor}'`,
        ],
      },
    ];
  },
  truth: ({ node, peer }) => ({
    pairs: [node, peer].map((name) => ({ resource: nodeId(name), fault: 'bgp_max_prefix_exceeded' })),
    locations: [],
  }),
  symptoms: ({ node, neighbor }) => [session(node, neighbor)],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, port } = randomPort(network, random);
    return { node: router.name, neighbor: port.peer.address4, peer: port.peer.node };
  },
});

export const hijack = defineFault({
  id: 'bgp_hijacking',
  description: 'a router announces a more specific prefix that belongs to another one, and answers for its addresses',
  parameters: z.strictObject({ node: nodeName, prefix, address }),
  steps: ({ node, prefix: network, address: own }) => {
    const family = ['router bgp', 'address-family ipv4 unicast'];
    const length = network.split('/')[1];
    return [
      {
        where: 'node',
        node,
        exec: [configure('interface lo', `ip address ${own}/${length}`), configure(...family, `network ${network}`)],
        undo: [
          configure(...family, `no network ${network}`),
          configure('interface lo', `no ip address ${own}/${length}`),
        ],
      },
    ];
  },
  truth: ({ node }) => truthAtNode('bgp_hijacking', node),
  symptoms: ({ node, prefix: network }) => [
    { where: 'node', node, script: `vtysh -c 'show bgp ipv4 unicast ${network}' | grep -q 'Local'` },
  ],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router: owner, host } = randomEdge(network, random);
    const others = network.routers.filter((router) => router.name !== owner.name);
    return {
      node: random.pick(others).name,
      prefix: host.prefix4.replace('.0/24', '.0/25'),
      address: host.routerAddress4,
    };
  },
});
