// Sessions whose two ends contradict each other in a way that no other fault has a name for.
import { z } from 'zod';
import { address, configure, defineFault, ifname, nodeName, truthAtInterface } from './fault.ts';
import { randomPort } from './places.ts';

/** Lines for one neighbour, and what takes them out again; below the process, or below its address family for IPv4. */
const WAYS = {
  password: (neighbour: string) => [[`neighbor ${neighbour} password tiger5`], [`no neighbor ${neighbour} password`]],
  'ttl-security': (neighbour: string) => [
    [`neighbor ${neighbour} ttl-security hops 1`],
    [`no neighbor ${neighbour} ttl-security hops 1`],
  ],
  families: (neighbour: string) => [
    ['address-family ipv4 unicast', `no neighbor ${neighbour} activate`],
    ['address-family ipv4 unicast', `neighbor ${neighbour} activate`],
  ],
  shutdown: (neighbour: string) => [[`neighbor ${neighbour} shutdown`], [`no neighbor ${neighbour} shutdown`]],
} as const satisfies Record<string, (neighbour: string) => readonly [readonly string[], readonly string[]]>;

const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

export const contradictedSession = defineFault({
  id: 'session_mismatch',
  description:
    'one end of a BGP session has a password, a TTL, families or a shutdown that the other end knows nothing of',
  parameters: z.strictObject({ node: nodeName, interface: ifname, neighbor: address, way: z.enum(ways) }),
  steps: ({ node, neighbor, way }) => {
    const [exec = [], undo = []] = WAYS[way](neighbor);
    return [
      {
        where: 'node',
        node,
        exec: [configure('router bgp', ...exec)],
        undo: [configure('router bgp', ...undo)],
      },
    ];
  },
  truth: ({ node, interface: port }) => truthAtInterface('session_mismatch', `${node}:${port}`),
  symptoms: ({ node, neighbor }) => [
    { where: 'node', node, script: `! vtysh -c 'show bgp neighbors ${neighbor}' | grep -q 'BGP state = Established'` },
  ],
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, port } = randomPort(network, random);
    return { node: router.name, interface: port.ifname, neighbor: port.peer.address4, way: random.pick(ways) };
  },
});
