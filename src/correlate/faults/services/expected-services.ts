// Services that are to be there, because the operator says so or because their host was seen to serve them lately. Judged only by the
// router that the host is attached to: what a node further away is refused may have been refused on the way. A refusal says by itself that
// nothing serves. Silence says so where the same router was given real answers before: a server may be there for others alone. A connection
// that is accepted and not answered in time says so where the server answered this router steadily: others are slow, or serve something else.

import { LIMITS } from '#base/limits.ts';
import type { AskedService } from '#model/intent.ts';
import type { ResourceId } from '#model/names.ts';
import type { AnsweredService } from '#model/router/host-history.ts';
import { SERVICE_PORTS } from '#model/router/hosts.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { answeredTries } from '../../contrary-evidence.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault, type FaultDefinition } from '../../engine/fault-definition.ts';
import { type Attached, attachedTo, called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { ServiceProbeSeen } from '../../network/service-tries.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { mayFilterTries } from '../../packet-filter/dropping-rules.ts';

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
export function expectedServices({ service, views }: World): readonly ExpectedService[] {
  const seen = [...views.values()].flatMap(({ state }) =>
    (state.history?.services ?? []).flatMap((row): ExpectedService[] => {
      const name = row.service === 'udp' && row.port === 53 ? 'dns' : row.service === 'tcp' ? 'http' : undefined;
      const port = SERVICE_PORTS.find((each) => each === row.port);
      if (
        name === undefined ||
        port === undefined ||
        (row.address === service?.address && port === service.port && service.name !== 'tcp')
      )
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
  if (host === undefined || (agoMs !== undefined && !host.present && host.inDoubt !== true)) return undefined;
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

/** `silent`: nothing comes back; `hung`: it accepts connections and sends nothing in time. */
type Failure = 'refused' | 'silent' | 'hung';
type Failing = ServiceHostDetail & {
  readonly failure: Failure;
  readonly servedAgoS?: number;
  /** How long ago it gave this very router a real answer. */
  readonly answeredAgoS?: number;
};

/** Of a server that accepts connections. */
export const SENT_NOTHING = `accepts connections and sent nothing within ${LIMITS.pageMs / 1_000} s`;

const FAILS: Readonly<Record<Failure, string>> = {
  refused: 'the host is there and refuses',
  silent: 'the host is there, and the service does not answer',
  hung: SENT_NOTHING,
};

/** The faults of a host that is there and does not give its own router what it is to serve. */
export function refusedService(
  { id, nika, summary }: { readonly id: string; readonly nika: string | null; readonly summary: string },
  name: AskedService['name'],
): FaultDefinition {
  return defineFault<Failing>({
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
        .flatMap((service) => failing(world, service)),
    describe: ({ address, port, near, failure, servedAgoS, answeredAgoS }) =>
      `${name.toUpperCase()} at ${address} port ${port} behind ${nodeRef(near)}: ${FAILS[failure]}${since(failure, servedAgoS, answeredAgoS)}`,
    remedy: ({ near, label, failure }) => ({
      node: near,
      summary:
        failure === 'silent'
          ? `${label} behind ${nodeRef(near)}: see whether its service runs, and which filters the host has`
          : `${label} behind ${nodeRef(near)}: start its service again`,
    }),
    contrary: answeredAnyway,
  });
}

function since(failure: Failure, servedAgoS: number | undefined, answeredAgoS: number | undefined): string {
  if (failure !== 'refused' && answeredAgoS !== undefined)
    return `; it answered this router ${ageWords(answeredAgoS * 1_000)} ago`;
  return servedAgoS === undefined ? '' : `, and served ${ageWords(servedAgoS * 1_000)} ago`;
}

function failing(world: World, service: ExpectedService): readonly Detection<Failing>[] {
  const { host, tries } = triesNearby(world, service) ?? { tries: [] };
  if (host === undefined) return [];
  const { agoMs, address, port } = service;
  const before = answeredBefore(world, host.node, service);
  const failure = failureOf(world, host, service, tries, before);
  if (failure === undefined) return [];
  const more = {
    failure,
    ...(agoMs === undefined ? {} : { servedAgoS: Math.round(agoMs / 1_000) }),
    ...(before === undefined || failure === 'refused' ? {} : { answeredAgoS: Math.round(before.okAgoMs / 1_000) }),
  };
  const isCertain = agoMs === undefined && failure === 'refused';
  return serviceDetection(world, { ...host, address, port }, tries, more).map(
    (found): Detection<Failing> => ({ ...found, confidence: isCertain ? 'certain' : 'likely' }),
  );
}

function failureOf(
  world: World,
  host: Attached,
  service: ExpectedService,
  tries: readonly ServiceProbeSeen[],
  before: AnsweredService | undefined,
): Failure | undefined {
  if (isRefused(tries)) return 'refused';
  if (isHung(tries)) return (before?.times ?? 0) >= STEADY ? 'hung' : undefined;
  const kind = {
    service: service.name === 'dns' ? 'udp' : 'tcp',
    port: service.port,
    address: service.address,
  } as const;
  const isExcused = before === undefined || !host.present || mayFilterTries(world, host.node, kind);
  return isSilent(tries) && !isExcused && hasEcho(world, host.node, service.address) ? 'silent' : undefined;
}

/** The latest real answer that this service gave this node, as it remembers; of names any. */
export function answeredBefore(
  world: World,
  node: string,
  { name, address, port }: Pick<ExpectedService, 'name' | 'address' | 'port'>,
): AnsweredService | undefined {
  const service = name === 'dns' ? 'udp' : 'tcp';
  return (world.views.get(node)?.state.history?.watchedHosts?.answered ?? [])
    .filter((each) => each.address === address && each.port === port && each.service === service)
    .sort((one, other) => one.okAgoMs - other.okAgoMs)[0];
}

/** A host refuses so and so many datagrams a second, and says nothing to the rest (RFC 4443 §2.4 f, as kernels do for IPv4). */
function isRefused(tries: readonly ServiceProbeSeen[]): boolean {
  return tries.some(({ answered, open }) => answered && !open) && tries.every(({ open }) => !open);
}

/** One try may have been lost, or met a server that was just starting. */
const LEAST_TRIES = 2;

/** Answers of before with which one that takes too long is a change. */
const STEADY = 3;

/** Each connection was accepted, and nothing came over any of them. */
export function isHung(tries: readonly ServiceProbeSeen[]): boolean {
  const asked = tries.filter(({ reply }) => reply !== undefined);
  return asked.length >= LEAST_TRIES && asked.every(({ reply }) => reply === 'none');
}

export function isSilent(tries: readonly ServiceProbeSeen[]): boolean {
  return tries.length >= LEAST_TRIES && tries.every(({ answered, sent }) => !answered && sent > 0);
}

/** The host answered this node's echoes at that time, and none of several was lost: nothing on the way takes packets by chance. */
export function hasEcho(world: World, node: string, address: string): boolean {
  return world.serviceProbes.some(
    ({ from, destination, service, answered, echoMs = [], sent, via }) =>
      from === node &&
      destination === address &&
      via === undefined &&
      (service === 'echo' ? answered : echoMs.length > 0 && echoMs.length >= sent),
  );
}
