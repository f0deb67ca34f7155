// passing_loss: probes were lost over a link for a moment, and not on the wire: both ends' counters account for the packets, and an
// extended measurement from both ends lost none. A node that was busy lost them above the wire. Never a finding; says nothing against
// the network.
import { factsOf } from '../../engine/facts.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { underWay } from '../../engine/loss-symptom.ts';
import { settledBy } from '../../observe/extended-measurement.ts';

/** Below every explanation that accuses. */
const SCORE = 0.4;

export const passingLoss = defineCause({
  id: 'passing_loss',
  resource: 'link',
  accuses: false,
  labels: { nika: null, netOpsBench: null },
  summary:
    'probes were lost for a moment while both ends’ counters account for the packets and an extended measurement lost none; says nothing against the network',
  explain: (file, losses) =>
    losses.flatMap(({ id, fact }) => {
      const settled = factsOf(file, 'extended-measurement').length === 0 ? undefined : settledBy(file, fact.value);
      const { link } = fact.value;
      if (settled?.kind !== 'clean' || link === undefined) return [];
      return [
        {
          ...{ resource: link, score: SCORE, confidence: 'likely' as const, detail: {} },
          explains: [{ symptom: id, lost: underWay(fact.value).lost, spread: 0 }],
          evidence: [...fact.source, ...settled.look.source],
        },
      ];
    }),
});
