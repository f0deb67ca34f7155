// link_packet_corruption: a link delivers packets whose checksums do not match. Probes towards a node are lost, both ends count
// the same number of frames, and that node's checksum counters rose.
import { type CaseFile, factsOf, type Wire } from '../facts.ts';
import type { Symptom } from '../symptoms.ts';
import { ownerOf, type WorldLink } from '../world.ts';
import { lossOn, shareOf, simple, troublesOfKind } from './explain.ts';
import type { Proposal, Rule } from './rule.ts';

export const linkPacketCorruption: Rule = {
  fault: 'link_packet_corruption',
  resourceForm: 'link',
  accuses: true,
  nika: 'link_packet_corruption',
  netOpsBench: 'packet_corruption',
  summary:
    'a link delivers damaged packets: the receiver’s checksum counters rise while both ends count the same frames',
  propose: (file, symptoms) => file.world.links.flatMap((link) => proposalFor(file, symptoms, link)),
};

function proposalFor(file: CaseFile, symptoms: readonly Symptom[], link: WorldLink): readonly Proposal[] {
  const damaged = troublesOfKind(file, 'corrupt');
  const ways = [
    { from: link.from, to: link.to },
    { from: link.to, to: link.from },
  ];
  return ways.flatMap(({ from, to }) => {
    const trouble = damaged.find((each) => each.nodes[0] === to.node);
    if (trouble === undefined) return [];
    const errors = Object.values(trouble.detail).reduce<number>((sum, value) => Math.max(sum, Number(value)), 0);
    const lost = lossOn(symptoms, link).filter((symptom) => symptom.fact.value.from === from.node);
    const wire = factsOf(file, 'wire').find(
      ({ value }) => value.from.node === from.node && value.from.ifname === from.ifname && value.to.node === to.node,
    );
    const lostProbes = lost.reduce((sum, symptom) => sum + symptom.fact.value.lost, 0);
    const oldFamily = lostOverIpv4(file, link);
    // Where the other way loses packets, echoes over IPv4 are lost with them.
    const silently = oldFamily > 0 && lossOn(symptoms, link).length === 0;
    if (lost.length === 0 ? !silently : errors < lostProbes / 2) return [];
    if (wire?.value.comparable === true && lostProbes > 0 && lostOnWire(wire.value) > lostProbes / 2) return [];
    // Damaged packets of other traffic are noticed wherever that traffic ends.
    const others = damaged.filter((each) => each !== trouble);
    const explains = [trouble, ...others]
      .map(shareOf)
      .concat(lost.map((symptom) => ({ symptom: symptom.id, lost: symptom.fact.value.lost, spread: 0 })));
    return [
      simple(
        linkPacketCorruption,
        link.key,
        explains,
        [...trouble.source, ...lost.flatMap((symptom) => symptom.fact.source)],
        {
          score: lost.length > 0 ? 3.5 : 3,
          confidence: lost.length > 0 ? 'certain' : 'likely',
          details: {
            from: from.node,
            fromInterface: from.ifname,
            probesLost: lostProbes + oldFamily,
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

/** IPv4 probes over exactly this link that did not come back. */
function lostOverIpv4(file: CaseFile, { from, to }: WorldLink): number {
  const mine = file.world.reach.filter((probe) => {
    const owner = ownerOf(file.world, probe.destination);
    const [near, far] = probe.from === from.node ? [from, to] : [to, from];
    return probe.from === near.node && owner?.node === far.node && owner.ifname === far.ifname;
  });
  return mine.reduce((sum, probe) => sum + probe.sent - probe.received, 0);
}
