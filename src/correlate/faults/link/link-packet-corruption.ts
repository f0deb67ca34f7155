// link_packet_corruption: a link delivers packets whose checksums do not match. Probes towards a node are lost, both ends count the same
// number of frames, and that node's counters of wrong checksums, or of broken headers, rise. Through a router that gives no state the damage
// shows at the end of the path: routers forward UDP over IPv6 without reading its checksum.
import type { LinkEnd } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import { type Detection, defineCause, type Explanation, type Slice } from '../../engine/fault-definition.ts';
import { isLoss, type LossSymptom } from '../../engine/loss-symptom.ts';
import { lossOn, lossShareOf, shareOf } from '../../engine/proposal.ts';
import { unconfirmed } from '../../engine/second-witness.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { echoesOver } from '../../network/forwarding.ts';
import { directionsOf, sourcesOf, type WorldLink } from '../../network/world.ts';
import { lackingPackets, wiresOver } from '../../observe/wire.ts';
import { damageAround, type PlacedLoss, placedLosses } from '../../symptoms/links/non-reporting.ts';
import { type DamageDetail, damageSymptom } from '../../symptoms/wrong-checksums.ts';
import { cableRemedy, type FarEnd, type Stretch, stretchOf } from './link-wire.ts';

/** Checksums that the probes carry, by the family of their packets; TCP is in no probe. */
const IPV6 = ['Udp6InCsumErrors', 'Icmp6InCsumErrors'];
const IPV4 = ['IpExtInCsumErrors', 'UdpInCsumErrors', 'IcmpInCsumErrors'];
/** The ones that probes through a non-reporting router carry. */
const THROUGH = ['Udp6InCsumErrors'];
/** Of the lost packets, wrong checksums must account for this share. */
const DAMAGED_SHARE = 0.5;

type Detail = Partial<Stretch> & {
  readonly what?: string;
  /** The end that sends, where the direction is known. */
  readonly from: string;
  readonly fromInterface?: string;
  readonly to: string;
  readonly toInterface?: string;
  readonly probesSent?: number;
  readonly probesLost?: number;
  readonly lossPercent?: number;
  readonly checksumErrors?: number;
  readonly headerErrors?: number;
  readonly seconds?: number;
};

export const linkPacketCorruption = defineCause<Detail>({
  id: 'link_packet_corruption',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_packet_corruption', netOpsBench: 'packet_corruption' },
  summary:
    'a link delivers damaged packets: the receiver’s counters of wrong checksums or headers rise while both ends count the same frames',
  memories: ['probe-rounds'],
  explain: (file, losses) => [
    ...inEachDirection(file, losses, damageOn),
    ...inEachDirection(file, losses, malformedOn),
    ...throughNonReportingRouter(file),
  ],
  detect: inProbeRounds,
  remedy: ({ from, fromInterface, to, toInterface }, { world }) => {
    const end = (node: string, ifname: string | undefined): FarEnd =>
      ifname === undefined ? { node } : { node, ifname };
    return cableRemedy(world.views.has(from) ? from : to, end(from, fromInterface), end(to, toInterface));
  },
});

function inEachDirection(
  file: CaseFile,
  losses: readonly LossSymptom[],
  explained: typeof damageOn,
): readonly Explanation<Detail>[] {
  return file.world.links.flatMap((link) =>
    directionsOf(link).flatMap(({ from, to }) => explained(file, losses, link, from, to)),
  );
}

function damageOn(
  file: CaseFile,
  losses: readonly LossSymptom[],
  link: WorldLink,
  from: LinkEnd,
  to: LinkEnd,
): readonly Explanation<Detail>[] {
  const damaged = damageSymptom.of(file);
  const symptom = damaged.find((each) => each.nodes[0] === to.node);
  if (symptom === undefined) return [];
  const lost = lossOn(losses, link).filter((each) => each.fact.value.from === from.node);
  const lostProbes = lost.reduce((sum, each) => sum + each.fact.value.lost, 0);
  // Where the other direction loses packets, echoes over IPv4 are lost with them.
  const pings = lossOn(losses, link).length === 0 ? lostPings(file, link) : 0;
  const errors = errorsOf(symptom, lost.length > 0 ? IPV6 : IPV4);
  if (errors < (lost.length > 0 ? lostProbes : pings) * DAMAGED_SHARE) return [];
  if (lost.length === 0 && pings === 0) return [];
  if (isLostOnWire(file, from, to, lostProbes)) return [];
  // Two witnesses: the node that sent the probes, and the one that counted them damaged. Where they are one, the other end's probes must say so too.
  const isOneReport = lost.length > 0 && lost.every(({ fact }) => fact.value.measuredBy === to.node);
  const alone = isOneReport ? unconfirmed(file, lost[0]!, { from: from.node, to: to.node }) : undefined;
  // Damaged packets of other traffic are noticed wherever that traffic ends.
  const others = damaged.filter((each) => each !== symptom);
  return [
    {
      resource: link.key,
      explains: [...[symptom, ...others].map(shareOf), ...lost.map(lossShareOf)],
      evidence: [...symptom.source, ...lost.flatMap((each) => each.fact.source)],
      score: lost.length > 0 ? 3.5 : 3,
      confidence: lost.length > 0 ? 'certain' : 'likely',
      ...(alone === undefined ? {} : { withheld: alone }),
      // That the other family's probes over the same link all returned makes it likely and no more.
      against: lost.length > 0 ? [] : wholeProbes(file, link),
      detail: { ...endsOf(from, to), probesLost: lostProbes + pings, checksumErrors: errors },
    },
  ];
}

/** Counts packets with a broken IPv6 header, and those whose hop limit ran out: probes to a neighbour have hops to spare. */
const MALFORMED = 'Ip6InHdrErrors';

/** Probes of both ends are lost on the way to a node whose IP layer refused as many for their headers, and no other node's did; all frames arrived. */
function malformedOn(
  file: CaseFile,
  losses: readonly LossSymptom[],
  link: WorldLink,
  from: LinkEnd,
  to: LinkEnd,
): readonly Explanation<Detail>[] {
  const lost = lossOn(losses, link).filter(
    ({ fact: { value } }) => value.from === from.node && value.link === link.key && value.directionKnown,
  );
  const lostProbes = lost.reduce((sum, { fact }) => sum + fact.value.lost, 0);
  const refusing = factsOf(file, 'node-errors').filter(({ value }) => value.counter === MALFORMED);
  const [only, ...others] = refusing;
  const tellers = new Set(lost.map(({ fact }) => fact.value.measuredBy));
  if (only === undefined || others.length > 0 || only.value.node !== to.node || tellers.size < 2) return [];
  if (only.value.packets < lostProbes * DAMAGED_SHARE || !isNothingLostOnWire(file, from, to, lostProbes)) return [];
  const ways = { from: from.node, to: to.node };
  if (lost.some((each) => unconfirmed(file, each, ways) !== undefined)) return [];
  return [
    {
      resource: link.key,
      explains: lost.map(lossShareOf),
      evidence: [...new Set([...only.source, ...lost.flatMap(({ fact }) => fact.source)])],
      confidence: 'likely',
      detail: { ...endsOf(from, to), probesLost: lostProbes, headerErrors: only.value.packets },
    },
  ];
}

/** The counters of both ends can be compared, and account for the frames. */
function isNothingLostOnWire(file: CaseFile, from: LinkEnd, to: LinkEnd, lostProbes: number): boolean {
  const [wire] = wiresOver(file, { from, to });
  return wire?.value.comparable === true && lackingPackets(wire.value) <= lostProbes / 2;
}

function endsOf(from: LinkEnd, to: LinkEnd): Pick<Detail, 'from' | 'fromInterface' | 'to' | 'toInterface'> {
  return { from: from.node, fromInterface: from.ifname, to: to.node, toInterface: to.ifname };
}

/** The counters of both ends say that the frames never arrived: then they were not damaged but lost. */
function isLostOnWire(file: CaseFile, from: LinkEnd, to: LinkEnd, lostProbes: number): boolean {
  const [wire] = wiresOver(file, { from, to });
  return wire?.value.comparable === true && lostProbes > 0 && lackingPackets(wire.value) > lostProbes / 2;
}

/** Probes over the link that all came back. */
function wholeProbes(file: CaseFile, link: WorldLink): readonly string[] {
  return factsOf(file, 'probe-loss')
    .filter(({ value }) => value.link === link.key && value.lost === 0)
    .flatMap(({ source }) => source);
}

function errorsOf({ detail }: Symptom<DamageDetail>, counters: readonly string[]): number {
  return Math.max(0, ...counters.map((counter) => detail[counter] ?? 0));
}

/** IPv4 probes over exactly this link that did not come back, when they are too many for chance. */
function lostPings(file: CaseFile, link: WorldLink): number {
  const { sent, lost } = echoesOver(file.world, link);
  return isLoss(sent, lost) ? lost : 0;
}

/** Links of a router that gives no state, whose lost probes the checksum counters of those that they were for account for. */
function throughNonReportingRouter(file: CaseFile): readonly Explanation<Detail>[] {
  const placed = placedLosses(file);
  const links = new Set(placed.flatMap(({ detail: { link } }) => link ?? []));
  return [...links].flatMap((link) => {
    const symptoms = placed.filter(({ detail }) => detail.link === link);
    const damage = [...new Set(symptoms.flatMap((symptom) => damageAround(file, symptom)))];
    const lost = symptoms.reduce((sum, { detail }) => sum + detail.lost, 0);
    const errors = damage.reduce((sum, symptom) => sum + errorsOf(symptom, THROUGH), 0);
    if (damage.length === 0 || errors < lost * DAMAGED_SHARE) return [];
    const all: readonly Symptom[] = [...symptoms, ...damage];
    return [
      {
        ...{ resource: link, confidence: 'likely' as const },
        ...{ explains: all.map(shareOf), evidence: all.flatMap(({ source }) => source) },
        detail: nonReportingDetail(symptoms[0]!),
      },
    ];
  });
}

function nonReportingDetail({ text, detail }: Symptom<PlacedLoss>): Detail {
  const near = { node: detail.node, ifname: detail.ifname };
  const far = { node: detail.router, ifname: detail.port ?? '' };
  return { what: text, lossPercent: detail.lossPercent, ...(detail.towards ? endsOf(near, far) : endsOf(far, near)) };
}

function inProbeRounds(slice: Slice): readonly Detection<Detail>[] {
  return factsOf(slice, 'monitored-loss').flatMap(({ value: { link, from, to, sent, lost, damaged, seconds } }) => {
    if (damaged === undefined) return [];
    const counts = { probesSent: sent, probesLost: lost, seconds, checksumErrors: damaged };
    return [
      {
        ...{ resource: link.key, evidence: sourcesOf(slice.world, from.node, to.node) },
        ...{ nodes: [from.node, to.node], link },
        detail: { ...stretchOf(from, to), ...endsOf(from, to), ...counts },
      },
    ];
  });
}
