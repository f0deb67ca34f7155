// Static routes that should not be there: black holes and wrong next hops.
import { z } from 'zod';
import type { Network } from '../../generate/network.ts';
import { address, configure, defineFault, nodeName, prefix, truthAtNode } from './fault.ts';
import { randomEdge } from './places.ts';

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
      (host) => hops(network, wrong, host.router, '') >= hops(network, router.name, host.router, ''),
    );
    const loops = away.filter(
      (host) => hops(network, wrong, host.router, '') < hops(network, wrong, host.router, router.name),
    );
    const behind = loops.length > 0 ? loops : away;
    return behind.length === 0
      ? undefined
      : { node: router.name, prefix: random.pick(behind).prefix4, nextHop: port.peer.address4 };
  },
});

/** Links from one router to another without a third; infinite when there is no way. */
function hops(network: Network, from: string, to: string, avoiding: string): number {
  const distance = new Map([[from, 0]]);
  const queue = [from];
  for (const name of queue) {
    if (name === to) return distance.get(name)!;
    for (const { peer } of network.routers.find((entry) => entry.name === name)!.core) {
      if (peer.node === avoiding || distance.has(peer.node)) continue;
      distance.set(peer.node, distance.get(name)! + 1);
      queue.push(peer.node);
    }
  }
  return Number.POSITIVE_INFINITY;
}
