// The calls for services that are to be there. One that the operator names is tried from the asked node and from the router that the
// host is attached to, or that has the address itself, so that a host which refuses can be told from a network that does not carry; one that a router has seen a host
// serve lately, by that router alone. Pure; asks no host that was neither named nor seen.
import { covers } from '#base/ip.ts';
import type { PlannedCall } from '#model/call.ts';
import { coversHost } from '#model/hosts/host-places.ts';
import type { Intent } from '#model/intent.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import { SERVICE_PORTS, type ServiceProbe } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { decodeHostScan } from '../decode/decode-measurements.ts';
import type { ServiceTried } from '../doubts.ts';
import { defineMeasurement } from '../measurement.ts';
import { sourceBeside } from '../probe-sources.ts';
import type { States } from '../states.ts';
import { planSought } from './host-scan.ts';
import { defineServiceProbes, type ServiceRound, serviceProbeCalls } from './service-probe.ts';

export const askedService = defineServiceProbes({
  first: ({ intent, states, home }) => planService(intent, states, home),
});

export const seenServices = defineServiceProbes({
  first: ({ states }) => planSeenServices(states),
  confirmation: ({ states }, { serviceProbes }) => planSeenAgain(states, serviceProbes),
});

/** Whether a host has the new address of a name, in a network on a port of a router: echoes alone may be filtered. */
export const movedNames = defineMeasurement({
  kinds: ['host-scan'],
  rounds: { confirmation: ({ states }, { serviceProbes }) => planMovedNames(states, serviceProbes) },
  read: decodeHostScan,
});

/** Those that operators said must be there: their own routers try them. */
export const expectedServices = defineServiceProbes({
  first: ({ states, mustHold = [] }) => planExpectedServices(states, mustHold),
});

export function planService(
  { service, destination, path, fromHost }: Intent,
  states: States,
  home: string,
): readonly PlannedCall[] {
  if (service === undefined || destination === undefined) return [];
  // Any port may be asked for, at one address; a network of IPv6 has none that stands for it.
  const isNetwork = /\/(?!32$|128$)/.test(destination);
  if (isNetwork && (service.name === 'tcp' || destination.includes(':'))) return [];
  const address = destination.split('/')[0]!;
  const serviceProbe: ServiceProbe = {
    destination: address,
    service: service.name === 'dns' ? 'udp' : 'tcp',
    port: service.port,
    ...(service.record === undefined ? {} : { record: service.record }),
  };
  const attached = [...states]
    .filter(([, state]) => isAttached(state, address) || isOwn(state, address))
    .map(([node]) => node);
  const asker = [...states.keys()].find(
    (node) => path.length > 0 && node.toLowerCase().replace(/[-_]/g, '') === path[0]!.key,
  );
  const asking = asker ?? home;
  const source = fromHost === undefined ? undefined : sourceBeside(states, asking, fromHost.address);
  return [...new Set([asking, ...attached])]
    .filter((node) => states.has(node))
    .flatMap((node) =>
      serviceProbeCalls(node, 'asked', [serviceProbe, { destination: address, service: 'echo' }], 'first', {
        // Of a port alone a connection is the answer.
        ...(service.name === 'tcp' ? {} : WHOLE),
        ...(node === asking && source !== undefined ? { source } : {}),
      }),
    );
}

/** Addresses of one changed name that are sent an echo. */
const NEW_ADDRESSES = 2;

/** As a user wants it. */
const WHOLE = { whole: true } as const;

/** What hosts were seen to serve, names that they had lost, and names that they gave their router: it asks whether they still do. */
export function planSeenServices(states: States, round: ServiceRound = 'first'): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const names = (state.history?.watchedHosts?.names ?? []).flatMap(({ address, name }): ServiceProbe[] =>
      isAttached(state, address) ? [{ destination: address, service: 'udp', port: 53, record: name }] : [],
    );
    const services = (state.history?.services ?? []).flatMap(({ address, service, port }): ServiceProbe[] =>
      SERVICE_PORTS.some((known) => known === port) && isAttached(state, address)
        ? [{ destination: address, service, port }]
        : [],
    );
    const serviceProbes = [...names, ...services, ...namesGiven(state)];
    return serviceProbeCalls(node, 'seen', serviceProbes, round, WHOLE);
  });
}

/** Names that servers on its ports gave this node. */
function namesGiven(state: NodeState): readonly ServiceProbe[] {
  return (state.history?.watchedHosts?.answered ?? []).flatMap(({ address, service, port, record }): ServiceProbe[] =>
    record !== undefined && service === 'udp' && port === 53 && isAttached(state, address)
      ? [{ destination: address, service, port, record }]
      : [],
  );
}

/** Once more what its own router did not get a real answer from, or got another one than before: one try may have been lost, or met a server that starts. */
export function planSeenAgain(states: States, tried: readonly ServiceTried[]): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const again = tried.flatMap((each): ServiceProbe[] => {
      const { from, destination, service, port, record } = each;
      const known = SERVICE_PORTS.find((one) => one === port);
      if (from !== node || service === 'echo' || known === undefined || !isAttached(state, destination)) return [];
      if (each.timed === true || (isServed(each) && !givesOtherwise(state, each))) return [];
      return [{ destination, service, port: known, ...(record === undefined ? {} : { record }) }];
    });
    // And whether anything is at the new addresses of a name.
    const moved = movedTo(node, state, tried);
    const echoes = [...new Set([...again.map(({ destination }) => destination), ...moved])].map(
      (destination): ServiceProbe => ({ destination, service: 'echo' }),
    );
    return again.length === 0 ? [] : serviceProbeCalls(node, 'seen', [...again, ...echoes], 'confirmation', WHOLE);
  });
}

export function planMovedNames(states: States, tried: readonly ServiceTried[]): readonly PlannedCall[] {
  const moved = [...new Set([...states].flatMap(([node, state]) => movedTo(node, state, tried)))];
  const sought = [...states].flatMap(([node, { inventory }]) =>
    inventory.interfaces.flatMap(({ name: ifname, operUp, addresses: own }) => {
      const addresses = operUp ? moved.filter((address) => own.some((each) => coversHost(each, address))) : [];
      return addresses.length === 0 ? [] : [{ node, ifname, addresses }];
    }),
  );
  return planSought(states, 'moved', sought);
}

/** New addresses of names that servers on this node's ports gave it otherwise before. */
function movedTo(node: string, state: NodeState, tried: readonly ServiceTried[]): readonly string[] {
  return tried
    .filter((each) => each.from === node && givesOtherwise(state, each))
    .flatMap(({ addresses = [] }) => addresses.slice(0, NEW_ADDRESSES));
}

function isServed({ answered, open, record, found, reply }: ServiceTried): boolean {
  // A refusal is an answer that needs no second one.
  if (answered && !open) return true;
  return open && (record === undefined || found === true) && reply !== 'none';
}

function givesOtherwise(state: NodeState, { destination, record, addresses = [] }: ServiceTried): boolean {
  const said = JSON.stringify(addresses);
  return (state.history?.watchedHosts?.answered ?? []).some(
    ({ address, record: name, given = [] }) =>
      address === destination &&
      name === record &&
      addresses.length > 0 &&
      given.some((each) => JSON.stringify(each.addresses) !== said),
  );
}

export function planExpectedServices(states: States, mustHold: readonly ExpectLine[]): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const serviceProbes = mustHold.flatMap(({ what, subject, at = '' }): ServiceProbe[] => {
      const [service, port] = subject.split('/');
      const known = SERVICE_PORTS.find((each) => String(each) === port);
      if (what !== 'service' || known === undefined || !isAttached(state, at)) return [];
      return [{ destination: at, service: service === 'udp' ? 'udp' : 'tcp', port: known }];
    });
    return serviceProbeCalls(node, 'expected', serviceProbes);
  });
}

/** Of its loopbacks too, which no other node is attached to. */
function isOwn({ inventory }: NodeState, address: string): boolean {
  return inventory.interfaces.some(({ addresses }) => addresses.some((own) => own.split('/')[0] === address));
}

export function isAttached({ inventory }: NodeState, address: string): boolean {
  return inventory.interfaces.some(
    (entry) => entry.kind !== 'loopback' && entry.addresses.some((own) => !own.endsWith('/0') && covers(own, address)),
  );
}
