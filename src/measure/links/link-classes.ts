// TCP connection requests over each link, in both IP families: a class of users' traffic that the probes of reflectors, which
// are UDP, do not speak for; and large echoes where a train of large probes lost some and small ones did not. From one end at first; over links that lost a share of one class from both ends, and in the extended round
// several times between quiet readings of both ends' counters, which tell where packets of that class were lost. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { PurposeOf } from '#model/purpose.ts';
import type { ReachTraffic } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import type { LinkClass } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { scopeLinks } from '../scope-links.ts';
import { interfaceOf, type Mute, type States } from '../states.ts';
import { farAddress } from './link-echoes.ts';
import { type Ends, proberFirst } from './link-runs.ts';

/** In each family: a share of 8 % spares all of them, and their answers, in one case of 800, and one of 4 % in 30. */
export const CLASS_PROBES = 40;
/** Of all links together, in the first look: in a large network each link gets fewer, and not fewer than these. */
const FIRST_PROBES = 1_600;
const LEAST_PROBES = 12;
/** Links with a class in doubt that are looked at again. */
const DOUBTED_CLASSES = 6;
const CLASSES: readonly ReachTraffic[] = ['tcp', 'icmp', 'large-icmp'];
/** Of large echoes to one address: few, far apart, so that they are no load; a share of 10 % spares all of them in one case of twelve. */
const LARGE_PROBES = 24;
/** For so long a node sends them and waits for the last of them (router/helper/probe/kernel-answers.ts). */
export const LARGE_RUN_MS = 1_700;
/** Without being asked: policers of a control plane take echoes first, and what they count of ours says nothing of what users send. */
const USUAL: readonly ReachTraffic[] = ['tcp'];

export const linkClasses = defineMeasurement({
  kinds: ['link-classes'],
  rounds: {
    first: ({ states, relays }) => planLinkClasses(states, relays),
    confirmation: ({ states }, { classes }) =>
      classesOver(classes.slice(0, DOUBTED_CLASSES), states, { round: 'confirmation', run: 1 }),
  },
  read: decodeReach,
});

/** One call of a node and class for all its links. */
export function planLinkClasses(states: States, mute: Mute): readonly PlannedCall[] {
  const links = scopeLinks(states);
  const ways = links.map((link) => proberFirst(link, links, mute));
  return USUAL.flatMap((traffic) => callsOf(ways, states, traffic, { round: 'first', run: 1 }));
}

/** More of one class over each of these links, from both ends. */
export function classesOver(
  doubted: readonly LinkClass[],
  states: States,
  run: Pick<PurposeOf<'link-classes'>, 'round' | 'run'>,
): readonly PlannedCall[] {
  return CLASSES.flatMap((traffic) => {
    const links = doubted.filter((each) => each.traffic === traffic).map(({ link }) => link);
    return callsOf(links.flatMap(fromBothEnds), states, traffic, run);
  });
}

function fromBothEnds({ from, to }: Link): readonly Ends[] {
  return [
    [from, to],
    [to, from],
  ];
}

function callsOf(
  ways: readonly Ends[],
  states: States,
  traffic: ReachTraffic,
  { round, run }: Pick<PurposeOf<'link-classes'>, 'round' | 'run'>,
): readonly PlannedCall[] {
  if (traffic === 'large-icmp') return largeCallsOf(ways, states, { round, run });
  const addresses = (each: Ends) => [...farAddress(each, states, 4), ...farAddress(each, states, 6)];
  const each = Math.floor(FIRST_PROBES / Math.max(1, ways.flatMap(addresses).length));
  const count = round === 'first' ? Math.max(LEAST_PROBES, Math.min(CLASS_PROBES, each)) : LIMITS.reachProbes;
  return [...Map.groupBy(ways, ([near]) => near.node)].flatMap(([node, ends]) => {
    const destinations = [...new Set(ends.flatMap(addresses))].slice(0, LIMITS.reachDestinations);
    if (destinations.length === 0) return [];
    const timeoutMs = destinations.length * count + MEASURE_LIMITS.measureCallMs;
    const purpose = { kind: 'link-classes', traffic, round, run } as const;
    return [callFor(node, purpose, { destinations, count, traffic }, timeoutMs)];
  });
}

/** As long as the MTU of the link, which the ends agree on: one call of a node and length. */
function largeCallsOf(
  ways: readonly Ends[],
  states: States,
  { round, run }: Pick<PurposeOf<'link-classes'>, 'round' | 'run'>,
): readonly PlannedCall[] {
  const sized = ways
    .map((ends) => ({ ends, packetBytes: mtuOf(ends, states) }))
    .filter(({ packetBytes }) => packetBytes > 0);
  const groups = Map.groupBy(sized, ({ ends: [near], packetBytes }) => `${near.node} ${packetBytes}`);
  return [...groups.values()].flatMap((group) => {
    const [
      {
        ends: [near],
        packetBytes,
      },
    ] = group as [(typeof group)[number]];
    const destinations = [
      ...new Set(group.flatMap(({ ends }) => [...farAddress(ends, states, 4), ...farAddress(ends, states, 6)])),
    ].slice(0, LIMITS.reachDestinations);
    if (destinations.length === 0) return [];
    const purpose = { kind: 'link-classes', traffic: 'large-icmp', round, run } as const;
    const request = { destinations, count: LARGE_PROBES, traffic: 'large-icmp', packetBytes } as const;
    return [callFor(near.node, purpose, request, MEASURE_LIMITS.measureCallMs)];
  });
}

/** Of both ends, where they agree and an echo may be as long; else 0. */
function mtuOf([from, to]: Ends, states: States): number {
  const [near, far] = [from, to].map((end) => interfaceOf(states, end)?.mtu ?? 0);
  return near === far ? Math.min(near!, LIMITS.echoPayloadBytes) : 0;
}
