// Services that are to be there, because the operator says so or because their host was seen to serve them lately. Judged only by the
// router that the host is attached to: what a node further away is refused may have been refused on the way.
import type { AskedService } from '#model/intent.ts';
import type { ResourceId } from '#model/names.ts';
import { SERVICE_PORTS } from '#model/router/hosts.ts';
import { answeredTries } from '../../contrary-evidence.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault, type FaultDefinition } from '../../engine/fault-definition.ts';
import { type Attached, attachedTo, called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { type ServiceProbeSeen, sourcesOf, type World } from '../../network/world.ts';

/** `agoMs`: how long ago its host was seen to serve it; absent where the operator asks for it. */
export type ExpectedService = AskedService & { readonly address: string; readonly agoMs?: number };

export type ServiceHostDetail = {
  readonly address: string;
  readonly port: number;
  /** The router of the host, and how findings call the host. */
  readonly near: string;
  readonly label: string;
};

/** What the operator says first; what a host was seen to serve lately, in its own network, after that. */
function expectedServices({ service, views }: World): readonly ExpectedService[] {
  const seen = [...views.values()].flatMap(({ state }) =>
    (state.history?.services ?? []).flatMap((row): ExpectedService[] => {
      const name = row.service === 'udp' && row.port === 53 ? 'dns' : row.service === 'tcp' ? 'http' : undefined;
      const port = SERVICE_PORTS.find((each) => each === row.port);
      if (name === undefined || port === undefined || (row.address === service?.address && port === service.port))
        return [];
      return [{ name, port, address: row.address, agoMs: row.agoMs }];
    }),
  );
  return [...(service === undefined ? [] : [service]), ...seen];
}

/** Probes of the service by the router of its host; none where a route leads elsewhere: then another answers in its name. */
export function triesNearby(
  world: World,
  { address, port, agoMs }: ExpectedService,
): { readonly host: Attached; readonly tries: readonly ServiceProbeSeen[] } | undefined {
  const host = attachedTo(world, address);
  if (host === undefined || (agoMs !== undefined && !host.present)) return undefined;
  const route = world.lookups.get(host.node)?.get(address);
  if (route !== undefined && route.ifname !== host.ifname) return undefined;
  const tries = world.serviceProbes.filter(
    (each) => each.destination === address && each.port === port && each.via === undefined && each.from === host.node,
  );
  return { host, tries };
}

export function serviceDetection<More extends object>(
  world: World,
  {
    node,
    ifname,
    address,
    port,
  }: Pick<Attached, 'node' | 'ifname'> & { readonly address: string; readonly port: number },
  tries: readonly ServiceProbeSeen[],
  more: More,
): readonly (Pick<Detection<ServiceHostDetail & More>, 'resource' | 'evidence' | 'nodes' | 'detail'> & {
  readonly key: string;
})[] {
  const view = world.views.get(node);
  if (view === undefined) return [];
  const { node: resource, label } = called(world, view, ifname, address);
  return [
    {
      resource: resource as ResourceId,
      key: `${address} ${port}`,
      evidence: [...tries.map(({ source }) => source), ...sourcesOf(world, node)],
      nodes: [node],
      detail: { address, port, near: node, label, ...more },
    },
  ];
}

/** Any probe that the service answered. */
export function answeredAnyway({ address, port }: ServiceHostDetail, file: CaseFile): readonly string[] {
  return answeredTries(file, address, port);
}

type Refusing = ServiceHostDetail & { readonly servedAgoS?: number };

/** The faults of a host that is there and refuses its own router a service that it is to serve. */
export function refusedService(
  { id, nika, summary }: { readonly id: string; readonly nika: string | null; readonly summary: string },
  name: AskedService['name'],
): FaultDefinition {
  return defineFault<Refusing>({
    id,
    resource: 'node',
    accuses: true,
    labels: { nika, netOpsBench: null },
    summary,
    clue: 'service',
    memories: ['host-scans'],
    detect: ({ world }) =>
      expectedServices(world)
        .filter((service) => service.name === name)
        .flatMap((service) => {
          const { host, tries } = triesNearby(world, service) ?? { tries: [] };
          if (host === undefined || !isRefused(tries)) return [];
          const { agoMs, address, port } = service;
          const served = agoMs === undefined ? {} : { servedAgoS: Math.round(agoMs / 1_000) };
          return serviceDetection(world, { ...host, address, port }, tries, served).map(
            (found): Detection<Refusing> => ({ ...found, confidence: agoMs === undefined ? 'certain' : 'likely' }),
          );
        }),
    describe: ({ address, port, near, servedAgoS }) =>
      `${name.toUpperCase()} at ${address} port ${port} behind ${nodeRef(near)}: the host is there and refuses${servedAgoS === undefined ? '' : `, and served ${servedAgoS} s ago`}`,
    remedy: ({ near, label }) => ({
      node: near,
      summary: `${label} behind ${nodeRef(near)}: start its service again`,
    }),
    contrary: answeredAnyway,
  });
}

/** A host refuses so and so many datagrams a second, and says nothing to the rest (RFC 4443 §2.4 f, as kernels do for IPv4). */
function isRefused(tries: readonly ServiceProbeSeen[]): boolean {
  return tries.some(({ answered, open }) => answered && !open) && tries.every(({ open }) => !open);
}
