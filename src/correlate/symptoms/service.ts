// A service that does not answer: an echo, a connection or a question that did not come back although the host is there, or is known to
// be missed, where a filter on the path takes such packets and did. Several filters may explain it. A host that refuses by itself is
// no symptom of this kind.
import type { Remark } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, type Fact, type FilterHits, factsOf } from '../engine/facts.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { hadWayBack } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import { interfaceOf, linksAt, otherEnd, ownerOf, sourcesOf, type World } from '../network/world.ts';
import { type Attempt, type AttemptDetail, meets, sendersOf, takes } from '../packet-filter/attempts.ts';
import { isPolicy } from '../packet-filter/dropping-rules.ts';
import { kindOf } from '../packet-filter/filter-kinds.ts';
import {
  asksFor,
  isAgainstService,
  isMissed,
  isNew,
  isPolicyOfService,
  rulesOf,
} from '../packet-filter/missed-services.ts';
import { isLostFromAfar } from './lost-from-afar.ts';

export type ServiceDetail = AttemptDetail & {
  readonly service: ServiceProbeResult['service'];
  readonly behind: boolean;
  /** Its host does not answer its router either, and is missed all the same. */
  readonly absent?: true;
};

export const serviceSymptom = defineSymptom<ServiceDetail>('service');

export function unansweredServices(world: World, facts: readonly Fact[]): readonly Symptom<ServiceDetail>[] {
  const rules = factsOf({ facts }, 'filter-hits').map(({ value }) => value);
  const hits = rules.filter(({ packets = 0 }) => packets > 0);
  const isFiltered = (symptom: Symptom<ServiceDetail>, by: readonly FilterHits[]) =>
    by.some(
      (rule) =>
        mayHaveTaken(world, rule, symptom) &&
        meets(symptom, rule) &&
        takes(rule, symptom) &&
        !isMeant(world, rule, symptom) &&
        isMissed(world, symptom, rule, hits) &&
        !isPolicy(world, rule),
    );
  const silent = world.serviceProbes
    .filter((serviceProbe) => !serviceProbe.answered)
    .flatMap((serviceProbe) =>
      unanswered(world, serviceProbe).filter(
        (symptom) =>
          isAsked(world, symptom) ||
          (isLostFromAfar(world, symptom) && !isBesideTheQuestion(world, symptom)) ||
          isFiltered(symptom, serviceProbe.forProof ? rules.filter((rule) => isNew(world, rule)) : rules),
      ),
    );
  const refusing = hits.filter((rule) => isNewRefusal(world, rule));
  const refused = world.serviceProbes
    .filter((serviceProbe) => isRefusedOnTheWay(world, serviceProbe))
    .flatMap((serviceProbe) => unanswered(world, serviceProbe))
    .filter((symptom) => isFiltered(symptom, refusing));
  return [...silent, ...refused];
}

/** Refused to this node, and open to the router that the host is behind: the host itself does not refuse. */
function isRefusedOnTheWay(
  world: World,
  { from, destination, service, port, answered, open }: ServiceProbeSeen,
): boolean {
  const near = answered && !open ? attachedTo(world, destination) : undefined;
  return near !== undefined && near.node !== from && isOpenTo(world, near.node, { destination, service, port });
}

function isOpenTo(
  world: World,
  node: string,
  {
    destination,
    service,
    port,
  }: Pick<ServiceProbeSeen, 'destination' | 'service'> & { readonly port?: number | undefined },
): boolean {
  return world.serviceProbes.some(
    (each) =>
      each.from === node &&
      each.via === undefined &&
      each.destination === destination &&
      each.service === service &&
      each.port === port &&
      each.open,
  );
}

/**
 * It answers in the name of the host (RFC 9293 §3.5.2, RFC 1122 §3.2.2.1), and was not there before: one that always was is an operator's policy. A
 * rule that may spare this packet is none.
 */
function isNewRefusal(world: World, rule: FilterHits): boolean {
  return (
    rulesOf(world, rule).some(({ verdict, matchesRest }) => verdict === 'reject' && matchesRest !== true) &&
    isNew(world, rule)
  );
}

/** A port that a question alone is about: no host is known to use it, so a rule that was always there does what it is for. */
export function isMeant(world: World, rule: FilterHits, { detail }: Attempt): boolean {
  const { service } = world;
  const isAskedPort =
    service?.name === 'tcp' &&
    detail.service === 'tcp' &&
    detail.destination === service.address &&
    detail.port === service.port;
  return isAskedPort && !isNew(world, rule);
}

/** Its counter rose; or it has none, and is the difference: its kind of packet alone is not answered, by a service that answers its own router. */
export function mayHaveTaken(world: World, rule: FilterHits, { detail }: Symptom<ServiceDetail>): boolean {
  if (rule.packets !== undefined) return rule.packets > 0;
  const { from, destination, service, port } = detail;
  const near = attachedTo(world, destination);
  if (service === 'echo' || near === undefined || near.node === from || !isAgainstService(rule)) return false;
  const here = world.serviceProbes.filter((each) => each.destination === destination && each.via === undefined);
  const same = here.filter((each) => each.from === from && each.service === service && each.port === port);
  return (
    same.every(({ answered }) => !answered) &&
    same.reduce((sum, { sent }) => sum + sent, 0) >= LEAST_PACKETS &&
    here.some((each) => each.from === from && each.service === 'echo' && each.answered) &&
    here.some((each) => each.from === near.node && each.service === service && each.port === port && each.open)
  );
}

/** One may have been lost by chance. */
const LEAST_PACKETS = 2;

function unanswered(world: World, serviceProbe: ServiceProbeSeen): readonly Symptom<ServiceDetail>[] {
  const { from, destination, service, port, sent } = serviceProbe;
  const owner = ownerOf(world, destination);
  const host = owner === undefined ? attachedTo(world, destination) : undefined;
  const last = owner?.node ?? host?.node;
  const isPresent = host?.present === true || (last !== undefined && isOpenTo(world, last, serviceProbe));
  const absent = host !== undefined && !isPresent;
  if (last === undefined || (absent && asksFor(world, { destination, port }).length === 0)) return [];
  const through = serviceProbe.via === undefined ? undefined : handedTo(world, from, serviceProbe.via.mac);
  if (serviceProbe.via !== undefined && (through === undefined || !answeredOtherwise(world, serviceProbe))) return [];
  const there = walk(world, through ?? from, host?.routerAddress ?? destination);
  if (there.endings.some(({ kind }) => kind !== 'delivered')) return [];
  const { sender } = serviceProbe;
  const loopback = world.views
    .get(from)
    ?.state.inventory.loopbacks.map((address) => address.split('/')[0]!)
    .find((address) => address.includes(':') === destination.includes(':'));
  const source = sender ?? loopback;
  const back = source === undefined ? undefined : walk(world, last, source);
  // No answer was owed to an address that no route ever led back to.
  const isOneWay = back !== undefined && back.endings.length > 0 && back.endings.every(({ kind }) => kind === 'none');
  if (isOneWay && !hadWayBack(world, last, source!)) return [];
  const nodes = [...new Set([from, ...there.nodes, ...(back?.nodes ?? [])])];
  const what = service === 'echo' ? 'an echo' : `${service} port ${port}`;
  return [
    serviceSymptom.raise({
      id: `service:${service}${port ?? ''}/${from}${sender === undefined ? '' : ` ${sender}`}>${through === undefined ? '' : `${through}>`}${destination}`,
      subject: nodeResource(last),
      text: `${nodeRef(from)} tried ${what} at ${destination} behind ${nodeRef(last)}${through === undefined ? '' : ` by way of ${nodeRef(through)}`}: ${serviceProbe.answered ? 'it was refused' : 'nothing came back'}${absent ? '' : ', though it is there'}`,
      source: [serviceProbe.source, ...sourcesOf(world, from, last)],
      nodes: [from, last],
      way: { nodes, links: [...new Set([...there.links, ...(back?.links ?? [])])] },
      detail: {
        ...{ from, destination, owner: last, service, sent, behind: host !== undefined },
        ...(absent ? { absent } : {}),
        ...(host === undefined ? {} : { ifname: host.ifname }),
        ...(port === undefined ? {} : { port }),
        ...(source === undefined ? { sources: sendersOf(world, from, destination) } : { source }),
      },
    }),
  ];
}

/** A filter that dropped packets in the window, is an operator's policy for this service, and takes such a try: no answer is then what it is for. */
export function policyAgainst(
  world: World,
  facts: readonly Fact[],
  serviceProbe: ServiceProbeSeen,
): FilterHits | undefined {
  return filtersAgainst(world, facts, serviceProbe).find((rule) => isPolicyOfService(world, rule));
}

/** Filters that dropped packets in the window and take such a try, which nothing answered. */
export function filtersAgainst(
  world: World,
  facts: readonly Fact[],
  serviceProbe: ServiceProbeSeen,
): readonly FilterHits[] {
  const tries = serviceProbe.answered ? [] : unanswered(world, serviceProbe);
  return factsOf({ facts }, 'filter-hits')
    .map(({ value }) => value)
    .filter((rule) => (rule.packets ?? 0) > 0 && tries.some((attempt) => meets(attempt, rule) && takes(rule, attempt)));
}

/** Echoes of other nodes to hosts that are lost so; `answered`: those that came back. */
export function lostFromAfar(world: World, answered = false): readonly Symptom<ServiceDetail>[] {
  const tries = world.serviceProbes.filter((each) => each.service === 'echo' && each.answered === answered);
  const found = tries.flatMap((each) => unanswered(world, each));
  const wanted = answered ? found : found.filter((symptom) => isLostFromAfar(world, symptom));
  return [...new Map(wanted.map((symptom) => [symptom.id, symptom])).values()];
}

/** The operator says that it is to be there: nothing else is needed to miss it. Whether a port is open is a question, and no such word. */
function isAsked({ service }: World, { detail }: Symptom<ServiceDetail>): boolean {
  const { absent, destination, port } = detail;
  if (service?.name === 'tcp') return false;
  return absent !== true && service !== undefined && destination === service.address && port === service.port;
}

/**
 * Of a question how one node reaches a host: what another node sent there and lost, where that node is not on the way, or where the one that is
 * asked about got answers to the same.
 */
function isBesideTheQuestion(
  world: World,
  { detail: { from, destination, service } }: Symptom<ServiceDetail>,
): boolean {
  const [asker] = world.nodes;
  const host = attachedTo(world, destination);
  if (destination !== world.destination || asker === undefined || host === undefined || from === asker) return false;
  const own = world.serviceProbes.filter(
    (each) => each.from === asker && each.destination === destination && each.service === service && !each.via,
  );
  const isAnswered = own.length > 0 && own.every(({ answered }) => answered);
  return isAnswered || !walk(world, asker, host.routerAddress).nodes.includes(from);
}

/** The neighbour whose MAC address a packet was handed to. */
function handedTo(world: World, from: string, mac: string): string | undefined {
  return linksAt(world, from)
    .map((link) => otherEnd(link, from))
    .find((end) => interfaceOf(world, end)?.mac?.toLowerCase() === mac.toLowerCase())?.node;
}

/** The same address answered the same node over another path. */
function answeredOtherwise(world: World, { from, destination }: ServiceProbeSeen): boolean {
  return world.serviceProbes.some(
    (each) => each.from === from && each.destination === destination && each.via === undefined && each.answered,
  );
}

/** Filters that dropped a service in the window that no host is known to miss. */
export function filterRemarks(file: Pick<CaseFile, 'facts' | 'symptoms' | 'world'>): readonly Remark[] {
  const missed = serviceSymptom.of(file);
  const rules = factsOf(file, 'filter-hits').filter(({ value }) => (value.packets ?? 0) > 0);
  const all = rules.filter(({ value }) => isAgainstService(value) || isPolicyOfService(file.world, value));
  const accused = all
    .map(({ value }) => value)
    .filter((rule) => missed.some((symptom) => meets(symptom, rule) && takes(rule, symptom)));
  return all
    .filter(({ value }) => !accused.some((each) => each.node === value.node && kindOf(each) === kindOf(value)))
    .map(({ value: rule, source }) => ({
      ...{ kind: 'acl_misconfig', why: 'policy', resource: nodeResource(rule.node), evidence: [...source].sort() },
      text: `${nodeRef(rule.node)}: a packet filter dropped ${rule.packets} packets (${wordsOf(rule)}); no host is known to miss them, so it may be intended`,
    }));
}
