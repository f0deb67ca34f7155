// Wrong link-layer addresses: a poisoned neighbour entry, and two hosts with one address.
import { z } from 'zod';
import { address, defineFault, ifname, interfaceId, nodeName, truthAtNode } from './fault.ts';
import { randomPort } from './places.ts';

/** Locally administered, of nobody. */
const mac = z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/, 'expected a MAC address');

export const poisoned = defineFault({
  id: 'arp_cache_poisoning',
  description: 'a router has a fixed neighbour entry with a MAC address that is not the neighbour’s',
  parameters: z.strictObject({
    node: nodeName,
    interface: ifname,
    neighbor: address,
    mac: mac.default('02:11:22:33:44:55'),
  }),
  steps: ({ node, interface: port, neighbor, mac: wrong }) => [
    {
      where: 'node',
      node,
      exec: [`ip neigh replace ${neighbor} lladdr ${wrong} dev ${port} nud permanent`],
      undo: [`ip neigh del ${neighbor} dev ${port}`],
    },
  ],
  truth: ({ node }) => truthAtNode('arp_cache_poisoning', node),
  symptoms: ({ node, neighbor }) => [{ where: 'network', node, script: `! ping -c 1 -W 0.5 ${neighbor} > /dev/null` }],
  place: (network, random) => {
    const { router, port } = randomPort(network, random);
    return { node: router.name, interface: port.ifname, neighbor: port.peer.address4 };
  },
});

export const sameMac = defineFault({
  id: 'mac_address_conflict',
  description: 'an interface has the MAC address of the interface at the other end',
  parameters: z.strictObject({ node: nodeName, interface: ifname, peer: nodeName, peerInterface: ifname }),
  steps: ({ node, interface: port, peer, peerInterface }) => [
    {
      where: 'machine',
      node,
      exec: [
        `mac=$(ip netns exec {ns:${peer}} cat /sys/class/net/${peerInterface}/address)`,
        `ip netns exec {ns:${node}} cat /sys/class/net/${port}/address > {scratch}`,
        `ip -n {ns:${node}} link set ${port} address $mac`,
      ],
      undo: [
        `ip -n {ns:${node}} link set ${port} address $(cat {scratch})`,
        `ip -n {ns:${node}} neigh flush dev ${port} nud all; ip -n {ns:${peer}} neigh flush dev ${peerInterface} nud all`,
      ],
    },
  ],
  truth: ({ node, interface: port, peer, peerInterface }) => ({
    pairs: [`${node}:${port}`, `${peer}:${peerInterface}`].map((end) => ({
      resource: interfaceId(end),
      fault: 'mac_address_conflict',
    })),
    locations: [],
  }),
  /** What the far end answers never arrives: no bridge sends a frame back to where its sender is. */
  symptoms: ({ node, interface: port }) => [
    { where: 'network', node, script: `! ping -6 -q -L -c 3 -i 0.2 -W 0.5 ff02::1%${port} > /dev/null` },
  ],
  place: (network, random) => {
    const { router, port } = randomPort(network, random);
    return { node: router.name, interface: port.ifname, peer: port.peer.node, peerInterface: port.peer.ifname };
  },
});
