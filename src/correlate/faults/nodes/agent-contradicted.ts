// agent_contradicted: what an agent reports of its links cannot be, by what the agents at the other ends of two of them or more say,
// each of whom agrees with everybody else. One word against another names nobody. Says nothing about the node itself.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { lossOn, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

/** Neighbours that must contradict an agent, independently of each other. */
const WITNESSES = 2;

export const agentContradicted: FaultDefinition = {
  id: 'agent_contradicted',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'what the agent of a node reports is contradicted by two neighbours or more, and by nobody are they',
  propose: (file, losses) => [...file.world.views.keys()].flatMap((node) => proposalFor(file, losses, node)),
};

function proposalFor(file: CaseFile, losses: readonly LossSymptom[], node: string): readonly Proposal[] {
  const all = symptomsOfKind(file, 'contradiction');
  const mine = all.filter((symptom) => symptom.nodes.includes(node));
  const witnesses = [...new Set(mine.map((symptom) => otherOf(symptom, node)))];
  // Who is at odds with others as well is no witness.
  const sound = witnesses.filter((witness) =>
    all.every((symptom) => !symptom.nodes.includes(witness) || symptom.nodes.includes(node)),
  );
  if (sound.length < WITNESSES) return [];
  const explained = mine.filter((symptom) => sound.includes(otherOf(symptom, node)));
  const told = explained
    .flatMap((symptom) => (symptom.link === undefined ? [] : lossOn(losses, symptom.link)))
    .filter((symptom) => symptom.fact.value.measuredBy === node);
  return [
    newProposal(
      agentContradicted,
      nodeResource(node),
      [
        ...explained.map(shareOf),
        ...told.map((symptom) => ({ symptom: symptom.id, lost: symptom.fact.value.lost, spread: 0 })),
      ],
      explained.flatMap((symptom) => symptom.source),
      {
        score: 4,
        details: { by: sound.map(mark), what: explained.map((symptom) => symptom.text) },
        remedy: { node, summary: `see what is wrong with the agent of ${mark(node)}: its neighbours say otherwise` },
      },
    ),
  ];
}

function otherOf({ nodes }: Symptom, node: string): string {
  return nodes.find((each) => each !== node) ?? node;
}
