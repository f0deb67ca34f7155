// agent_contradicted: what an agent reports of its links cannot be, by the reports of the agents at the other ends of two of them or
// more, each of which agrees with every other. One report against another names no node. Says nothing about the node itself.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { lossOn, shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { contradictionSymptom } from '../../symptoms/links/contradiction.ts';

/** Neighbours that must contradict an agent, independently of each other: of two reports alone either may be wrong. */
const WITNESSES = 2;

type Detail = { readonly node: string; readonly by: readonly string[]; readonly what: readonly string[] };

export const agentContradicted = defineCause<Detail>({
  id: 'agent_contradicted',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'two neighbours or more contradict what the agent of a node reports, and no node contradicts them',
  explain: (file, losses) => [...file.world.views.keys()].flatMap((node) => explanationOf(file, losses, node)),
  describe: ({ what }) => what.join('; '),
  remedy: ({ node }) => ({
    node,
    summary: `find out what is wrong with the agent of ${nodeRef(node)}: its neighbours say otherwise`,
  }),
});

function explanationOf(file: CaseFile, losses: readonly LossSymptom[], node: string): readonly Explanation<Detail>[] {
  const all = contradictionSymptom.of(file);
  const mine = all.filter((symptom) => symptom.nodes.includes(node));
  const witnesses = [...new Set(mine.map((symptom) => otherOf(symptom, node)))];
  // A neighbour that is at odds with others as well is no witness.
  const sound = witnesses.filter((witness) =>
    all.every((symptom) => !symptom.nodes.includes(witness) || symptom.nodes.includes(node)),
  );
  if (sound.length < WITNESSES) return [];
  const explained = mine.filter((symptom) => sound.includes(otherOf(symptom, node)));
  const told = explained
    .flatMap((symptom) => (symptom.link === undefined ? [] : lossOn(losses, symptom.link)))
    .filter((symptom) => symptom.fact.value.measuredBy === node);
  return [
    {
      resource: nodeResource(node),
      score: 4,
      explains: [
        ...explained.map(shareOf),
        ...told.map((symptom) => ({ symptom: symptom.id, lost: symptom.fact.value.lost, spread: 0 })),
      ],
      evidence: explained.flatMap((symptom) => symptom.source),
      detail: { node, by: sound.map(nodeRef), what: explained.map((symptom) => symptom.text) },
    },
  ];
}

function otherOf({ nodes }: Symptom, node: string): string {
  return nodes.find((each) => each !== node) ?? node;
}
