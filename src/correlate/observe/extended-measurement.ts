// What the extended measurement of one link found in one direction: the probes of both ends, and both ends' counters read just before and
// after them. Says whether packets are lost there, were lost for a moment, or whether even this leaves it open.

import { quietCounters } from '#measure/links/extended-measurement.ts';
import { readingsOf } from '#measure/measurement.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { type LinkEnd, nodeResource, type ResourceId } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import {
  type CaseFile,
  type ExtendedMeasurement,
  type Fact,
  type FactWith,
  factsOf,
  type ProbeLoss,
} from '../engine/facts.ts';
import { isLoss, underWay } from '../engine/loss-symptom.ts';
import { denies } from '../engine/second-witness.ts';
import { directionsOf, type WorldLink } from '../network/world.ts';
import { elapsed } from './exchange.ts';
import type { LinkProbe } from './link-probes.ts';
import { bothWays, countsOf } from './probe-counts.ts';
import { compareWire, counterDelta, lackingPackets, type Reading } from './wire.ts';

/** What is counted in it is of its own time: the readings before and after all else were taken when it began. */
export const EXTENDED_WINDOW = 'first..last';

/** Both directions of each link that both ends have probed for long, with both their counts; and what their nodes dropped meanwhile. */
export function extendedFacts(
  probes: readonly LinkProbe[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
  distrust: (link: WorldLink) => string | undefined,
): readonly Fact[] {
  const readings = extendedReadings(evidence, outcomes);
  const damage = [...readings].flatMap(([node, reading]) => damageFacts(node, reading));
  const links = new Map(probes.map(({ link }) => [link.key, link]));
  const looks = [...links.values()].flatMap((link) => {
    const mine = probes.filter((probe) => probe.link.key === link.key);
    return directionsOf(link).flatMap((way) =>
      factOf(link.key, way, mine, readings, probeMsOf(outcomes), distrust(link)),
    );
  });
  return [...damage, ...looks];
}

/** Checksums of the IPv4 probes that look for damage; no other counter of that time belongs to a loss that is judged. */
const ECHO_CHECKSUMS = ['IpExtInCsumErrors', 'UdpInCsumErrors', 'IcmpInCsumErrors'];

function damageFacts(node: string, { before, after, sources }: ExtendedReading): readonly Fact[] {
  return ECHO_CHECKSUMS.flatMap((counter): readonly Fact[] => {
    const packets = counterDelta(before.nodeCounters[counter], after.nodeCounters[counter]);
    if (packets === undefined || packets === 0) return [];
    const value = { node, counter, packets };
    return [
      { subject: nodeResource(node), predicate: 'extended-damage', value, source: sources, window: EXTENDED_WINDOW },
    ];
  });
}

type Way = { readonly from: LinkEnd; readonly to: LinkEnd };
export type ExtendedReading = Reading & { readonly sources: readonly string[] };

function factOf(
  key: ResourceId,
  way: Way,
  probes: readonly LinkProbe[],
  readings: ReadonlyMap<string, ExtendedReading>,
  probeMs: number,
  why: string | undefined,
): readonly Fact[] {
  const [sender, receiver] = [readings.get(way.from.node), readings.get(way.to.node)];
  if (sender === undefined || receiver === undefined) return [];
  const counts = probes.map((probe) => {
    const { out, back } = bothWays(countsOf(probe));
    return { measuredBy: probe.from, ...(probe.from === way.from.node ? out : back) };
  });
  const sum = (pick: (count: (typeof counts)[number]) => number) =>
    counts.reduce((total, count) => total + pick(count), 0);
  const probesSent = sum(({ sent }) => sent);
  const wire = compareWire({
    ...{ ...way, sender, receiver, probeMs, probesSent, probesPerhaps: 0 },
    probesArrived: probesSent - sum(({ lost }) => lost),
    ...(why === undefined ? {} : { distrust: why }),
  });
  const source = [...probes.map((probe) => probe.source), ...sender.sources, ...receiver.sources];
  return [
    {
      subject: key,
      predicate: 'extended-measurement',
      value: { link: key, ...way, counts, wire },
      source,
      window: EXTENDED_WINDOW,
    },
  ];
}

/** Counters that were read in quiet, of nodes that gave both. */
export function extendedReadings(
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
): ReadonlyMap<string, ExtendedReading> {
  const found = new Map<string, { state: NodeState; id: string }>();
  for (const { purpose, node, value, source } of readingsOf(quietCounters, evidence))
    found.set(`${node} ${purpose.reading}`, { state: value, id: source });
  const nodes = new Set([...found.keys()].map((key) => key.split(' ')[0]!));
  return new Map(
    [...nodes].flatMap((node): [string, ExtendedReading][] => {
      const [first, last] = [found.get(`${node} first`), found.get(`${node} last`)];
      if (first === undefined || last === undefined) return [];
      const [beforeMs, afterMs] = [elapsed(outcomes, first.id), elapsed(outcomes, last.id)];
      return [[node, { before: first.state, after: last.state, beforeMs, afterMs, sources: [first.id, last.id] }]];
    }),
  );
}

function probeMsOf(outcomes: readonly Outcome[]): number {
  const long = outcomes.filter(
    (call) => call.status === 'answered' && purposeOf(call, 'link-probe')?.round === 'extended',
  );
  return Math.max(1, ...long.map(({ elapsedMs }) => elapsedMs));
}

export type Settled = { readonly kind: 'lossy' | 'clean' | 'open'; readonly look: FactWith<'extended-measurement'> };

/** What the extended measurement says of the loss `value`; undefined where there was none. */
export function settledBy(file: CaseFile, value: ProbeLoss): Settled | undefined {
  const look = factsOf(file, 'extended-measurement').find(
    (fact) => fact.value.link === value.link && fact.value.from.node === value.from && fact.value.to.node === value.to,
  );
  if (look === undefined) return undefined;
  const { counts, wire } = look.value;
  const enough = counts.length === 2 && counts.every(({ sent }) => sent >= LEAST_EXTENDED_PROBES);
  if (!enough || !wire.comparable) return { kind: 'open', look };
  if (isLossy(look.value)) return { kind: 'lossy', look };
  return { kind: isClean(file, value, look.value) ? 'clean' : 'open', look };
}

/** Of fewer probes a small loss may spare too many. */
const LEAST_EXTENDED_PROBES = 500;

/** Both ends' probes were lost at one rate, and both ends' counters lack as many packets. */
function isLossy({ counts, wire }: ExtendedMeasurement): boolean {
  const [one, other] = counts;
  const agree = counts.every(({ sent, lost }) => isLoss(sent, lost)) && !denies(one!, other!) && !denies(other!, one!);
  const { lost } = totalOf(counts);
  return agree && lackingPackets(wire) * 2 >= lost && wire.lostAtMost >= lost;
}

/** No probe is lost any more, nor a packet by the counters, and none was by the counters of the whole time either. */
function isClean(file: CaseFile, value: ProbeLoss, { counts, wire }: ExtendedMeasurement): boolean {
  const seen = underWay(value);
  const total = totalOf(counts);
  const whole = factsOf(file, 'wire').find(
    (fact) => fact.value.from.node === value.from && fact.value.from.ifname === wire.from.ifname,
  );
  return (
    counts.every(({ sent, lost }) => !isLoss(sent, lost)) &&
    fellSince(seen, total) &&
    wire.lostAtLeast === 0 &&
    whole?.value.comparable === true &&
    whole.value.lostAtLeast === 0 &&
    lackingPackets(whole.value) * 2 < seen.lost
  );
}

/** Two measurements of one loss rate share the losses as they share the probes; chance leaves so few to the second less often than this. */
const BY_CHANCE = 0.01;

function fellSince(first: Counts, second: Counts): boolean {
  const all = first.lost + second.lost;
  const share = first.sent / (first.sent + second.sent);
  // The binomial tail: so many of all, or more, in the first measurement.
  let term = share ** all;
  let tail = 0;
  for (let inFirst = all; inFirst >= first.lost; inFirst--) {
    tail += term;
    term *= (inFirst / (all - inFirst + 1)) * ((1 - share) / share);
  }
  return tail < BY_CHANCE;
}

type Counts = { readonly sent: number; readonly lost: number };

export function totalOf(counts: ExtendedMeasurement['counts']): Counts {
  return counts.reduce((sum, { sent, lost }) => ({ sent: sum.sent + sent, lost: sum.lost + lost }), {
    sent: 0,
    lost: 0,
  });
}
