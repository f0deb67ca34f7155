// Which of the covering test files are run for a mutant: those that name its file or are of its folder, then the others that execute most of its
// file, because a test that executes a whole definition notices more of it than one that only passes through. Each part is run cheapest first. Bounded both
// ways; what is left out is counted, because a survivor may be one that a test left out would have killed. Pure.
import { dirname } from 'node:path';
import type { Covered } from './coverage.ts';
import { isExecuted } from './executed.ts';

/** Tests of other stages (`test/agent/` for a file of `src/sign/`) that take longer unchanged are left out: most start whole agents. */
export const FAR_MS = 30_000;

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
    .sort(byCost);
  const folder = `${dirname(mutant.file).replace(/^src/, 'test')}/`;
  const stage = `${folder.split('/').slice(0, 2).join('/')}/`;
  const isNear = ({ test }: Covered) => test.startsWith(folder) || names(test, mutant.file);
  const isSlow = ({ test, ms }: Covered) => !test.startsWith(stage) && ms > FAR_MS;
  const near = covering.filter(isNear).slice(0, most);
  const far = covering
    .filter((each) => !isNear(each) && !isSlow(each))
    .sort((one, other) => executedOf(other, mutant.file) - executedOf(one, mutant.file))
    .slice(0, most)
    .sort(byCost);
  return { near, far, leftOut: covering.length - near.length - far.length };
}

function byCost(one: Covered, other: Covered): number {
  return one.ms - other.ms;
}

/** Characters of the file that the test executes. */
function executedOf({ executed }: Covered, file: string): number {
  return (executed[file] ?? []).reduce((sum, [start, end]) => sum + end - start, 0);
}
