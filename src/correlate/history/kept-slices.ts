// What nodes kept of a time that is over, judged by the definitions of the present: each slice is read by the faults that name its kind of
// memory. What is measured now speaks neither for nor against a finding of the past.
import { type CaseFile, type Fact, NOTHING_PLANNED } from '../engine/facts.ts';
import type { Memory, Past, Proposal, Slice } from '../engine/fault-definition.ts';
import { rank } from '../engine/rank.ts';
import type { Symptom } from '../engine/symptom.ts';
import { FAULT_DEFINITIONS } from '../faults/registry.ts';
import { sharedSymptomsKept } from '../faults/symptoms.ts';
import type { View, World } from '../network/world.ts';
import { lastOfEach, type PastFinding } from './past.ts';

export type KeptSlice = Slice & { readonly past: Past & { readonly kept: NonNullable<Past['kept']> } };

/** `change`: what differs from the network of now. */
export function keptSlice(
  now: World,
  { node }: Pick<View, 'node'>,
  memory: Memory,
  agoMs: number,
  change: Partial<World>,
  facts: readonly Fact[] = [],
): KeptSlice {
  return { world: { ...now, ...change }, facts, past: { agoMs, now, kept: { memory, node } } };
}

/** All views, with other content for one of them. */
export function withView({ views }: World, view: View): World['views'] {
  return new Map([...views, [view.node, view]]);
}

/** The latest of each finding; not those that were only seen on the way to another. */
export function judgedSlices(slices: readonly KeptSlice[]): readonly PastFinding[] {
  const latest = lastOfEach(
    slices.flatMap((slice) => judged(slice).map((proposal) => ({ proposal, agoMs: slice.past.agoMs }))),
  );
  const replaced = new Set(
    latest.flatMap(({ proposal: { fault, resource } }) =>
      (FAULT_DEFINITIONS.find(({ id }) => id === fault)?.replaces ?? []).map((each) => `${each.id} ${resource}`),
    ),
  );
  return latest.filter(({ proposal: { fault, resource } }) => !replaced.has(`${fault} ${resource}`));
}

export function judged(slice: KeptSlice): readonly Proposal[] {
  const symptoms = symptomsIn(slice);
  if (symptoms.length === 0) return [];
  const file: CaseFile = {
    path: [],
    facts: [],
    world: slice.past.now,
    planned: NOTHING_PLANNED,
    expected: [],
    symptoms,
  };
  const proposals = FAULT_DEFINITIONS.filter(({ accuses }) => accuses).flatMap((fault) => fault.propose(file, []));
  const { chosen } = rank(proposals, [], symptoms);
  return chosen.map((proposal) => ({ ...proposal, against: [] }));
}

function symptomsIn(slice: KeptSlice): readonly Symptom[] {
  const { memory } = slice.past.kept;
  const own = FAULT_DEFINITIONS.filter(({ memories = [] }) => memories.includes(memory)).flatMap(
    ({ detect }) => detect?.(slice) ?? [],
  );
  return [...sharedSymptomsKept(slice.world, memory), ...own];
}
