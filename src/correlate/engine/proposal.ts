// What rules share: shares for symptoms and for lost probes.
import type { WorldLink } from '../network/world.ts';
import type { Share } from './fault-definition.ts';
import type { LossSymptom } from './loss-symptom.ts';
import type { Symptom } from './symptom.ts';

export function shareOf(symptom: Symptom): Share {
  return { symptom: symptom.id, lost: 1, spread: 0 };
}

/** A share of lost probes. */
export function lossShareOf({ id, fact }: LossSymptom): Share {
  return { symptom: id, lost: fact.value.lost, spread: 0 };
}

export function lossOn(losses: readonly LossSymptom[], { from, to }: WorldLink): readonly LossSymptom[] {
  return losses.filter(
    ({ fact: { value } }) =>
      (value.from === from.node && value.to === to.node) || (value.from === to.node && value.to === from.node),
  );
}

/** The value that most of `all` have, when more than half do. */
export function majority<T>(all: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].sort((one, other) => other[1] - one[1]);
  return best !== undefined && best[1] * 2 > all.length ? best[0] : undefined;
}
