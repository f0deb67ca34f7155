// Which of the covering test files are run for a mutant, and in which order: those that name its file or are
// of its folder first, then the others; cheapest first. Bounded both ways; what is left out is counted, because a survivor may be one that a test left out would have killed. Pure.
import { dirname } from 'node:path';
import type { Covered } from './coverage.ts';
import { isExecuted } from './executed.ts';

export type Chosen = {
  /** Tests that name the file, or are those of its folder. */
  readonly near: readonly Covered[];
  readonly far: readonly Covered[];
  readonly leftOut: number;
};

/** @param offsets of `usesOf`; none: every test that loads the file */
export function chooseTests(
  covered: readonly Covered[],
  mutant: { readonly file: string; readonly offsets: readonly number[] },
  names: (test: string, file: string) => boolean,
  most: number,
): Chosen {
  const covering = covered
    .filter(({ passed, executed }) => {
      const ranges = executed[mutant.file];
      if (!passed || ranges === undefined) return false;
      return mutant.offsets.length === 0 || mutant.offsets.some((offset) => isExecuted(ranges, offset));
    })
    .sort((one, other) => one.ms - other.ms);
  const folder = `${dirname(mutant.file).replace(/^src/, 'test')}/`;
  const [near, far] = [true, false].map((wanted) =>
    covering.filter(({ test }) => (test.startsWith(folder) || names(test, mutant.file)) === wanted).slice(0, most),
  );
  return { near: near!, far: far!, leftOut: covering.length - near!.length - far!.length };
}
