// Symptoms of a service that is to be there, because the operator says so or because its host was seen to serve it lately: the host
// is there and refuses, or does not know the name. Told only by the router that the host is attached to: what anybody further
// away is refused may have been refused on the way.

import type { AskedService } from '#model/intent.ts';
import { nodeResource } from '#model/names.ts';
import { SERVICE_PORTS } from '#model/router/hosts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { type Attached, attachedTo } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import { type ServiceProbeSeen, sourcesOf, type World } from '../../network/world.ts';

type Expected = AskedService & { readonly address: string; readonly agoMs?: number };

export function deadServices(world: World): readonly Symptom[] {
  return expectedOf(world).flatMap((expected) => deadService(world, expected));
}

/** What the operator says first; what a host was seen to serve lately, in its own network, after that. */
function expectedOf({ service, views }: World): readonly Expected[] {
  const seen = [...views.values()].flatMap(({ state }) =>
    (state.history?.services ?? []).flatMap((row): Expected[] => {
      const name = row.service === 'udp' && row.port === 53 ? 'dns' : row.service === 'tcp' ? 'http' : undefined;
      const port = SERVICE_PORTS.find((each) => each === row.port);
      if (name === undefined || port === undefined || (row.address === service?.address && port === service.port))
        return [];
      return [{ name, port, address: row.address, agoMs: row.agoMs }];
    }),
  );
  return [...(service === undefined ? [] : [service]), ...seen];
}

function deadService(world: World, service: Expected): readonly Symptom[] {
  const host = attachedTo(world, service.address);
  if (host === undefined || (service.agoMs !== undefined && !host.present)) return [];
  const tries = world.serviceProbes.filter((serviceProbe) => isThis(serviceProbe, service.address, service.port));
  const near = leadsElsewhere(world, service.address, host)
    ? []
    : tries.filter((serviceProbe) => serviceProbe.from === host.node);
  const how = howItFails(near, service.record);
  if (how === undefined) return [];
  const what = `${service.name === 'dns' ? 'DNS' : 'HTTP'} at ${service.address} port ${service.port} behind ${mark(host.node)}`;
  const seen = service.agoMs === undefined ? '' : `, and served ${Math.round(service.agoMs / 1_000)} s ago`;
  const told =
    how === 'refused'
      ? `${what}: the host is there and refuses${seen}`
      : `${what}: answers, and does not know ${service.record}`;
  return [
    {
      id: `asked:${service.name}${service.port}/${service.address}`,
      kind: 'service',
      subject: nodeResource(host.node),
      text: told,
      source: [...near.map(({ source }) => source), ...sourcesOf(world, host.node)],
      nodes: [host.node],
      detail: {
        how,
        name: service.name,
        address: service.address,
        port: service.port,
        node: host.node,
        ifname: host.ifname,
        seen: service.agoMs !== undefined,
        ...(service.record === undefined ? {} : { record: service.record }),
      },
    },
  ];
}

function howItFails(
  near: readonly ServiceProbeSeen[],
  record: string | undefined,
): 'refused' | 'no-record' | undefined {
  // A host refuses so and so many datagrams a second, and says nothing to the rest (RFC 4443 §2.4 f, as kernels do for IPv4).
  if (near.some(refused) && near.every((serviceProbe) => !serviceProbe.open)) return 'refused';
  // Other questions to the same server, for its time or for another name, say nothing of this name.
  const named = near.filter((serviceProbe) => serviceProbe.record === record);
  return record !== undefined && named.length > 0 && named.every(unknown) ? 'no-record' : undefined;
}

/** By a route for a part of the network somebody else answers in the host's name, and says nothing of the host. */
function leadsElsewhere(world: World, address: string, { node, ifname }: Attached): boolean {
  const answer = world.lookups.get(node)?.get(address);
  return answer !== undefined && answer.ifname !== ifname;
}

function isThis(serviceProbe: ServiceProbeSeen, address: string, port: number): boolean {
  return serviceProbe.destination === address && serviceProbe.port === port && serviceProbe.via === undefined;
}

function refused(serviceProbe: ServiceProbeSeen): boolean {
  return serviceProbe.answered && !serviceProbe.open;
}

function unknown(serviceProbe: ServiceProbeSeen): boolean {
  return serviceProbe.open && serviceProbe.found === false;
}
