// packet_loss by what was measured for the question: probes lost packets on a segment and both ends' counters say the same, on a link
// confirmed from both ends, in the same units; or an extended measurement from both ends says so. `rx > tx` is "not comparable", never
// loss. A measurement that forbids the accusation leaves a candidate with its reason.
import { interfaceResource } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf } from '../../engine/facts.ts';
import type { Explanation, Share } from '../../engine/fault-definition.ts';
import { type LossSymptom, percentOf, underWay } from '../../engine/loss-symptom.ts';
import { isSeenByCounts, wireExplains } from '../../engine/loss-witnesses.ts';
import { contradiction, unconfirmed } from '../../engine/second-witness.ts';
import { settledBy, totalOf } from '../../observe/extended-measurement.ts';
import { ownTrafficRemark, takerAtTheirEnd } from '../../packet-filter/own-traffic.ts';
import { type LossDetail, stretchOf } from './link-wire.ts';

type Direction = { readonly from: string; readonly to: string };
type Losses = readonly LossSymptom[];

export function lossesByProbes(
  file: CaseFile,
  losses: Losses,
  symptom: LossSymptom,
): readonly Explanation<LossDetail>[] {
  return directionsOf(symptom).flatMap((direction) => lossesIn(file, losses, symptom, direction));
}

/** When nothing returned, the loss may lie in either direction. */
function directionsOf({ fact }: LossSymptom): readonly Direction[] {
  const { from, to, directionKnown } = fact.value;
  return directionKnown
    ? [{ from, to }]
    : [
        { from, to },
        { from: to, to: from },
      ];
}

function lossesIn(
  file: CaseFile,
  losses: Losses,
  symptom: LossSymptom,
  way: Direction,
): readonly Explanation<LossDetail>[] {
  const wires = factsOf(file, 'wire').filter(({ value }) => value.from.node === way.from && value.to.node === way.to);
  const settled = settledBy(file, symptom.fact.value);
  if (settled?.kind === 'lossy' && settled.look.value.from.node === way.from)
    return [settledLoss(file, losses, symptom, way, settled.look)];
  return wires.flatMap((wire) => {
    const supported = wireExplains(wire, symptom);
    if (!supported && wire.value.estimate <= 0 && wire.value.comparable) return [];
    const forbidden = supported ? whyForbidden(file, wire, symptom, way) : whyNot(wire);
    const loss = lossOf(file, losses, symptom, way, wire);
    return [forbidden === undefined ? loss : { ...loss, withheld: forbidden }];
  });
}

function whyForbidden(
  file: CaseFile,
  wire: FactWith<'wire'>,
  symptom: LossSymptom,
  way: Direction,
): string | undefined {
  return unconfirmed(file, symptom, way) ?? contradiction(file, symptom, way) ?? whyDoubted(file, wire, symptom);
}

function lossOf(
  file: CaseFile,
  losses: Losses,
  symptom: LossSymptom,
  way: Direction,
  wire: FactWith<'wire'>,
): Explanation<LossDetail> {
  const certain = wire.value.lostAtLeast > 0;
  return {
    resource: interfaceResource(wire.value.from),
    confidence: certain ? 'certain' : 'likely',
    score: certain ? 3 : 2.5,
    explains: [
      { symptom: symptom.id, lost: underWay(symptom.fact.value).lost, spread: 0 },
      ...consequences(file, losses, symptom, way),
    ],
    evidence: [...symptom.fact.source, ...wire.source],
    detail: detailOf(wire, symptom),
  };
}

/** The extended measurement: the probes of both ends and both ends' counters, read in quiet around them. */
function settledLoss(
  file: CaseFile,
  losses: Losses,
  symptom: LossSymptom,
  way: Direction,
  look: FactWith<'extended-measurement'>,
): Explanation<LossDetail> {
  const { wire, counts } = look.value;
  const { sent, lost } = totalOf(counts);
  const fact = { ...look, subject: symptom.fact.subject, predicate: 'wire', value: wire } as const;
  const totals = { lossPercent: percentOf(lost, sent), probesSent: sent, probesLost: lost };
  return { ...lossOf(file, losses, symptom, way, fact), detail: { ...detailOf(fact, symptom), ...totals } };
}

/** Probes along the whole path that are lost because this segment loses them: consequences, not findings. */
function consequences(file: CaseFile, losses: Losses, symptom: LossSymptom, way: Direction): readonly Share[] {
  const { sent, lost } = underWay(symptom.fact.value);
  const rate = lost / sent;
  const outward = file.path.indexOf(way.from) < file.path.indexOf(way.to);
  return losses
    .filter(({ fact }) => fact.value.scope === 'path')
    .filter(({ fact }) => !fact.value.directionKnown || outward === (fact.value.from === file.path[0]))
    .map(({ id, fact }) => ({
      symptom: id,
      lost: rate * fact.value.sent,
      spread: (fact.value.sent / sent) * Math.sqrt(lost),
    }));
}

function whyDoubted(file: CaseFile, wire: FactWith<'wire'>, symptom: LossSymptom): string | undefined {
  const { txPackets, rxPackets, lostAtLeast } = wire.value;
  const taker = lostAtLeast > 0 ? undefined : takerAtTheirEnd(file, symptom);
  if (taker !== undefined)
    return `${ownTrafficRemark(taker)}, and the counters do not show for certain that the link lost any`;
  return isSeenByCounts(file, wire, symptom)
    ? undefined
    : `the counts themselves say ${txPackets - rxPackets} lost, fewer than half of what the probes were`;
}

function whyNot({ value }: FactWith<'wire'>): string {
  if (!value.comparable) return `the counters of this link cannot be compared: ${value.why}`;
  return `both ends' counters account for all but ${Math.max(0, value.estimate)} of ${value.txPackets} packets, fewer than the probes lost`;
}

function detailOf({ value: wire }: FactWith<'wire'>, { fact }: LossSymptom): LossDetail {
  const { sent, lost } = underWay(fact.value);
  return {
    ...stretchOf(wire.from, wire.to, fact.value.measuredBy),
    lossPercent: percentOf(lost, sent),
    probesSent: sent,
    probesLost: lost,
    txPackets: wire.txPackets,
    rxPackets: wire.rxPackets,
    lostAtLeast: wire.lostAtLeast,
    lostAtMost: wire.lostAtMost,
  };
}
