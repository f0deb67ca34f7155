// A DHCP server that is dead, knows a network no more, or gives its hosts a wrong router, name server or mask. A real client of that network
// sees it; the hosts themselves keep what they have.

import { z } from 'zod';
import type { FaultId } from '#correlate/faults/registry.ts';
import { DHCP_CONF, START_DHCP } from '../../generate/dhcp.ts';
import type { Network } from '../../generate/network.ts';
import { leaseOf } from '../services.ts';
import { address, defineFault, type FaultStep, nodeName, type Random, truthAtNode } from './fault.ts';

const onNetwork = z.strictObject({
  /** The server. */
  host: nodeName,
  /** A host of the network in question, and its address. */
  user: nodeName,
  address,
});
type OnNetwork = z.infer<typeof onNetwork>;

function placed(network: Network, random: Random): OnNetwork | undefined {
  const server = network.hosts.find((host) => host.dhcp);
  const others = network.hosts.filter((host) => host !== server);
  if (server === undefined || others.length === 0) return undefined;
  const user = random.pick(others);
  return { host: server.host, user: user.host, address: user.hostAddress4 };
}

const KILL = 'kill -9 $(cat /run/dhcp.pid)';

/** The server's settings edited, and read anew. */
const edited = (host: string, on: string, off: string): FaultStep => ({
  where: 'node',
  node: host,
  exec: [on, KILL, 'sleep 0.1', START_DHCP],
  undo: [off, KILL, 'sleep 0.1', START_DHCP],
});

/** `198.19.1.10` → `198.19.1.254`: nobody in generated networks. */
const neighbour = (own: string, number: number): string => own.replace(/\d+$/, String(number));

type Edit = {
  readonly id: FaultId;
  readonly description: string;
  /** Commands that make it so and that undo it. */
  edit(at: OnNetwork): readonly [on: string, off: string];
  /** What a client of the network then prints, or nothing when it gets no lease. */
  shows(at: OnNetwork): string | undefined;
};

const sed = (script: string): string => `sed -i '${script}' ${DHCP_CONF}`;
/** An option that is set to another value, and back. */
const option = (at: OnNetwork, name: string, wrong: string): readonly [string, string] => {
  const line = `dhcp-option=tag:${at.user},option:${name},`;
  return [sed(`s|^${line}.*|#&\\n${line}${wrong}|`), sed(`/^${line}/d; s|^#\\(${line}\\)|\\1|`)];
};

const fault = ({ id, description, edit, shows }: Edit) =>
  defineFault({
    id,
    description,
    parameters: onNetwork,
    steps: (at) => [edited(at.host, ...edit(at))],
    truth: ({ host }) => truthAtNode(id, host),
    symptoms: (at) => {
      const shown = shows(at);
      const script = shown === undefined ? `! ${leaseOf(at.user)}` : `${leaseOf(at.user)} | grep -q '${shown}'`;
      return [{ where: 'network', node: at.user, script }];
    },
    place: placed,
  });

export const dhcpDead = defineFault({
  id: 'dhcp_service_down',
  description: 'the DHCP server of a host is dead; the host answers pings',
  parameters: onNetwork,
  steps: ({ host }) => [{ where: 'node', node: host, exec: [KILL], undo: [START_DHCP] }],
  truth: ({ host }) => truthAtNode('dhcp_service_down', host),
  symptoms: ({ user }) => [{ where: 'network', node: user, script: `! ${leaseOf(user)}` }],
  place: placed,
});

export const missingSubnet = fault({
  id: 'dhcp_missing_subnet',
  description: 'a DHCP server has no range for a network that it is to serve',
  edit: ({ user }) => [sed(`s|^dhcp-range=set:${user},|#&|`), sed(`s|^#\\(dhcp-range=set:${user},\\)|\\1|`)],
  shows: () => undefined,
});

export const spoofedGateway = fault({
  id: 'dhcp_spoofed_gateway',
  description: 'a DHCP server gives the hosts of a network a router that does not exist',
  edit: (at) => option(at, 'router', neighbour(at.address, 254)),
  shows: (at) => `router=${neighbour(at.address, 254)} `,
});

export const spoofedDns = fault({
  id: 'dhcp_spoofed_dns',
  description: 'a DHCP server gives the hosts of a network a name server that does not exist',
  edit: (at) => option(at, 'dns-server', neighbour(at.address, 53)),
  shows: (at) => `dns=${neighbour(at.address, 53)} `,
});

export const spoofedSubnet = fault({
  id: 'dhcp_spoofed_subnet',
  description: 'a DHCP server gives the hosts of a network a mask that is too short',
  edit: ({ user }) => {
    const line = `dhcp-option=tag:${user},option:netmask,255.255.0.0`;
    return [`echo '${line}' >> ${DHCP_CONF}`, sed(`/^${line}$/d`)];
  },
  shows: () => 'mask=255.255.0.0 ',
});
