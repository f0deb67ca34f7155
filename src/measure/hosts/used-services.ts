// Services of other networks that hosts on a node's ports use, tried as those hosts would: by their own router, from its address on their
// port, so that the tries pass the filters and routes of every other node on the way. Name servers are those that hosts on that port were heard
// to ask, and the name is one that the server gave its own router; pages are asked of web servers that were seen to serve. Where a rule sends
// questions for names elsewhere, it is tried whether a name server is there. Pure; bounded in servers and ports, and in routers that ask for a page.

import { type IpFamily, isIpAddress } from '#base/ip.ts';
import type { PlannedCall } from '#model/call.ts';
import { coversHost, userNetworksOf, userPorts } from '#model/hosts/host-places.ts';
import { nameServersIn } from '#model/hosts/name-servers.ts';
import { newDestinationOf } from '#model/router/filter-rewrites.ts';
import { SERVICE_PORTS, type ServiceProbe } from '#model/router/hosts.ts';
import { mayTake, networkOf } from '#model/router/packet-match.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { ServiceTried } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { busiestFirst } from '../probe-sources.ts';
import type { States } from '../states.ts';
import { usersOn } from './known-hosts.ts';
import { defineServiceProbes, type ServiceRound, serviceProbeCalls } from './service-probe.ts';
import { isAttached } from './services.ts';

export const usedServices = defineServiceProbes({
  first: ({ states }) => planUsedServices(states),
  confirmation: ({ states }, { serviceProbes }) => planUsedAgain(states, serviceProbes),
});

/** An edge: a port of a router with hosts, and its address there, which no other node has as well. */
type Edge = {
  readonly node: string;
  readonly state: NodeState;
  readonly ifname: string;
  readonly family: IpFamily;
  readonly source: string;
};

const FAMILIES = [4, 6] as const;

type NewPlace = { readonly address: string; readonly port: (typeof SERVICE_PORTS)[number] };

const DNS_PORT = 53;

export function planUsedServices(states: States, round: ServiceRound = 'first'): readonly PlannedCall[] {
  const [servers, edges] = [webServersIn(states), edgesIn(states)];
  return FAMILIES.flatMap((family) => {
    const pages = servers.filter(({ destination }) => isOf(family, destination)).slice(0, MEASURE_LIMITS.usedServers);
    const ofFamily = edges.filter((edge) => edge.family === family);
    const byNode = [...Map.groupBy(ofFamily, ({ node }) => node).values()];
    return byNode.flatMap((mine, index) => {
      const asker = index < MEASURE_LIMITS.pageAskers ? mine[0] : undefined;
      return mine
        .flatMap((edge) => callFrom(states, edge, edge === asker ? pages : [], round))
        .slice(0, MEASURE_LIMITS.usedPorts);
    });
  });
}

function isOf(family: IpFamily, address: string): boolean {
  return address.includes(':') === (family === 6);
}

function callFrom(
  states: States,
  edge: Edge,
  pages: readonly ServiceProbe[],
  round: ServiceRound,
): readonly PlannedCall[] {
  const names = askedFrom(states, edge)
    .slice(0, MEASURE_LIMITS.usedServers)
    .map((address) => nameProbe(states, address));
  const web = pages.filter(({ destination }) => !isAttached(edge.state, destination));
  const goals = [...names, ...web];
  const echoes = [...new Set(goals.map(({ destination }) => destination))].map(echoTo);
  const sent = sentElsewhere(edge).flatMap(({ address, port }) => [
    { ...nameProbe(states, address), port },
    echoTo(address),
  ]);
  const all = [...goals, ...echoes, ...sent];
  return serviceProbeCalls(edge.node, 'used', all, round, howFrom(edge));
}

function howFrom({ ifname, source }: Edge) {
  return { whole: true, source, ifname } as const;
}

/** Once more what got no answer: one datagram may have been lost by chance. */
export function planUsedAgain(states: States, tried: readonly ServiceTried[]): readonly PlannedCall[] {
  return edgesIn(states).flatMap((edge) => {
    const { node, source } = edge;
    const silent = tried.filter((each) => each.from === node && each.sender === source && !each.open);
    const again = silent.map(
      ({ destination, service, port, record }): ServiceProbe => ({
        destination,
        service,
        ...(port === undefined ? {} : { port: port as NonNullable<ServiceProbe['port']> }),
        ...(record === undefined ? {} : { record }),
      }),
    );
    const echoes = [...new Set(again.map(({ destination }) => destination))].map(echoTo);
    const all = [...again, ...echoes];
    return serviceProbeCalls(node, 'used', all, 'confirmation', howFrom(edge));
  });
}

/** Ports on which hosts are known, the busiest of a node first, of each family that they are known of. */
function edgesIn(states: States): readonly Edge[] {
  return [...states].flatMap(([node, state]) =>
    busiestFirst(userPorts(state.inventory)).flatMap((entry) =>
      FAMILIES.flatMap((family): readonly Edge[] => {
        if (!usersOn(states, state, entry).some((address) => isOf(family, address))) return [];
        const own = userNetworksOf(entry).find((each) => each.family === family && hasAlone(states, each.address));
        return own === undefined ? [] : [{ node, state, ifname: entry.name, family, source: own.address }];
      }),
    ),
  );
}

/** An answer to an address that several nodes have, as gateways of one network may, would not come back to the one that asked. */
function hasAlone(states: States, address: string): boolean {
  const owners = [...states.values()].filter(({ inventory }) =>
    inventory.interfaces.some(({ addresses }) => addresses.some((own) => own.split('/')[0] === address)),
  );
  return owners.length === 1;
}

/** Name servers of other networks that hosts on this port were heard to ask; those that served lately alone. */
function askedFrom(states: States, { state, ifname, family }: Edge): readonly string[] {
  const servers = nameServersIn(states.values());
  const asked = (state.history?.heard ?? []).filter(
    (row) => row.what === 'dns-query' && row.ifname === ifname && isOf(family, row.to) && servers.includes(row.to),
  );
  return [...new Set(asked.map(({ to }) => to))].filter((address) => !isAttached(state, address)).sort();
}

function webServersIn(states: States): readonly ServiceProbe[] {
  const rows = [...states.values()].flatMap((state) =>
    (state.history?.services ?? []).flatMap(({ address, service, port }): ServiceProbe[] =>
      service === 'tcp' && (port === 80 || port === 8_080) && isAttached(state, address)
        ? [{ destination: address, service, port }]
        : [],
    ),
  );
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

/** By a name that it gave its own router, if that reports one. */
function nameProbe(states: States, destination: string): ServiceProbe {
  const record = [...states.values()]
    .flatMap(({ history }) => history?.watchedHosts?.answered ?? [])
    .find((each) => each.address === destination && each.port === 53 && each.record !== undefined)?.record;
  return { destination, service: 'udp', port: 53, ...(record === undefined ? {} : { record }) };
}

function echoTo(destination: string): ServiceProbe {
  return { destination, service: 'echo' };
}

/** Where a rule of the node sends questions that hosts on this port were heard to ask another server; ports of well-known services alone are tried. */
function sentElsewhere({ state: { filters, history, inventory }, ifname, family }: Edge): readonly NewPlace[] {
  const asked = (history?.heard ?? []).filter(
    (row) =>
      row.what === 'dns-query' &&
      row.ifname === ifname &&
      isOf(family, row.from) &&
      inventory.interfaces.some(
        (entry) => entry.name === ifname && entry.addresses.some((own) => coversHost(own, row.from)),
      ),
  );
  const found = filters.flatMap((rule): readonly NewPlace[] => {
    const to = newDestinationOf(rule);
    const port = SERVICE_PORTS.find((each) => each === (to?.port ?? DNS_PORT));
    if (to === undefined || port === undefined) return [];
    return asked
      .filter(({ from, to: server }) =>
        mayTake(rule, {
          ...{ network: networkOf(from), protocol: 'udp', destinationPort: DNS_PORT },
          ...{ sources: [from], destinations: [server] },
        }),
      )
      .map(({ to: server }) => ({ address: to.address === 'same' ? server : to.address, port }))
      .filter(({ address }) => isIpAddress(address));
  });
  const each = [...new Map(found.map((place) => [`${place.address} ${place.port}`, place])).values()];
  return each.slice(0, MEASURE_LIMITS.usedServers);
}
