// The evidence as a language model may see it: every symptom, moving filter and missing answer as a clue of ids, enumerations
// and numbers (model/clue.ts). What the rules think of it is not among them. Implements the input half of TS-17's second opinion.
import { type Clue, type ClueKind, clueValuesOf, type FaultForm } from '#model/clue.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import { type CaseFile, factsOf } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { FAULT_DEFINITIONS } from '../faults/registry.ts';

/** Faults that a finding can name, each with its resource's form. */
export const FAULT_FORMS: readonly FaultForm[] = FAULT_DEFINITIONS.filter((rule) => rule.accuses).map((rule) => ({
  fault: rule.id,
  form: rule.resource,
}));

export function cluesOf(file: CaseFile): readonly Clue[] {
  return [
    ...file.symptoms.flatMap(clueOf),
    ...factsOf(file, 'filter-hits').flatMap(({ value }): Clue[] =>
      value.packets === undefined || value.packets === 0
        ? []
        : [{ kind: 'filter-drops', at: [nodeResource(value.node)], values: { packets: value.packets } }],
    ),
    ...[...new Set(factsOf(file, 'missing').map(({ value }) => value.node))].map(
      (node): Clue => ({ kind: 'no-answer', at: [nodeResource(node)], values: {} }),
    ),
  ];
}

function clueOf(symptom: Symptom): readonly Clue[] {
  // Every kind of symptom is a kind of clue: what the rules see, the second opinion sees.
  const kind = symptom.clue ?? (symptom.kind as ClueKind);
  return [{ kind, at: placesOf(symptom), values: clueValuesOf(symptom.detail) }];
}

function placesOf({ subject, link, nodes }: Symptom): Clue['at'] {
  const ends = link === undefined ? [] : [link.key, interfaceResource(link.from), interfaceResource(link.to)];
  return [...new Set([subject, ...ends, ...nodes.map(nodeResource)])];
}
