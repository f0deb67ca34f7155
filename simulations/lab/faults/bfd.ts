// BFD that one side no longer runs: sessions stay up, failures are found late.
import { z } from 'zod';
import { address, configure, defineFault, ifname, nodeName, truthAtInterface } from './fault.ts';
import { randomPort } from './places.ts';

export const bfdMissing = defineFault({
  id: 'bfd_session_missing',
  description: 'one end of a BGP session does not run BFD',
  parameters: z.strictObject({ node: nodeName, interface: ifname, neighbors: z.array(address).min(1) }),
  steps: ({ node, neighbors }) => [
    {
      where: 'node',
      node,
      exec: [configure('router bgp', ...neighbors.map((neighbour) => `no neighbor ${neighbour} bfd`))],
      undo: [configure('router bgp', ...neighbors.map((neighbour) => `neighbor ${neighbour} bfd profile core`))],
    },
  ],
  truth: ({ node, interface: port }) => truthAtInterface('bfd_session_missing', `${node}:${port}`),
  symptoms: ({ node, neighbors }) =>
    neighbors.map((neighbour) => ({
      where: 'node' as const,
      node,
      script: `! vtysh -c 'show running-config' | grep -q 'neighbor ${neighbour} bfd'`,
    })),
  place: (network, random) => {
    if (!network.bfd || network.protocol !== 'bgp') return undefined;
    const { router, port } = randomPort(network, random);
    return {
      node: router.name,
      interface: port.ifname,
      neighbors: [port.peer.address4, port.peer.address6],
    };
  },
});
