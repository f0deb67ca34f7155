// Symptoms of services: an echo, a connection or a question that did not come back although the host is there, or is known to be missed,
// where a filter on the way takes such packets and did; and filters that hide that packets are too large. A host that refuses by itself is no symptom.
import { nodeResource } from '#model/names.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Fact, FactWith } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { walk } from '../../network/forwarding.ts';
import { attachedTo } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import {
  interfaceOf,
  linksAt,
  otherEnd,
  ownerOf,
  type ServiceProbeSeen,
  sourcesOf,
  type World,
} from '../../network/world.ts';
import { meets, sendersOf, takes } from '../../packet-filter/attempts.ts';
import { kindOf } from '../../packet-filter/filter-kinds.ts';
import { asksFor, isMissed } from '../../packet-filter/missed-services.ts';
import { deadServices } from './asked-service-symptoms.ts';

export function serviceSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const hits = facts
    .filter((fact): fact is FactWith<'filter-hits'> => fact.predicate === 'filter-hits')
    .map(({ value }) => value)
    .filter(({ packets = 0 }) => packets > 0);
  return [
    ...world.serviceProbes
      .filter((serviceProbe) => !serviceProbe.answered)
      .flatMap((serviceProbe) => serviceSymptom(world, serviceProbe))
      .filter(
        (symptom) =>
          isAsked(world, symptom) ||
          hits.some(
            (rule) =>
              meets(symptom, rule) &&
              takes(rule, symptom) &&
              isMissed(world, symptom, rule, hits) &&
              !isPolicy(world, rule),
          ),
      ),
    ...deadServices(world),
    ...hiddenSizes(world),
  ];
}

function serviceSymptom(world: World, serviceProbe: ServiceProbeSeen): readonly Symptom[] {
  const { from, destination, service, port, sent } = serviceProbe;
  const owner = ownerOf(world, destination);
  const host = owner === undefined ? attachedTo(world, destination) : undefined;
  const last = owner?.node ?? host?.node;
  const absent = host !== undefined && !host.present;
  if (last === undefined || (absent && asksFor(world, serviceProbe).length === 0)) return [];
  const through = serviceProbe.via === undefined ? undefined : handedTo(world, from, serviceProbe.via.mac);
  if (serviceProbe.via !== undefined && (through === undefined || !answeredOtherwise(world, serviceProbe))) return [];
  const there = walk(world, through ?? from, host?.routerAddress ?? destination);
  if (there.endings.some(({ kind }) => kind !== 'delivered')) return [];
  const source = world.views
    .get(from)
    ?.state.inventory.loopbacks.map((address) => address.split('/')[0]!)
    .find((address) => !address.includes(':'));
  const back = source === undefined ? undefined : walk(world, last, source);
  const nodes = [...new Set([from, ...there.nodes, ...(back?.nodes ?? [])])];
  const what = service === 'echo' ? 'an echo' : `${service} port ${port}`;
  return [
    {
      id: `service:${service}${port ?? ''}/${from}>${through === undefined ? '' : `${through}>`}${destination}`,
      kind: 'service',
      subject: nodeResource(last),
      text: `${mark(from)} tried ${what} at ${destination} behind ${mark(last)}${through === undefined ? '' : ` by way of ${mark(through)}`}: nothing came back${absent ? '' : ', though it is there'}`,
      source: [serviceProbe.source, ...sourcesOf(world, from, last)],
      nodes: [from, last],
      way: { nodes, links: [...new Set([...there.links, ...(back?.links ?? [])])] },
      detail: {
        from,
        destination,
        owner: last,
        service,
        sent,
        behind: host !== undefined,
        ...(absent ? { absent } : {}),
        ...(host === undefined ? {} : { ifname: host.ifname }),
        ...(port === undefined ? {} : { port }),
        ...(source === undefined ? { sources: sendersOf(world, from, destination) } : { source }),
      },
    },
  ];
}

/** The operator says that it is to be there: nothing else is needed to miss it. */
function isAsked({ service }: World, { detail }: Symptom): boolean {
  if (detail['absent'] === true) return false;
  return service !== undefined && detail['destination'] === service.address && detail['port'] === service.port;
}

/** The neighbour whose MAC address a packet was handed to. */
function handedTo(world: World, from: string, mac: string): string | undefined {
  return linksAt(world, from)
    .map((link) => otherEnd(link, from))
    .find((end) => interfaceOf(world, end)?.mac?.toLowerCase() === mac.toLowerCase())?.node;
}

/** The same address answered the same node by another way. */
function answeredOtherwise(world: World, { from, destination }: ServiceProbeSeen): boolean {
  return world.serviceProbes.some(
    (each) => each.from === from && each.destination === destination && each.via === undefined && each.answered,
  );
}

/** What most nodes filter alike is meant to be. */
export function isPolicy(world: World, rule: Partial<Pick<FilterRule, 'family' | 'matches'>>): boolean {
  const kind = kindOf(rule);
  if (world.views.size < 3) return false;
  const same = (each: FilterRule) =>
    kind === undefined ? JSON.stringify(each.matches) === JSON.stringify(rule.matches) : kindOf(each) === kind;
  const alike = [...world.views.values()].filter(({ state }) =>
    state.filters.some((each) => isDropping(each) && same(each)),
  );
  return alike.length * 2 > world.views.size;
}

export function isDropping(rule: FilterRule): boolean {
  return rule.verdict === 'drop' || rule.verdict === 'reject';
}

/** RFC 4890 §4.3.1: these messages must not be dropped. It hurts where a node's links differ in size. */
function hiddenSizes(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state, sources }): readonly Symptom[] => {
    const hiding = state.filters.filter((rule) => isDropping(rule) && kindOf(rule) === 'too-large');
    const sizes = state.inventory.interfaces
      .filter((entry) => entry.kind === 'physical' && entry.operUp)
      .map((entry) => entry.mtu);
    if (hiding.length === 0 || new Set(sizes).size < 2) return [];
    return [
      {
        id: `filter:${node}`,
        kind: 'filter',
        subject: nodeResource(node),
        text: `${mark(node)} drops the messages that say that a packet is too large, and its links carry ${Math.min(...sizes)} to ${Math.max(...sizes)} octets`,
        source: sources,
        nodes: [node],
        detail: { rules: hiding.length, smallest: Math.min(...sizes), largest: Math.max(...sizes) },
      },
    ];
  });
}
