// What most links of a network have in common: the measure for each of them. Pure.

/** One other link alone is no measure. */
export const LEAST_OTHER_LINKS = 2;

/** The lower median: what most links have, also when some others are as bad. */
export function usualOf(values: readonly number[]): number | undefined {
  return values.length < LEAST_OTHER_LINKS ? undefined : lowerMedianOf(values);
}

/** Undefined of nothing. */
export function lowerMedianOf(values: readonly number[]): number | undefined {
  return [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}
