// host_incorrect_dns: a host whose last questions went to an address that serves no names, while others get answers elsewhere. Both the
// host's router and that of the asked address must have tried it; what a filter there may take says nothing.
import { coversHost } from '#model/hosts/host-places.ts';
import { isNameServer, nameServersIn } from '#model/hosts/name-servers.ts';
import type { ResourceId } from '#model/names.ts';
import type { Heard } from '#model/router/dhcp.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { attachedTo, called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { ServiceProbeSeen } from '../../network/service-tries.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';
import { mayFilterServers } from '../../packet-filter/dropping-rules.ts';
import { type NameServerDetail, wrongNameServer } from '../../symptoms/host-settings.ts';

const describe = ({ host, router, ifname, asks, real }: NameServerDetail) =>
  `host ${host.slice('node/'.length)} on ${nodeRef(router)} ${ifname} sends its DNS queries to ${asks.join(', ')}, which answers none; a name server that does is ${real}`;

export const hostIncorrectDns = defineFault<NameServerDetail>({
  id: 'host_incorrect_dns',
  resource: 'node',
  accuses: true,
  labels: { nika: 'host_incorrect_dns', netOpsBench: null },
  summary: 'a host sends its DNS queries to an address that answers none, while another name server is in use',
  symptoms: wrongNameServer,
  clue: 'names',
  detect: ({ world }) => {
    const real = nameServersIn(statesOf(world))[0];
    return real === undefined ? [] : [...world.views.values()].flatMap((view) => misledHosts(world, view, real));
  },
  describe,
  remedy: (detail) => ({
    node: detail.router,
    summary: `set the name server of the host to one that is in use: ${describe(detail)}`,
  }),
});

function misledHosts(world: World, view: View, real: string): readonly Detection<NameServerDetail>[] {
  const queries = (view.state.history?.heard ?? []).filter(({ what }) => what === 'dns-query');
  return [...new Set(queries.map(({ from }) => from))].flatMap((host) => {
    const last = youngest(queries.filter(({ from }) => from === host));
    const ifname = last[0]?.ifname ?? '';
    const asks = last.map(({ to }) => to);
    if (!isHostOf(view, ifname, host) || asks.some((to) => isNameServer(statesOf(world), to))) return [];
    if (!asks.every((to) => servesNone(world, view.node, to))) return [];
    const { node: resource } = called(world, view, ifname, host);
    return [
      {
        resource: resource as ResourceId,
        key: `${view.node}/${host}`,
        confidence: 'certain',
        evidence: [...sourcesOf(world, view.node), ...triesOf(world, asks).map(({ source }) => source)],
        nodes: [view.node],
        detail: { host: resource, address: host, ifname, router: view.node, asks, real },
      },
    ];
  });
}

function statesOf(world: World) {
  return [...world.views.values()].map(({ state }) => state);
}

function youngest(queries: readonly Heard[]): readonly Heard[] {
  const least = Math.min(...queries.map(({ agoMs }) => agoMs));
  return queries.filter(({ agoMs }) => agoMs === least);
}

function isHostOf({ state }: View, ifname: string, host: string): boolean {
  const entry = state.inventory.interfaces.find(({ name }) => name === ifname);
  return entry?.addresses.some((own) => coversHost(own, host)) === true;
}

function triesOf(world: World, addresses: readonly string[]): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter(({ destination, port }) => port === 53 && addresses.includes(destination));
}

/** Tried by the host's router and by its own, from where no filter took the tries, and nothing served names. */
function servesNone(world: World, node: string, address: string): boolean {
  const near = attachedTo(world, address)?.node;
  if (near === undefined || mayFilterServers(world, { node: near, address })) return false;
  const tries = triesOf(world, [address]);
  const by = (from: string) => tries.some((each) => each.from === from);
  return by(node) && by(near) && !tries.some(({ open }) => open);
}
