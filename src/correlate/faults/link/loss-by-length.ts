// Packets of some lengths that a link loses, as packet_loss explains them: both ends' own probes of the second look were lost in this direction, and
// their reflectors' counts tell which. Likely, as the counters of both ends hold all packets together. Where the ends do not agree, or those counters do
// not lack what was lost, no end is named: the node that receives may have dropped it.
import { interfaceResource } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import type { Explanation } from '../../engine/fault-definition.ts';
import { percentOf } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import type { WorldLink } from '../../network/world.ts';
import { classLossSymptom } from '../../symptoms/links/class-loss.ts';
import {
  againOver,
  directionsThatLose,
  lengthLossSymptom,
  lengthsOf,
  lossesThisWay,
} from '../../symptoms/links/length-loss.ts';
import { isOfDirection } from '../../symptoms/links/length-witnesses.ts';
import { mtuSymptom } from '../../symptoms/links/mtu.ts';
import { type LossDetail, stretchOf } from './link-wire.ts';

export function lossesByLength(file: CaseFile): readonly Explanation<LossDetail>[] {
  return lengthLossSymptom.of(file).flatMap((symptom) => {
    const { link, detail } = symptom;
    const { least, most } = detail;
    if (link === undefined) return [];
    return waysThatLose(file, link).map(({ from, to, sent, lost }) => ({
      ...{ resource: interfaceResource(from), confidence: 'likely' as const, score: 2.5 },
      ...{ explains: [shareOf(symptom)], evidence: [...symptom.source] },
      // Both directions may lose them.
      together: symptom.id,
      detail: {
        what: `${symptom.text}; both ends lost ${lost} of their ${sent} probes this way`,
        ...stretchOf(from, to),
        lossPercent: percentOf(Math.min(lost, detail.sent), detail.sent),
        ...{ probesSent: sent, probesLost: lost, lengths: `${least} to ${most}` },
      },
    }));
  });
}

/**
 * That echoes as long as the MTU do not come back over a link does not tell which way they are lost: both ends' probes of the lengths below do. Hellos of
 * IS-IS, which are padded to that length, are lost with them. `explained`: symptoms that need no other explanation.
 */
export function lossesOfTheLongest(file: CaseFile, explained: ReadonlySet<string>): readonly Explanation<LossDetail>[] {
  return classLossSymptom.of(file).flatMap((symptom) => {
    const { link } = symptom;
    if (link === undefined || symptom.detail.traffic !== 'large-icmp' || explained.has(symptom.id)) return [];
    const followed = file.symptoms.filter(
      (each) => each.link?.key === link.key && (FOLLOWED.includes(each.kind) || isOfSize(each)),
    );
    return waysThatLose(file, link).map(({ from, to, sent, lost, lengths }) => ({
      ...{ resource: interfaceResource(from), confidence: 'likely' as const, score: 2.4 },
      ...{ explains: [symptom, ...followed].map(shareOf), evidence: [...symptom.source] },
      together: symptom.id,
      detail: {
        what: `${symptom.text}; both ends lost ${lost} of their ${sent} probes of ${lengths} octets this way`,
        ...{ ...stretchOf(from, to), lossPercent: percentOf(lost, sent), probesSent: sent, probesLost: lost, lengths },
      },
    }));
  });
}

/** IS-IS pads its hellos to the MTU (ISO/IEC 10589 §8.2.3); what other protocols lost has causes of its own. */
const FOLLOWED: readonly string[] = ['isis'];

/** That all probes close to the MTU are lost, as a comparison of MTUs sees it. */
function isOfSize(symptom: Symptom): boolean {
  return mtuSymptom.is(symptom) && symptom.detail.large === true;
}

/** Directions of a link in which both ends lost probes of some lengths in the second look, and which the counters do not deny. */
function waysThatLose(file: CaseFile, link: WorldLink) {
  const runs = factsOf(file, 'link-lengths').filter(({ value }) => value.link === link.key);
  return directionsThatLose(link, runs).flatMap(({ from, to }) => {
    const losses = lossesThisWay(runs, from.node);
    const sum = (pick: (loss: (typeof losses)[number]) => number) =>
      losses.reduce((total, loss) => total + pick(loss), 0);
    const [sent, lost] = [sum((loss) => loss.sent), sum((loss) => loss.lost)];
    if (!isOfDirection(file, link, { from, to }, lost)) return [];
    const lengths = lengthsOf(againOver(runs), 'lost');
    return [{ from, to, sent, lost, lengths: `${Math.min(...lengths)} to ${Math.max(...lengths)}` }];
  });
}
