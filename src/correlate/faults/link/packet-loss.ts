// packet_loss: a link loses packets in one direction. The sending interface is named; both directions are two findings. Evidence is read
// from four places: probes and both ends' counters (loss-by-probes.ts), probes through a router that gives no state, and of a time that is
// over the nodes' own probe rounds and packet counts. Refuses a loss that one end alone reports, with one exception: where the router at
// the other end gives no state, probes of its neighbours through it name the interface (symptoms/links/non-reporting.ts), as `likely`.
import { interfaceResource, type LinkEnd, nodeKey } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import {
  type Detection,
  defineCause,
  type Explanation,
  type Share,
  type Slice,
} from '../../engine/fault-definition.ts';
import { isLoss, type LossSymptom, percentOf, underWay } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { directionsOf, sourcesOf, type WorldLink } from '../../network/world.ts';
import { type ClassLoss, classLossSymptom } from '../../symptoms/links/class-loss.ts';
import { mtuSymptom } from '../../symptoms/links/mtu.ts';
import { damageAround, type PlacedLoss, placedLosses } from '../../symptoms/links/non-reporting.ts';
import { queueSymptom } from '../../symptoms/links/queue-overflow.ts';
import { recurringLossSymptom } from '../../symptoms/links/recurring-loss.ts';
import { cableRemedy, type FarEnd, type LossDetail, type Stretch, stretchOf } from './link-wire.ts';
import { lossesByLength, lossesOfTheLongest } from './loss-by-length.ts';
import { lossesByProbes } from './loss-by-probes.ts';

export const packetLoss = defineCause<LossDetail>({
  id: 'packet_loss',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'silent_egress_packet_loss', netOpsBench: 'packet_loss' },
  summary: 'a link loses packets in one direction; the resource is the sending interface',
  memories: ['probe-rounds', 'packet-counts'],
  explain: (file, losses) => [
    ...throughNonReportingRouter(file),
    ...ofClasses(file, losses),
    ...againAndAgain(file),
    ...lossesByLength(file),
    ...losses
      .filter(
        ({ fact }) => fact.value.scope === 'segment' && isLoss(underWay(fact.value).sent, underWay(fact.value).lost),
      )
      .flatMap((symptom) => lossesByProbes(file, losses, symptom)),
  ],
  detect: (slice) => [...inProbeRounds(slice), ...inPacketCounts(slice)],
  headline: ({ interface: ifname, direction, lossPercent, lengths }, resource) => {
    const which = lengths === undefined ? '' : ` of packets of ${lengths} octets`;
    return `${nodeRef(nodeOf(resource))} ${ifname} → ${direction.split(' → ')[1]} packet loss ${lossPercent} %${which}`;
  },
  remedy: (detail, { world }, resource) => {
    const from = { node: nodeOf(resource), ifname: detail.interface };
    const to: FarEnd = { node: detail.peer, ...(detail.peerInterface ? { ifname: detail.peerInterface } : {}) };
    return cableRemedy(world.views.has(from.node) ? from.node : to.node, from, to);
  },
});

function nodeOf(resource: string): string {
  return resource.split('/')[1] ?? '';
}

/** Where the sending port of a non-reporting router is not known there is nothing to name; damage is another fault, and a node may have dropped them itself. */
function throughNonReportingRouter(file: CaseFile): readonly Explanation<LossDetail>[] {
  return placedLosses(file).flatMap((symptom) => {
    const { detail } = symptom;
    if (detail.sender === undefined || damageAround(file, symptom).length > 0 || dropsItself(file, symptom)) return [];
    const [near, far] = [
      detail,
      { node: detail.router, ...(detail.port === undefined ? {} : { ifname: detail.port }) },
    ];
    const from = detail.towards ? near : { node: far.node, ifname: far.ifname ?? '' };
    return [
      {
        ...{ resource: detail.sender, confidence: 'likely' as const },
        ...{ explains: [shareOf(symptom)], evidence: symptom.source },
        detail: {
          what: symptom.text,
          ...stretchOf(from, detail.towards ? far : near, detail.node),
          lossPercent: detail.lossPercent,
        },
      },
    ];
  });
}

/** Of the lost round trips a direction must lack a quarter: where both lose alike, each lacks half. */
const LEAST_PART = 4;

/** Packets of one class of traffic: both ends' counters, read in quiet around many of them, lack as many in this direction. */
function ofOneClass(file: CaseFile): readonly Explanation<LossDetail>[] {
  return classLossSymptom.of(file).flatMap((symptom) => {
    const { key } = symptom.link ?? {};
    const wires = factsOf(file, 'link-class-wire').filter(
      ({ value }) => value.link === key && value.traffic === symptom.detail.traffic,
    );
    return wires.flatMap(({ value: { sent, lost, wire }, source }): readonly Explanation<LossDetail>[] => {
      const { from, to, txPackets, rxPackets, lostAtLeast, lostAtMost } = wire;
      // Each round trip crosses each direction once: a direction that lost a small part of them is not where they were lost.
      if (!wire.comparable || lostAtLeast === 0 || (txPackets - rxPackets) * LEAST_PART < lost) return [];
      const lossPercent = percentOf(Math.min(lost, wire.estimate), Math.min(sent, txPackets));
      return [
        {
          ...{ resource: interfaceResource(from), confidence: 'certain' as const, score: 3 },
          explains: [shareOf(symptom), ...ofSize(file, symptom)],
          evidence: [...symptom.source, ...source],
          // Both directions may lose it.
          together: symptom.id,
          detail: {
            what: symptom.text,
            ...stretchOf(from, to),
            ...{ lossPercent, probesSent: sent, probesLost: lost },
            ...{ txPackets, rxPackets, lostAtLeast, lostAtMost },
          },
        },
      ];
    });
  });
}

/**
 * Along a path: both ends' own full-size probes were lost in this direction, and echoes as long as the link's MTU with them, while small ones pass. Where
 * no counter was read in quiet, as a longer look does, it is likely. Where small probes were lost there as well, those and the counters say more.
 */
function ofFullSize(file: CaseFile, losses: readonly LossSymptom[]): readonly Explanation<LossDetail>[] {
  return classLossSymptom.of(file).flatMap((symptom) => {
    const { link } = symptom;
    if (link === undefined || symptom.detail.traffic !== 'large-icmp') return [];
    const isRead = factsOf(file, 'link-class-wire').some(
      ({ value }) => value.link === link.key && value.wire.comparable,
    );
    const rows = factsOf(file, 'hop-full').filter(({ value }) => value.link === link.key && value.directionKnown);
    if (isRead) return [];
    return directionsOf(link).flatMap(({ from, to }): readonly Explanation<LossDetail>[] => {
      if (
        losses.some(
          ({ fact: { value } }) => value.scope === 'segment' && value.from === from.node && value.to === to.node,
        )
      )
        return [];
      const mine = rows.filter(({ value }) => value.from.node === from.node);
      const lossy = mine.filter(({ value }) => isLoss(value.sent, value.lost));
      const [own, others] = [from, to].map(({ node }) => lossy.filter(({ value }) => value.measuredBy === node));
      const both = own!.find(({ value }) => others!.some((other) => other.value.family === value.family));
      if (both === undefined) return [];
      const [sent, lost] = [sum(lossy.map(({ value }) => value.sent)), sum(lossy.map(({ value }) => value.lost))];
      return [
        {
          ...{ resource: interfaceResource(from), confidence: 'likely' as const, score: 2.5 },
          explains: [shareOf(symptom), ...ofSize(file, symptom)],
          evidence: [...symptom.source, ...lossy.flatMap(({ source }) => source)],
          // Both directions may lose it.
          together: symptom.id,
          detail: {
            what: `${symptom.text}; both ends lost ${lost} of ${sent} probes of ${both.value.packetBytes} octets this way`,
            ...stretchOf(from, to),
            ...{ lossPercent: percentOf(lost, sent), probesSent: sent, probesLost: lost },
          },
        },
      ];
    });
  });
}

/** By quiet counters or both ends' full-size probes; where those do not tell which way, by their probes of the lengths below. */
function ofClasses(file: CaseFile, losses: readonly LossSymptom[]): readonly Explanation<LossDetail>[] {
  const surer = [...ofOneClass(file), ...ofFullSize(file, losses)];
  const explained = new Set(surer.flatMap(({ explains }) => explains.map(({ symptom }) => symptom)));
  return [...surer, ...lossesOfTheLongest(file, explained)];
}

/** Both ends' probes of a longer look lost some in a direction, and the counters do not deny it; a queue that overflows there explains it without the wire. */
function againAndAgain(file: CaseFile): readonly Explanation<LossDetail>[] {
  return recurringLossSymptom.of(file).flatMap((symptom) => {
    const looks = factsOf(file, 'extended-measurement').filter(({ value }) => value.link === symptom.link?.key);
    return looks.flatMap(({ value: { from, to, counts, wire }, source }): readonly Explanation<LossDetail>[] => {
      const isBoth = counts.length > 1 && counts.every(({ sent, lost }) => isLoss(sent, lost));
      if (!isBoth || (wire.comparable && wire.lostAtLeast === 0) || overflows(file, from)) return [];
      const [sent, lost] = [sum(counts.map((each) => each.sent)), sum(counts.map((each) => each.lost))];
      return [
        {
          ...{ resource: interfaceResource(from), confidence: wire.comparable ? 'certain' : 'likely' },
          ...{ explains: [shareOf(symptom)], evidence: [...symptom.source, ...source] },
          // Both directions may lose them.
          together: symptom.id,
          detail: {
            ...{ what: `${symptom.text}; a longer look lost ${lost} of ${sent}`, ...stretchOf(from, to) },
            ...{ lossPercent: percentOf(lost, sent), probesSent: sent, probesLost: lost },
          },
        },
      ];
    });
  });
}

function overflows(file: CaseFile, { node, ifname }: LinkEnd): boolean {
  return queueSymptom.of(file).some(({ detail }) => detail.node === node && detail.ifname === ifname);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** That all probes close to the MTU are lost is what the loss of large packets looks like to those who compare MTUs. */
function ofSize(file: CaseFile, { detail, link }: Symptom<ClassLoss>): readonly Share[] {
  if (detail.traffic !== 'large-icmp') return [];
  return mtuSymptom
    .of(file)
    .filter((symptom) => symptom.detail.large === true && symptom.link?.key === link?.key)
    .map(shareOf);
}

/** A queue that overflows there, a filter that took as many, or an IP layer that threw away what arrived: the wire may be well. */
function dropsItself(file: CaseFile, { detail }: Symptom<PlacedLoss>): boolean {
  const isHere = (node: string) => nodeKey(node) === nodeKey(detail.node);
  const filtered = factsOf(file, 'filter-hits').some(
    ({ value }) => isHere(value.node) && (value.packets ?? 0) * 2 >= detail.lost,
  );
  const discarded = factsOf(file, 'node-errors').some(
    ({ value }) => !detail.towards && isHere(value.node) && /InDiscards$/.test(value.counter),
  );
  return filtered || discarded || queueSymptom.of(file).some((queue) => queue.detail.node === detail.node);
}

function inProbeRounds(slice: Slice): readonly Detection<LossDetail>[] {
  return factsOf(slice, 'monitored-loss').flatMap(({ value }) => {
    const { link, from, to, sent, lost, share, damaged, seconds } = value;
    if (damaged !== undefined) return [];
    const counts = { probesSent: sent, probesLost: lost, seconds };
    return [over(slice, link, { from, to }, { ...counts, lossPercent: Math.round(share * 1_000) / 10 })];
  });
}

function inPacketCounts(slice: Slice): readonly Detection<LossDetail>[] {
  return factsOf(slice, 'counted-loss').map(({ value: { link, from, to, sent, lost } }) => {
    const lossPercent = Math.min(100, percentOf(lost, Math.max(1, sent)));
    return over(slice, link, { from, to }, { lossPercent, lostPackets: Math.round(lost), txPackets: sent });
  });
}

function over(
  { world }: Slice,
  link: WorldLink,
  { from, to }: { readonly from: LinkEnd; readonly to: LinkEnd },
  counts: Omit<LossDetail, keyof Stretch>,
): Detection<LossDetail> {
  return {
    resource: interfaceResource(from),
    evidence: sourcesOf(world, from.node, to.node),
    nodes: [from.node, to.node],
    link,
    detail: { ...stretchOf(from, to), ...counts },
  };
}
