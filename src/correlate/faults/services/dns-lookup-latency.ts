// dns_lookup_latency: a name server is slow although the link to it and its host are quick: timed by its own router, with echoes beside
// the questions. A name server that no node in scope is attached to is not judged: it may be well, and the path to it not.
import { isLate } from '#model/hosts/name-servers.ts';
import type { ResourceId } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { attachedTo, called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { ServiceProbeSeen } from '../../network/service-tries.ts';
import { sourcesOf, type World } from '../../network/world.ts';

const DNS_PORT = 53;

type Detail = {
  /** Resource ids of the server and its port. */
  readonly host: string;
  readonly port: string;
  /** The router that timed it, and the port that leads to it. */
  readonly router: string;
  readonly ifname: string;
  readonly address: string;
  /** The quickest answer, and the slowest echo beside it. */
  readonly tookMs: number;
  readonly echoMs: number;
};

const describe = ({ host, router, ifname, tookMs, echoMs }: Detail) =>
  `name server ${host.slice('node/'.length)} on ${nodeRef(router)} ${ifname} takes ${tookMs} ms or more to answer, and at most ${echoMs} ms to answer an echo`;

export const dnsLookupLatency = defineFault<Detail>({
  id: 'dns_lookup_latency',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'dns_lookup_latency', netOpsBench: null },
  summary: 'a name server takes long to answer its own router, and its host answers echoes at once',
  clue: 'names',
  memories: ['host-scans'],
  detect: ({ world }) => world.serviceProbes.flatMap((timed) => lateServer(world, timed)),
  describe,
  remedy: (detail) => ({
    node: detail.router,
    summary: `find out what the name server waits for: ${describe(detail)}`,
  }),
});

/** What is late, and how often it must be timed, is one threshold with the node's own monitor (model/hosts/name-servers.ts). */
function lateServer(
  world: World,
  { from, destination, port, tookMs = [], echoMs = [], source }: ServiceProbeSeen,
): readonly Detection<Detail>[] {
  const attached = attachedTo(world, destination);
  const view = world.views.get(from);
  if (port !== DNS_PORT || attached?.node !== from || view === undefined || !isLate({ tookMs, echoMs })) return [];
  const { ifname } = attached;
  const name = called(world, view, ifname, destination);
  return [
    {
      resource: name.port as ResourceId,
      key: destination,
      confidence: 'certain',
      evidence: [source, ...sourcesOf(world, from)],
      nodes: [from],
      detail: {
        ...{ host: name.node, port: name.port, router: from, ifname, address: destination },
        tookMs: Math.round(Math.min(...tookMs)),
        echoMs: Math.round(Math.max(...echoMs)),
      },
    },
  ];
}
