// link_packet_corruption: a link delivers packets whose checksums do not match. Probes towards a node are lost, both ends count
// the same number of frames, and that node's checksum counters rose.
import { type CaseFile, factsOf, type Wire } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { isLoss, type LossSymptom } from '../../engine/loss-symptom.ts';
import { lossOn, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { unconfirmed } from '../../engine/second-witness.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { echoesOver, type WorldLink } from '../../network/world.ts';
import { damageBesideSilent } from './non-reporting-router.ts';

export const linkPacketCorruption: FaultDefinition = {
  id: 'link_packet_corruption',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_packet_corruption', netOpsBench: 'packet_corruption' },
  summary:
    'a link delivers damaged packets: the receiver’s checksum counters rise while both ends count the same frames',
  propose: (file, losses) => [
    ...file.world.links.flatMap((link) => proposalFor(file, losses, link)),
    ...damageBesideSilent(file),
  ],
};

function proposalFor(file: CaseFile, losses: readonly LossSymptom[], link: WorldLink): readonly Proposal[] {
  const damaged = symptomsOfKind(file, 'corrupt');
  const ways = [
    { from: link.from, to: link.to },
    { from: link.to, to: link.from },
  ];
  return ways.flatMap(({ from, to }) => {
    const symptom = damaged.find((each) => each.nodes[0] === to.node);
    if (symptom === undefined) return [];
    const lost = lossOn(losses, link).filter((symptom) => symptom.fact.value.from === from.node);
    const wire = factsOf(file, 'wire').find(
      ({ value }) => value.from.node === from.node && value.from.ifname === from.ifname && value.to.node === to.node,
    );
    const lostProbes = lost.reduce((sum, symptom) => sum + symptom.fact.value.lost, 0);
    // Where the other way loses packets, echoes over IPv4 are lost with them.
    const pings = lossOn(losses, link).length === 0 ? lostPings(file, link) : 0;
    const errors = errorsOf(symptom, lost.length > 0 ? IPV6 : IPV4);
    if (errors < (lost.length > 0 ? lostProbes : pings) / 2) return [];
    if (lost.length === 0 && pings === 0) return [];
    // Two witnesses: who sent the probes, and who counted them damaged. Where they are one, the other end's probes must say so too.
    const isOneWord = lost.length > 0 && lost.every(({ fact }) => fact.value.measuredBy === to.node);
    const alone = isOneWord ? unconfirmed(file, lost[0]!, { from: from.node, to: to.node }) : undefined;
    if (wire?.value.comparable === true && lostProbes > 0 && lostOnWire(wire.value) > lostProbes / 2) return [];
    // Damaged packets of other traffic are noticed wherever that traffic ends.
    const others = damaged.filter((each) => each !== symptom);
    const explains = [symptom, ...others]
      .map(shareOf)
      .concat(lost.map((symptom) => ({ symptom: symptom.id, lost: symptom.fact.value.lost, spread: 0 })));
    return [
      newProposal(
        linkPacketCorruption,
        link.key,
        explains,
        [...symptom.source, ...lost.flatMap((symptom) => symptom.fact.source)],
        {
          score: lost.length > 0 ? 3.5 : 3,
          confidence: lost.length > 0 ? 'certain' : 'likely',
          ...(alone === undefined ? {} : { withheld: alone }),
          // That the other family's probes over the same link all came back makes it likely and no more.
          against: lost.length > 0 ? [] : wholeProbes(file, link),
          details: {
            from: from.node,
            fromInterface: from.ifname,
            probesLost: lostProbes + pings,
            checksumErrors: errors,
          },
          remedy: {
            node: from.node,
            summary: `check cable and optics between ${from.node} ${from.ifname} and ${to.node} ${to.ifname}`,
          },
        },
      ),
    ];
  });
}

/** In the counts as they are as well: what only the lengths of the two windows make up is nothing that was seen. */
function lostOnWire({ estimate, txPackets, rxPackets }: Wire): number {
  return Math.min(estimate, txPackets - rxPackets);
}

/** Probes over the link that all came back. */
function wholeProbes(file: CaseFile, link: WorldLink): readonly string[] {
  return factsOf(file, 'probe-loss')
    .filter(({ value }) => value.link === link.key && value.lost === 0)
    .flatMap(({ source }) => source);
}

/** Checksums that the probes carry, by the family of their packets; TCP is in no probe. */
const IPV6 = ['Udp6InCsumErrors', 'Icmp6InCsumErrors'];
const IPV4 = ['IpExtInCsumErrors', 'UdpInCsumErrors', 'IcmpInCsumErrors'];

function errorsOf({ detail }: Symptom, counters: readonly string[]): number {
  return Math.max(0, ...counters.map((counter) => Number(detail[counter] ?? 0)));
}

/** IPv4 probes over exactly this link that did not come back, when they are too many for chance. */
function lostPings(file: CaseFile, link: WorldLink): number {
  const { sent, lost } = echoesOver(file.world, link);
  return isLoss(sent, lost) ? lost : 0;
}
