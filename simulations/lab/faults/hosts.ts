// Hosts with wrong addresses, masks or gateways. Hosts carry no agent: their first router has to notice.

import { z } from 'zod';
import type { FaultId } from '#correlate/faults/registry.ts';
import type { HostPort } from '../../generate/network.ts';
import { address, defineFault, interfaceId, nodeName, type Symptom, type Truth, truthAtNode } from './fault.ts';

const PORT = 'eth1';
const onHost = z.strictObject({
  host: nodeName,
  address,
  gateway: address,
});
type OnHost = z.infer<typeof onHost>;

const placed = (host: HostPort): OnHost => ({
  host: host.host,
  address: host.hostAddress4,
  gateway: host.routerAddress4,
});
const lonely = ({ host, gateway }: OnHost): Symptom => ({
  where: 'network',
  node: host,
  script: `! ping -c 1 -W 0.5 ${gateway} > /dev/null`,
});
const atPort = (fault: FaultId, host: string): Truth => ({
  pairs: [{ resource: interfaceId(`${host}:${PORT}`), fault }],
  locations: [],
});
const right = ({ address: own, gateway }: OnHost): string[] => [
  `ip -4 address flush dev ${PORT}`,
  `ip address add ${own}/24 dev ${PORT}`,
  `ip route replace default via ${gateway}`,
];
/** `198.19.1.10` in the next /24. */
const nextNet = (own: string): string =>
  own.replace(/^(\d+\.\d+)\.(\d+)\./, (_, head, third) => `${head}.${Number(third) ^ 1}.`);

export const wrongAddress = defineFault({
  id: 'host_incorrect_ip',
  description: 'a host has an address of another subnet',
  parameters: onHost,
  steps: (at) => [
    {
      where: 'node',
      node: at.host,
      exec: [`ip -4 address flush dev ${PORT}`, `ip address add ${nextNet(at.address)}/24 dev ${PORT}`],
      undo: right(at),
    },
  ],
  truth: ({ host }) => atPort('host_incorrect_ip', host),
  symptoms: (at) => [lonely(at)],
  place: (network, random) => placed(random.pick(network.hosts)),
});

export const noAddress = defineFault({
  id: 'host_missing_ip',
  description: 'a host has lost its address',
  parameters: onHost,
  steps: (at) => [{ where: 'node', node: at.host, exec: [`ip -4 address flush dev ${PORT}`], undo: right(at) }],
  truth: ({ host }) => atPort('host_missing_ip', host),
  symptoms: (at) => [lonely(at)],
  place: (network, random) => placed(random.pick(network.hosts)),
});

export const wrongMask = defineFault({
  id: 'host_incorrect_netmask',
  description: 'a host takes far addresses for neighbours: its mask is too short',
  parameters: onHost,
  steps: (at) => [
    {
      where: 'node',
      node: at.host,
      exec: [
        `ip -4 address flush dev ${PORT}`,
        `ip address add ${at.address}/16 dev ${PORT}`,
        `ip route replace default via ${at.gateway}`,
      ],
      undo: right(at),
    },
  ],
  truth: ({ host }) => atPort('host_incorrect_netmask', host),
  symptoms: ({ host }) => [{ where: 'network', node: host, script: `ip -4 address show dev ${PORT} | grep -q /16` }],
  place: (network, random) => placed(random.pick(network.hosts)),
});

export const wrongGateway = defineFault({
  id: 'host_incorrect_gateway',
  description: 'a host sends everything to a gateway that does not exist',
  parameters: onHost,
  steps: (at) => [
    {
      where: 'node',
      node: at.host,
      exec: [`ip route replace default via ${at.gateway.replace(/\.\d+$/, '.254')}`],
      undo: [`ip route replace default via ${at.gateway}`],
    },
  ],
  truth: ({ host }) => truthAtNode('host_incorrect_gateway', host),
  symptoms: ({ host }) => [{ where: 'network', node: host, script: "ip route show default | grep -q '\\.254 '" }],
  place: (network, random) => placed(random.pick(network.hosts)),
});

export const sameAddress = defineFault({
  id: 'host_ip_conflict',
  description: 'two hosts of a subnet have one address: a host has taken its router’s',
  parameters: onHost,
  steps: (at) => [
    {
      where: 'node',
      node: at.host,
      exec: [`ip address add ${at.gateway}/24 dev ${PORT}`],
      undo: right(at),
    },
  ],
  truth: ({ host }) => atPort('host_ip_conflict', host),
  symptoms: ({ host, gateway }) => [
    { where: 'network', node: host, script: `ip -4 address show dev ${PORT} | grep -q 'inet ${gateway}/'` },
  ],
  place: (network, random) => placed(random.pick(network.hosts)),
});
