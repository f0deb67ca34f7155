// IS-IS adjacencies that do not form, or only at one end, and metrics that send traffic elsewhere.
import { z } from 'zod';
import { systemIdOf } from '../../generate/frr-conf.ts';
import type { Network } from '../../generate/network.ts';
import type { Random } from './fault.ts';
import {
  configure,
  defineFault,
  type FaultStep,
  ifname,
  nodeName,
  type Symptom,
  truthAtInterface,
  truthAtNode,
} from './fault.ts';
import { randomPort } from './places.ts';

const place = (network: Network, random: Random) => {
  if (network.protocol !== 'isis') return undefined;
  const { router, port } = randomPort(network, random);
  return { node: router.name, interface: port.ifname };
};
const atInterface = z.strictObject({ node: nodeName, interface: ifname });
type AtInterface = z.infer<typeof atInterface>;

function lines({ node, interface: port }: AtInterface, exec: readonly string[], undo: readonly string[]): FaultStep[] {
  return [
    {
      where: 'node',
      node,
      exec: [configure(`interface ${port}`, ...exec)],
      undo: [configure(`interface ${port}`, ...undo)],
    },
  ];
}

/** At either end; FRR keeps the other one "Up" in some of these cases. */
const configured = ({ node, interface: port }: AtInterface, what: string, not = false): Symptom => ({
  where: 'node',
  node,
  script: `${not ? '! ' : ''}vtysh -c 'show running-config' | sed -n '/^interface ${port}$/,/^exit$/p' | grep -q '${what}'`,
});
const noAdjacency = ({ node, interface: port }: AtInterface): Symptom => ({
  where: 'node',
  node,
  script: `! vtysh -c 'show isis neighbor' | grep -Eq ' ${port} +.* Up '`,
});

export const authentication = defineFault({
  id: 'isis_authentication_mismatch',
  description: 'one end of a link demands a password that the other does not send',
  parameters: atInterface,
  steps: (at) => lines(at, ['isis password md5 tiger5'], ['no isis password md5 tiger5']),
  truth: ({ node, interface: port }) => truthAtInterface('isis_authentication_mismatch', `${node}:${port}`),
  symptoms: (at) => [configured(at, 'isis password'), noAdjacency(at)],
  place,
});

export const circuitType = defineFault({
  id: 'isis_level_mismatch',
  description: 'one end of a link speaks level 1 only, the other level 2 only',
  parameters: atInterface,
  steps: ({ node, interface: port }) => [
    {
      where: 'node',
      node,
      exec: [
        configure('router isis core', 'is-type level-1-2'),
        configure(`interface ${port}`, 'isis circuit-type level-1'),
      ],
      undo: [
        configure(`interface ${port}`, 'isis circuit-type level-2-only'),
        configure('router isis core', 'is-type level-2-only'),
      ],
    },
  ],
  truth: ({ node }) => truthAtNode('isis_level_mismatch', node),
  symptoms: (at) => [configured(at, 'isis circuit-type level-1$')],
  place,
});

export const area = defineFault({
  id: 'isis_area_mismatch',
  description: 'a link was made level 1 at both ends, and one end is in another area than all other routers',
  parameters: z.strictObject({
    node: nodeName,
    interface: ifname,
    peer: nodeName,
    peerInterface: ifname,
    systemId: z.string().regex(/^\d{4}\.\d{4}\.\d{4}$/, 'expected a system id'),
  }),
  steps: ({ node, interface: port, peer, peerInterface, systemId }) => {
    const levelOne = (at: string, own: string): FaultStep => ({
      where: 'node',
      node: at,
      exec: [
        configure('router isis core', 'is-type level-1-2'),
        configure(`interface ${own}`, 'isis circuit-type level-1'),
      ],
      undo: [
        configure(`interface ${own}`, 'isis circuit-type level-2-only'),
        configure('router isis core', 'is-type level-2-only'),
      ],
    });
    const moved = (from: string, to: string) =>
      configure('router isis core', `net ${to}.${systemId}.00`, `no net ${from}.${systemId}.00`);
    return [
      levelOne(peer, peerInterface),
      levelOne(node, port),
      { where: 'node', node, exec: [moved('49.0001', '49.0002')], undo: [moved('49.0002', '49.0001')] },
    ];
  },
  truth: ({ node }) => truthAtNode('isis_area_mismatch', node),
  symptoms: (at) => [noAdjacency(at), noAdjacency({ node: at.peer, interface: at.peerInterface })],
  place: (network, random) => {
    if (network.protocol !== 'isis') return undefined;
    const { router, port } = randomPort(network, random);
    return {
      node: router.name,
      interface: port.ifname,
      peer: port.peer.node,
      peerInterface: port.peer.ifname,
      systemId: systemIdOf(router),
    };
  },
});

export const networkType = defineFault({
  id: 'isis_network_type_mismatch',
  description: 'one end of a point-to-point link takes it for a broadcast network',
  parameters: atInterface,
  steps: (at) => lines(at, ['no isis network point-to-point'], ['isis network point-to-point']),
  truth: ({ node, interface: port }) => truthAtInterface('isis_network_type_mismatch', `${node}:${port}`),
  symptoms: (at) => [configured(at, 'isis network point-to-point', true), noAdjacency(at)],
  place,
});

export const neighbourMissing = defineFault({
  id: 'isis_neighbor_missing',
  description: 'IS-IS is not switched on at one end of a link',
  parameters: atInterface,
  steps: (at) =>
    lines(
      at,
      ['no ip router isis core', 'no ipv6 router isis core'],
      [
        ...['ip router isis core', 'ipv6 router isis core', 'isis circuit-type level-2-only'],
        ...['isis hello-interval 1', 'isis hello-multiplier 3', 'isis network point-to-point'],
      ],
    ),
  truth: ({ node, interface: port }) => truthAtInterface('isis_neighbor_missing', `${node}:${port}`),
  symptoms: (at) => [configured(at, 'router isis', true), noAdjacency(at)],
  place,
});

export const metric = defineFault({
  id: 'isis_metric_misconfig',
  description: 'one end of a link has a metric far from that of all others: traffic takes another way',
  parameters: atInterface.extend({ metric: z.int().min(1).max(16_000_000).default(5_000) }),
  steps: (at) => lines(at, [`isis metric ${at.metric}`], [`no isis metric`]),
  truth: ({ node, interface: port }) => truthAtInterface('isis_metric_misconfig', `${node}:${port}`),
  symptoms: (at) => [configured(at, 'isis metric')],
  place,
});
