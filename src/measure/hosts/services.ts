// The calls for services that are to be there. One that the operator names is tried from the asked node and from the router that the
// host is attached to, so that a host which refuses can be told from a network that does not carry; one that a router has seen a host
// serve lately, by that router alone. Pure; asks no host that was neither named nor seen.
import { covers } from '#base/ip.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import { SERVICE_PORTS, type ServiceProbe } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { States } from '../states.ts';
import { defineServiceProbes, serviceProbeCall } from './service-probe.ts';

export const askedService = defineServiceProbes({
  first: ({ intent, states, home }) => planService(intent, states, home),
});

export const seenServices = defineServiceProbes({ first: ({ states }) => planSeenServices(states) });

/** Those that operators said must be there: their own routers try them. */
export const expectedServices = defineServiceProbes({
  first: ({ states, mustHold = [] }) => planExpectedServices(states, mustHold),
});

export function planService(
  { service, destination, path }: Intent,
  states: States,
  home: string,
): readonly PlannedCall[] {
  if (service === undefined || destination === undefined || destination.includes(':')) return [];
  const address = destination.split('/')[0]!;
  const serviceProbe: ServiceProbe = {
    destination: address,
    service: service.name === 'dns' ? 'udp' : 'tcp',
    port: service.port,
    ...(service.record === undefined ? {} : { record: service.record }),
  };
  const attached = [...states].filter(([, state]) => isAttached(state, address)).map(([node]) => node);
  const asker = [...states.keys()].find(
    (node) => path.length > 0 && node.toLowerCase().replace(/[-_]/g, '') === path[0]!.key,
  );
  return [...new Set([asker ?? home, ...attached])]
    .filter((node) => states.has(node))
    .map((node) => serviceProbeCall(node, 'asked', [serviceProbe, { destination: address, service: 'echo' }]));
}

/** What hosts were seen to serve, and names that they had lost: their routers ask whether they still do. */
export function planSeenServices(states: States): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const names = (state.history?.watchedHosts?.names ?? []).flatMap(({ address, name }): ServiceProbe[] =>
      isAttached(state, address) ? [{ destination: address, service: 'udp', port: 53, record: name }] : [],
    );
    const services = (state.history?.services ?? []).flatMap(({ address, service, port }): ServiceProbe[] =>
      SERVICE_PORTS.some((known) => known === port) && isAttached(state, address)
        ? [{ destination: address, service, port }]
        : [],
    );
    const serviceProbes = [...names, ...services];
    return serviceProbes.length === 0 ? [] : [serviceProbeCall(node, 'seen', serviceProbes)];
  });
}

export function planExpectedServices(states: States, mustHold: readonly ExpectLine[]): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const serviceProbes = mustHold.flatMap(({ what, subject, at = '' }): ServiceProbe[] => {
      const [service, port] = subject.split('/');
      const known = SERVICE_PORTS.find((each) => String(each) === port);
      if (what !== 'service' || known === undefined || !isAttached(state, at)) return [];
      return [{ destination: at, service: service === 'udp' ? 'udp' : 'tcp', port: known }];
    });
    return serviceProbes.length === 0 ? [] : [serviceProbeCall(node, 'expected', serviceProbes)];
  });
}

export function isAttached({ inventory }: NodeState, address: string): boolean {
  return inventory.interfaces.some(
    (entry) => entry.kind !== 'loopback' && entry.addresses.some((own) => !own.endsWith('/0') && covers(own, address)),
  );
}
