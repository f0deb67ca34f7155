// Hand-made symptoms of the nodes of pair-scene.ts, and what one definition makes of them: which of them it explains, and how surely.
import { type CaseFile, type Fact, NOTHING_PLANNED } from '#correlate/engine/facts.ts';
import type { FaultDefinition, Proposal } from '#correlate/engine/fault-definition.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import type { World } from '#correlate/network/world.ts';
import { linkOf, PAIRS, pairWorld } from '../pair-scene.ts';

/** Its id is its kind, unless `change` says another. */
export const symptom = (kind: string, change: object = {}): Symptom =>
  ({
    ...{ id: kind, kind, subject: 'node/z', text: `text of ${kind}`, source: [`source of ${kind}`], nodes: ['z'] },
    detail: {},
    ...change,
  }) as unknown as Symptom;

/** On the link between two nodes, `a-b`. */
export function onLink(kind: string, pair: string, change: object = {}): Symptom {
  const link = linkOf(pair);
  return symptom(kind, { subject: link.key, link, nodes: [link.from.node, link.to.node], ...change });
}

/** A ring of a, b, c and d, all of which gave a state. */
export const ringWorld = (more: object = {}, states: Readonly<Record<string, object>> = {}): World =>
  pairWorld(PAIRS, Object.fromEntries(['a', 'b', 'c', 'd'].map((node) => [node, { now: states[node] ?? {} }])), more);

export const caseOf = (symptoms: readonly Symptom[], world: World = ringWorld(), facts: readonly Fact[] = []) =>
  ({ path: [], facts, world, expected: [], symptoms, planned: NOTHING_PLANNED }) as CaseFile;

/** Probes from one node to another, of which so many were lost. */
export const lossOf = (from: string, to: string, lost = 40, change: object = {}): LossSymptom => ({
  id: `loss ${from}>${to}`,
  fact: {
    ...{ subject: `path/${from}>${to}`, predicate: 'probe-loss', source: [`probe ${from}>${to}`] },
    value: {
      ...{ scope: 'segment', from, to, measuredBy: from, sent: 1_000, lost, refused: 0, unanswered: 0 },
      ...{ refusedByFilter: true, directionKnown: true, ...change },
    },
  } as LossSymptom['fact'],
});

/** Place, and ids of the symptoms that each proposal explains, in the order of the alphabet. */
export const explained = (fault: FaultDefinition, file: CaseFile, losses: readonly LossSymptom[] = []) =>
  fault.propose(file, losses).map(({ resource, explains }) => [resource, idsOf(explains)]);

const idsOf = (shares: Proposal['explains']) => shares.map((share) => share.symptom).sort();
