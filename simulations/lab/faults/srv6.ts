// SRv6 that stops working: a SID that is not there, a locator that nobody announces, traffic that is not encapsulated, a list with a wrong SID.
import { z } from 'zod';
import type { Network } from '../../generate/network.ts';
import { address, configure, defineFault, nodeName, prefix, type Random, truthAtNode } from './fault.ts';
import { randomEdge, routerNamed } from './places.ts';

/** Addresses of no router of any generated network. */
const UNUSED_SID = 'fd00:5a:fffe::d6';

export const sidMissing = defineFault({
  id: 'srv6_sid_missing',
  description: 'a router no longer has a SID that others send to',
  parameters: z.strictObject({ node: nodeName, sid: address, behavior: z.string().default('End.DT6 table 254') }),
  steps: ({ node, sid, behavior }) => [
    {
      where: 'node',
      node,
      exec: [`ip -6 route del ${sid}/128`],
      undo: [`ip -6 route add ${sid}/128 encap seg6local action ${behavior} count dev sr0`],
    },
  ],
  truth: ({ node }) => truthAtNode('srv6_sid_missing', node),
  symptoms: ({ node, sid }) => [
    { where: 'network', node, script: `! ip -6 route show ${sid}/128 | grep -q seg6local` },
  ],
  place: (network, random) => {
    const { router } = randomEdge(network, random);
    return { node: router.name, sid: router.decapSid };
  },
});

export const locatorMissing = defineFault({
  id: 'srv6_locator_missing',
  description: 'a router announces a wrong locator, and its own not at all',
  parameters: z.strictObject({ node: nodeName, locator: prefix, wrong: prefix.default('fd00:5a:fffd::/48') }),
  steps: ({ node, locator, wrong }) => [
    {
      where: 'node',
      node,
      exec: [configure(`no ipv6 route ${locator} blackhole`, `ipv6 route ${wrong} blackhole`)],
      undo: [configure(`no ipv6 route ${wrong} blackhole`, `ipv6 route ${locator} blackhole`)],
    },
  ],
  truth: ({ node }) => truthAtNode('srv6_locator_missing', node),
  symptoms: ({ node, locator }) => [
    { where: 'network', node, script: `! ip -6 route show ${locator} | grep -q blackhole` },
  ],
  place: (network, random) => {
    const { router } = randomEdge(network, random);
    return { node: router.name, locator: router.locator };
  },
});

const policy = z.strictObject({ node: nodeName, prefix, sid: address });

/** A head and the service of a far router that it steers traffic to. */
function placed(network: Network, random: Random): z.infer<typeof policy> | undefined {
  const { router } = randomEdge(network, random);
  const others = network.hosts.filter((host) => host.router !== router.name);
  if (others.length === 0) return undefined;
  const host = random.pick(others);
  return { node: router.name, prefix: host.prefix6, sid: routerNamed(network, host.router).decapSid };
}

const steer = (network: string, sid: string): string =>
  `ip -6 route replace ${network} encap seg6 mode encap segs ${sid} dev sr0`;

export const encapsulationMissing = defineFault({
  id: 'srv6_encapsulation_missing',
  description: 'a head no longer puts the traffic of a customer into SRv6',
  parameters: policy,
  steps: ({ node, prefix: network, sid }) => [
    { where: 'node', node, exec: [`ip -6 route del ${network}`], undo: [steer(network, sid)] },
  ],
  truth: ({ node }) => truthAtNode('srv6_encapsulation_missing', node),
  symptoms: ({ node, prefix: network }) => [
    { where: 'network', node, script: `! ip -6 route show ${network} | grep -q seg6` },
  ],
  place: placed,
});

export const sidUnreachable = defineFault({
  id: 'srv6_sid_unreachable',
  description: 'a head steers a customer’s traffic to a SID that no router has',
  parameters: policy.extend({ wrong: address.default(UNUSED_SID) }),
  steps: ({ node, prefix: network, sid, wrong }) => [
    { where: 'node', node, exec: [steer(network, wrong)], undo: [steer(network, sid)] },
  ],
  truth: ({ node }) => truthAtNode('srv6_sid_unreachable', node),
  symptoms: ({ node, prefix: network, wrong }) => [
    { where: 'network', node, script: `ip -6 route show ${network} | grep -q ${wrong}` },
  ],
  place: placed,
});
