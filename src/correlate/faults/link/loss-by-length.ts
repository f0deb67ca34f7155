// Packets of some lengths that a link loses, as packet_loss explains them: both ends' own probes of the second look were lost in this direction, and
// their reflectors' counts tell which. Likely, as the counters of both ends hold all packets together. Where the ends do not agree, or those counters do
// not lack what was lost, no end is named: the node that receives may have dropped it.
import { interfaceResource } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import type { Explanation } from '../../engine/fault-definition.ts';
import { percentOf } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { directionsThatLose, lengthLossSymptom, lossesThisWay } from '../../symptoms/links/length-loss.ts';
import { isOfDirection } from '../../symptoms/links/length-witnesses.ts';
import { type LossDetail, stretchOf } from './link-wire.ts';

export function lossesByLength(file: CaseFile): readonly Explanation<LossDetail>[] {
  return lengthLossSymptom.of(file).flatMap((symptom) => {
    const { link, detail } = symptom;
    if (link === undefined) return [];
    const runs = factsOf(file, 'link-lengths').filter(({ value }) => value.link === link.key);
    return directionsThatLose(link, runs).flatMap(({ from, to }): readonly Explanation<LossDetail>[] => {
      const losses = lossesThisWay(runs, from.node);
      const sum = (pick: (loss: (typeof losses)[number]) => number) =>
        losses.reduce((total, loss) => total + pick(loss), 0);
      const [sent, lost] = [sum((loss) => loss.sent), sum((loss) => loss.lost)];
      if (!isOfDirection(file, link, { from, to }, lost)) return [];
      const found: Explanation<LossDetail> = {
        ...{ resource: interfaceResource(from), confidence: 'likely', score: 2.5 },
        ...{ explains: [shareOf(symptom)], evidence: [...symptom.source] },
        // Both directions may lose them.
        together: symptom.id,
        detail: {
          what: `${symptom.text}; both ends lost ${lost} of their ${sent} probes this way`,
          ...stretchOf(from, to),
          lossPercent: percentOf(Math.min(lost, detail.sent), detail.sent),
          ...{ probesSent: sent, probesLost: lost, lengths: `${detail.least} to ${detail.most}` },
        },
      };
      return [found];
    });
  });
}
