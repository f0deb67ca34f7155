// Static routes that should not be there: black holes and wrong next hops.
import { z } from 'zod';
import { address, configure, defineFault, nodeName, prefix, truthAtNode } from './fault.ts';
import { hopsBetween, randomEdge } from './places.ts';

const kernel = (node: string, network: string, what: string) => [
  { where: 'network' as const, node, script: `ip route show ${network} | grep -q '${what}'` },
];

export const blackhole = defineFault({
  id: 'blackhole_route',
  description: 'a static route of a router throws a prefix away that it should carry',
  parameters: z.strictObject({ node: nodeName, prefix }),
  steps: ({ node, prefix: network }) => [
    {
      where: 'node',
      node,
      exec: [configure(`ip route ${network} Null0`)],
      undo: [configure(`no ip route ${network} Null0`)],
    },
  ],
  truth: ({ node }) => truthAtNode('blackhole_route', node),
  symptoms: ({ node, prefix: network }) => kernel(node, network, 'blackhole'),
  place: (network, random) => {
    const { router } = randomEdge(network, random);
    const others = network.hosts.filter((host) => host.router !== router.name);
    return others.length === 0 ? undefined : { node: router.name, prefix: random.pick(others).prefix4 };
  },
});

export const wrongNextHop = defineFault({
  id: 'static_route_misconfig',
  description: 'a static route of a router sends a prefix to a neighbour that sends it back',
  parameters: z.strictObject({ node: nodeName, prefix, nextHop: address }),
  steps: ({ node, prefix: network, nextHop }) => [
    {
      where: 'node',
      node,
      exec: [configure(`ip route ${network} ${nextHop}`)],
      undo: [configure(`no ip route ${network} ${nextHop}`)],
    },
  ],
  truth: ({ node }) => truthAtNode('static_route_misconfig', node),
  symptoms: ({ node, prefix: network, nextHop }) => kernel(node, network, `via ${nextHop}`),
  /** Best a next hop whose own best way leads back; in fabrics with many equal ways, one that leads away. */
  place: (network, random) => {
    const router = random.pick(network.routers);
    const port = random.pick(router.core);
    const wrong = port.peer.node;
    const others = network.hosts.filter((host) => host.router !== router.name && host.router !== wrong);
    const away = others.filter(
      (host) => hopsBetween(network, wrong, host.router) >= hopsBetween(network, router.name, host.router),
    );
    const loops = away.filter(
      (host) => hopsBetween(network, wrong, host.router) < hopsBetween(network, wrong, host.router, router.name),
    );
    const behind = loops.length > 0 ? loops : away;
    return behind.length === 0
      ? undefined
      : { node: router.name, prefix: random.pick(behind).prefix4, nextHop: port.peer.address4 };
  },
});

/** As the daemon's own: zebra takes a route of its protocol and metric for the one that it installed, and does not notice. */
const asInstalled = (network: string) =>
  `$(ip -N route show ${network} | sed -n 's/.*\\(proto [0-9]*\\).*\\(metric [0-9]*\\).*/\\1 \\2/p')`;

export const ribFibMismatch = defineFault({
  id: 'rib_fib_mismatch',
  description: 'the kernel of a router has another route than the one that zebra installed, or throws its packets away',
  parameters: z.strictObject({ node: nodeName, prefix, nextHop: address.optional() }),
  steps: ({ node, prefix: network, nextHop }) => [
    {
      where: 'node',
      node,
      exec: [
        `ip route replace ${nextHop === undefined ? 'blackhole ' : ''}${network} ${nextHop === undefined ? '' : `via ${nextHop} `}${asInstalled(network)}`,
      ],
      undo: [`ip route del ${network}`],
      learned: true,
    },
  ],
  truth: ({ node }) => truthAtNode('rib_fib_mismatch', node),
  symptoms: ({ node, prefix: network, nextHop }) =>
    kernel(node, network, nextHop === undefined ? 'blackhole' : `via ${nextHop}`),
  place: (network, random) => {
    const router = random.pick(network.routers);
    const others = network.hosts.filter((host) => host.router !== router.name);
    if (others.length === 0) return undefined;
    const host = random.pick(others);
    const away = router.core.filter(
      ({ peer }) =>
        peer.node !== host.router &&
        hopsBetween(network, peer.node, host.router) >= hopsBetween(network, router.name, host.router),
    );
    const chosen = { node: router.name, prefix: host.prefix4 };
    return away.length === 0 || random.next() < 0.5 ? chosen : { ...chosen, nextHop: random.pick(away).peer.address4 };
  },
});
