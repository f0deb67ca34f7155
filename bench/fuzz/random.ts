// Random numbers of one input: the same for the same seed and number, so that a finding is named by two numbers.

export type Random = {
  /** In [0, 1). */
  (): number;
  /** A whole number below `count`. */
  below(count: number): number;
  pick<Value>(values: readonly Value[]): Value;
};

/** mulberry32, seeded by both. */
export function randomOf(seed: number, index: number): Random {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return Object.assign(next, { below, pick: <Value>(values: readonly Value[]) => values[below(values.length)]! });
}
