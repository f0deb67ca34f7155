// Services of hosts that are dead, and traffic that a router marks anew or a slow port cannot take. Hosts carry no agent.

import { z } from 'zod';
import type { FaultId } from '#correlate/faults/registry.ts';
import type { HostPort, Network } from '../../generate/network.ts';
import { SERVICE_CHECKS } from '../services.ts';
import { address, defineFault, ifname, nodeName, type Random, truthAtInterface, truthAtNode } from './fault.ts';
import { randomPort } from './places.ts';

const onServer = z.strictObject({ host: nodeName, address, user: nodeName });

/** A host that offers `service`, and another that uses it. */
function placed(network: Network, random: Random, service: HostPort['service']): z.infer<typeof onServer> | undefined {
  const server = network.hosts.find((host) => host.service === service);
  if (server === undefined || network.hosts.length < 2) return undefined;
  const user = random.pick(network.hosts.filter((host) => host !== server));
  return { host: server.host, address: server.hostAddress4, user: user.host };
}

const dead = (id: FaultId, service: 'dns' | 'http', description: string) =>
  defineFault({
    id,
    description,
    parameters: onServer,
    steps: ({ host }) => [
      {
        where: 'node',
        node: host,
        exec: [`kill -9 $(cat /run/${service}.pid)`],
        undo: [`setsid bash /run/start-${service} < /dev/null > /dev/null 2>&1 &`],
      },
    ],
    truth: ({ host }) => truthAtNode(id, host),
    symptoms: ({ user, address: server }) => [
      { where: 'network', node: user, script: `! ${SERVICE_CHECKS[service](server)}` },
    ],
    place: (network, random) => placed(network, random, service),
  });

export const dnsDead = dead('dns_service_down', 'dns', 'the DNS server of a host is dead; the host answers pings');
export const httpDead = dead('http_service_down', 'http', 'the web server of a host is dead; the host answers pings');

export const wrongRecord = defineFault({
  id: 'dns_record_error',
  description: 'a DNS server no longer has the name that it is asked for',
  parameters: onServer,
  steps: ({ host }) => {
    const start = 'setsid bash /run/start-dns < /dev/null > /dev/null 2>&1 &';
    const swap = (from: string, to: string) =>
      `sed -i 's|/${from}/|/${to}/|' /run/start-dns; kill -9 $(cat /run/dns.pid); sleep 0.1; ${start}`;
    return [
      {
        where: 'node',
        node: host,
        exec: [swap('www.lab.example', 'www.lab.invalid')],
        undo: [swap('www.lab.invalid', 'www.lab.example')],
      },
    ];
  },
  truth: ({ host }) => truthAtNode('dns_record_error', host),
  symptoms: ({ user, address: server }) => [
    { where: 'network', node: user, script: `! ${SERVICE_CHECKS.dns(server)}` },
  ],
  place: (network, random) => placed(network, random, 'dns'),
});

export const remarked = defineFault({
  id: 'dscp_remarking',
  description: 'a router takes the priority mark (EF) off all packets that leave over one interface',
  parameters: z.strictObject({ node: nodeName, interface: ifname }),
  steps: ({ node, interface: port }) => [
    {
      where: 'node',
      node,
      exec: [
        `nft 'add table netdev qos; add chain netdev qos out { type filter hook egress device ${port} priority 0; }; add rule netdev qos out ip dscp ef counter ip dscp set cs0; add rule netdev qos out ip6 dscp ef counter ip6 dscp set cs0'`,
      ],
      undo: ['nft delete table netdev qos'],
    },
  ],
  truth: ({ node, interface: port }) => truthAtInterface('dscp_remarking', `${node}:${port}`),
  /** Marked echoes over the link alone leave without their mark. */
  symptoms: ({ node, interface: port }) => [
    {
      where: 'network',
      node,
      script: `ping -6 -q -L -Q 0xb8 -c 3 -i 0.1 -W 0.3 ff02::1%${port} > /dev/null; nft list table netdev qos | grep -Eq 'packets [1-9]'`,
    },
  ],
  place: (network, random) => {
    const { router, port } = randomPort(network, random);
    return { node: router.name, interface: port.ifname };
  },
});

const PORTS = [5_211, 5_212] as const;

export const incast = defineFault({
  id: 'incast_traffic_network_limitation',
  description: 'several hosts send to one at once, and its router’s port towards it is too slow for that',
  parameters: z.strictObject({
    node: nodeName,
    interface: ifname,
    host: nodeName,
    address,
    senders: z.array(nodeName).min(2),
    megabits: z.number().positive().max(1_000).default(20),
  }),
  steps: ({ node, interface: port, host, address: to, senders, megabits }) => [
    {
      where: 'node',
      node,
      exec: [`tc qdisc add dev ${port} root tbf rate ${megabits}mbit burst 16kb limit 16kb`],
      undo: [`tc qdisc del dev ${port} root`],
    },
    ...senders.slice(0, PORTS.length).flatMap((sender, index) => {
      const number = String(PORTS[index]);
      const rate = `${megabits}M`;
      return [
        { where: 'beside' as const, node: host, argv: ['iperf3', '-s', '-p', number] },
        {
          where: 'beside' as const,
          node: sender,
          argv: ['iperf3', '-c', to, '-p', number, '-u', '-b', rate, '-l', '1000', '-t', '600'],
        },
      ];
    }),
  ],
  truth: ({ node, interface: port }) => truthAtInterface('incast_traffic_network_limitation', `${node}:${port}`),
  symptoms: ({ node, interface: port }) => [
    { where: 'network', node, script: `tc -s qdisc show dev ${port} | grep -Eq 'dropped [1-9]'` },
  ],
  place: (network, random) => {
    const to = random.pick(network.hosts);
    const others = network.hosts.filter((host) => host.router !== to.router);
    if (others.length < 2) return undefined;
    const one = random.pick(others);
    const two = random.pick(others.filter((host) => host !== one));
    const { router: node, ifname: port, host, hostAddress4 } = to;
    return { node, interface: port, host, address: hostAddress4, senders: [one.host, two.host] };
  },
});
