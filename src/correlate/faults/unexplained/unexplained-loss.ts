// unexplained_loss: packets demonstrably die, no known fault explains it, and the evidence leaves one link, one interface or one node. What
// nodes sent, received and counted is set side by side until one place is left; where two remain, the answer stays inconclusive and
// names both. Never more than likely, and without an exact change: it says where, and not what is wrong there.
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { lostAtPorts } from './lost-at-port.ts';
import { lostInNodes } from './lost-in-node.ts';
import { lostOverLinks } from './lost-over-link.ts';
import type { LossAtPlace, UnexplainedPlace } from './place.ts';

export const unexplainedLoss = defineCause<LossAtPlace>({
  id: 'unexplained_loss',
  resource: 'link',
  orResource: ['interface', 'node'],
  lastResort: true,
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'packets are lost at one link, one interface or one node, in more ways than by our own probes, and no fault with a name explains it; the resource is what is left when all else was seen to pass them',
  explain: (file, losses) =>
    placesIn(file, losses).map((place) => ({ ...place, confidence: 'likely' as const, score: 1 })),
  describe: ({ where, packets, lost, also }) =>
    `packets (${packets}) are lost ${where}, and no known fault explains it: ${[...lost, ...also].join('; ')}`,
  remedy: ({ node, where, differs }) => ({
    node,
    summary: `look at ${nodeRef(node)} first: packets are lost ${where}${differs.length === 0 ? '' : `; different there: ${differs.join('; ')}`}`,
    decide: 'what loses the packets there: the evidence shows the place alone',
  }),
});

function placesIn(file: CaseFile, losses: readonly LossSymptom[]): readonly UnexplainedPlace[] {
  // Of a path only its own loss is asked about, and its segments' probes are the evidence of other definitions.
  if (file.path.length > 0) return [];
  return [...lostOverLinks(file, losses), ...lostAtPorts(file), ...lostInNodes(file)];
}
