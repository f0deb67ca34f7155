// OSPF adjacencies that do not form: area, timers, not switched on.
import { z } from 'zod';
import type { Network } from '../../generate/network.ts';
import {
  configure,
  defineFault,
  ifname,
  nodeName,
  type Random,
  type Symptom,
  truthAtInterface,
  truthAtNode,
} from './fault.ts';
import { randomPort } from './places.ts';

const atInterface = z.strictObject({ node: nodeName, interface: ifname });
const place = (network: Network, random: Random) => {
  if (network.protocol !== 'ospf') return undefined;
  const { router, port } = randomPort(network, random);
  return { node: router.name, interface: port.ifname };
};
const noAdjacency = ({ node, interface: port }: z.infer<typeof atInterface>): Symptom => ({
  where: 'node',
  node,
  script: `! vtysh -c 'show ip ospf neighbor' | grep -Eq ' Full/.* ${port}:'`,
});

export const area = defineFault({
  id: 'ospf_area_misconfiguration',
  description: 'one end of a link is in another area',
  parameters: atInterface,
  steps: ({ node, interface: port }) => [
    {
      where: 'node',
      node,
      exec: [configure(`interface ${port}`, 'no ip ospf area 0', 'ip ospf area 1')],
      undo: [configure(`interface ${port}`, 'no ip ospf area 1', 'ip ospf area 0')],
    },
  ],
  truth: ({ node }) => truthAtNode('ospf_area_misconfiguration', node),
  symptoms: (at) => [noAdjacency(at)],
  place,
});

export const neighbourMissing = defineFault({
  id: 'ospf_neighbor_missing',
  description: 'OSPF is not switched on at one end of a link',
  parameters: atInterface,
  steps: ({ node, interface: port }) => [
    {
      where: 'node',
      node,
      exec: [configure(`interface ${port}`, 'no ip ospf area 0')],
      undo: [configure(`interface ${port}`, 'ip ospf area 0')],
    },
  ],
  truth: ({ node }) => truthAtNode('ospf_neighbor_missing', node),
  symptoms: (at) => [noAdjacency(at)],
  place,
});

export const helloTimer = defineFault({
  id: 'ospf_timer_mismatch',
  description: 'one end of a link says hello at another interval than the other expects',
  parameters: atInterface.extend({ seconds: z.int().min(2).max(60).default(5), was: z.int().min(1).default(1) }),
  steps: ({ node, interface: port, seconds, was }) => [
    {
      where: 'node',
      node,
      exec: [configure(`interface ${port}`, `ip ospf hello-interval ${seconds}`)],
      undo: [configure(`interface ${port}`, `ip ospf hello-interval ${was}`)],
    },
  ],
  truth: ({ node, interface: port }) => truthAtInterface('ospf_timer_mismatch', `${node}:${port}`),
  symptoms: (at) => [noAdjacency(at)],
  place,
});
