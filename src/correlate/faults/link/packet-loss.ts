// packet_loss: a link loses packets in one direction. The sending interface is named; both directions are two findings.
// Accuses only when probes lost packets on that segment and both ends' counters say the same, on a link confirmed from both
// ends, in the same units. `rx > tx` is "not comparable", never loss.
import { interfaceResource } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal, Share } from '../../engine/fault-definition.ts';
import { atLeast, isLoss, type LossSymptom, percentOf, underWay } from '../../engine/loss-symptom.ts';
import { contradiction, unconfirmed } from '../../engine/second-witness.ts';
import { mark } from '../../network/node-ref.ts';
import { settledBy, totalOf } from '../../observe/extended-measurement.ts';
import { lossBesideSilent } from './non-reporting-router.ts';

export const packetLoss: FaultDefinition = {
  id: 'packet_loss',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'silent_egress_packet_loss', netOpsBench: 'packet_loss' },
  summary: 'a link loses packets in one direction; the resource is the sending interface',
  propose: (file, losses) => [
    ...lossBesideSilent(file),
    ...losses
      .filter(
        ({ fact }) => fact.value.scope === 'segment' && isLoss(underWay(fact.value).sent, underWay(fact.value).lost),
      )
      .flatMap((symptom) => waysOf(symptom).flatMap((way) => proposalsFor(file, losses, symptom, way))),
  ],
};

/** True when the counters of a link say that the wire lost about what the probes lost. */
export function wireExplains(wire: FactWith<'wire'>, symptom: LossSymptom): boolean {
  const { value } = wire;
  return (
    value.comparable &&
    value.estimate > 0 &&
    value.estimate >= needed(wire, symptom) &&
    value.lostAtMost >= underWay(symptom.fact.value).lost
  );
}

/**
 * Half of what the wire must have lost if all its traffic fared like the probes, and never less than half the lost probes.
 * Where probes of many flows are lost, the loss may hit some flows alone.
 */
function needed(wire: FactWith<'wire'>, symptom: LossSymptom): number {
  const { sent, lost } = underWay(symptom.fact.value);
  if (symptom.fact.value.flows !== undefined) return lost / 2;
  return Math.max(lost / 2, ((atLeast(lost) / sent) * wire.value.txPackets) / 2);
}

type Way = { readonly from: string; readonly to: string };

/** When nothing came back, the loss may lie on the way out or on the way back. */
function waysOf(symptom: LossSymptom): readonly Way[] {
  const { from, to, directionKnown } = symptom.fact.value;
  return directionKnown
    ? [{ from, to }]
    : [
        { from, to },
        { from: to, to: from },
      ];
}

function proposalsFor(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: LossSymptom,
  way: Way,
): readonly Proposal[] {
  const wires = factsOf(file, 'wire').filter(({ value }) => value.from.node === way.from && value.to.node === way.to);
  const settled = settledBy(file, symptom.fact.value);
  if (settled?.kind === 'lossy' && settled.look.value.from.node === way.from)
    return [settledLoss(file, losses, symptom, way, settled.look)];
  return wires.flatMap((wire) => {
    const supported = wireExplains(wire, symptom);
    const certain = wire.value.lostAtLeast > 0;
    const forbidden = supported
      ? (unconfirmed(file, symptom, way) ??
        contradiction(file, symptom, way) ??
        (certain ? undefined : whyDoubted(file, wire, symptom)))
      : whyNot(wire);
    if (!supported && wire.value.estimate <= 0 && wire.value.comparable) return [];
    const proposal = lossOf(file, losses, symptom, way, wire);
    return [forbidden === undefined ? proposal : { ...proposal, withheld: forbidden }];
  });
}

function lossOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: LossSymptom,
  way: Way,
  wire: FactWith<'wire'>,
): Proposal {
  const certain = wire.value.lostAtLeast > 0;
  return {
    fault: 'packet_loss',
    resource: interfaceResource(wire.value.from),
    confidence: certain ? 'certain' : 'likely',
    score: certain ? 3 : 2.5,
    explains: [
      { symptom: symptom.id, lost: underWay(symptom.fact.value).lost, spread: 0 },
      ...consequences(file, losses, symptom, way),
    ],
    evidence: [...symptom.fact.source, ...wire.source],
    against: [],
    details: detailsOf(wire, symptom, way),
    remedy: {
      node: way.from,
      summary: `check cable, optics and whatever lies between ${mark(way.from)} ${wire.value.from.ifname} and ${mark(way.to)} ${wire.value.to.ifname}`,
    },
  };
}

/** A longer look says it: the probes of both ends and both ends' counters, read in quiet around them. */
function settledLoss(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: LossSymptom,
  way: Way,
  look: FactWith<'long-look'>,
): Proposal {
  const { wire, words } = look.value;
  const { sent, lost } = totalOf(words);
  const fact = { ...look, subject: symptom.fact.subject, predicate: 'wire', value: wire } as const;
  return {
    ...lossOf(file, losses, symptom, way, fact),
    details: {
      ...detailsOf(fact, symptom, way),
      ...{ lossPercent: percentOf(lost, sent), probesSent: sent, probesLost: lost },
    },
  };
}

/** Probes along the whole path that are lost because this segment loses them: consequences, not findings. */
function consequences(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: LossSymptom,
  way: Way,
): readonly Share[] {
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

/** What only the lengths of the two windows make up is nothing that was seen: between bursts of probes traffic is not even. */
function whyDoubted({ path }: CaseFile, wire: FactWith<'wire'>, symptom: LossSymptom): string | undefined {
  const { txPackets, rxPackets } = wire.value;
  const seen = path.length > 0 || (txPackets - rxPackets) * 2 >= needed(wire, symptom);
  return seen
    ? undefined
    : `the counts themselves say ${txPackets - rxPackets} lost, fewer than half of what the probes were`;
}

function whyNot(wire: FactWith<'wire'>): string {
  const { value } = wire;
  if (!value.comparable) return `the counters of this link cannot be compared: ${value.why}`;
  return `both ends' counters account for all but ${Math.max(0, value.estimate)} of ${value.txPackets} packets, fewer than the probes lost`;
}

function detailsOf(wire: FactWith<'wire'>, symptom: LossSymptom, way: Way): Proposal['details'] {
  const { sent, lost } = underWay(symptom.fact.value);
  return {
    segment: `${mark(symptom.fact.value.measuredBy)} – ${mark(symptom.fact.value.measuredBy === way.from ? way.to : way.from)}`,
    direction: `${mark(way.from)} → ${mark(way.to)}`,
    interface: wire.value.from.ifname,
    peerInterface: wire.value.to.ifname,
    lossPercent: percentOf(lost, sent),
    probesSent: sent,
    probesLost: lost,
    txPackets: wire.value.txPackets,
    rxPackets: wire.value.rxPackets,
    lostAtLeast: wire.value.lostAtLeast,
    lostAtMost: wire.value.lostAtMost,
  };
}
