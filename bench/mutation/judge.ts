// One mutant against its tests: killed by a failing test, killed by the time, survived, or survived because no test executes it.
// Files that keep nothing for a whole process share one. A kill counts only when the failing file alone fails a second time.
import { join } from 'node:path';
import { keepsState } from '../../scripts/test-groups.ts';
import type { Chosen } from './choose-tests.ts';
import type { Covered } from './coverage.ts';
import type { Mutant } from './mutants.ts';
import { runTests, type TestResult } from './run-tests.ts';

export type Judged = {
  readonly id: string;
  readonly fate: 'killed' | 'timed-out' | 'survived' | 'uncovered';
  readonly was: string;
  readonly now: string;
  readonly operator: string;
  /** Test files run, and covering ones that were not. */
  readonly tests: number;
  readonly leftOut: number;
  readonly by?: string | undefined;
  /** Test files that failed once and not again: they say nothing. */
  readonly unsteady?: readonly string[];
};

/** Time of a run: this often the usual time of its files, and so much more. */
const TIMES = 3;
const MORE_MS = 10_000;
/** Characters of a changed text that are printed. */
const EXCERPT = 120;

export async function judge(root: string, mutant: Mutant, { near, far, leftOut }: Chosen): Promise<Judged> {
  const unsteady: string[] = [];
  const said = (fate: Judged['fate'], by?: string): Judged => ({
    id: mutant.id,
    fate,
    was: excerpt(mutant.was),
    now: excerpt(mutant.text),
    operator: mutant.operator,
    tests: near.length + far.length,
    leftOut,
    ...(by === undefined ? {} : { by }),
    ...(unsteady.length === 0 ? {} : { unsteady }),
  });
  if (near.length + far.length === 0) return said('uncovered');
  for (const group of [...inProcesses(root, near), ...inProcesses(root, far)]) {
    const first = await run(root, mutant, group);
    if (first.kind === 'passed') continue;
    const suspects = group.filter(({ test }) => first.file === undefined || test === first.file);
    for (const suspect of suspects) {
      const again = await run(root, mutant, [suspect]);
      if (again.kind === 'failed') return said('killed', `${suspect.test}: ${again.test ?? 'does not load'}`);
      if (again.kind === 'timed-out') return said('timed-out', `${suspect.test}: ${again.test ?? 'does not load'}`);
    }
    unsteady.push(`${first.file ?? 'unknown file'}: ${first.test ?? 'does not load'}`);
    for (const alone of group) {
      const result = await run(root, mutant, [alone]);
      if (result.kind === 'failed' && (await run(root, mutant, [alone])).kind === 'failed')
        return said('killed', `${alone.test}: ${result.test ?? 'does not load'}`);
    }
  }
  return said('survived');
}

function run(root: string, mutant: Mutant, group: readonly Covered[]): Promise<TestResult> {
  const { start, end, text } = mutant;
  const usualMs = group.reduce((sum, { ms }) => sum + ms, 0);
  return runTests({
    root,
    files: group.map(({ test }) => test),
    served: { file: join(root, mutant.file), start, end, text },
    timeoutMs: usualMs * TIMES + MORE_MS,
  });
}

/** What shares a process first, for it is cheap together; then the rest, one by one. */
function inProcesses(root: string, tests: readonly Covered[]): readonly (readonly Covered[])[] {
  const [alone, shared] = [true, false].map((wanted) => tests.filter(({ test }) => keepsState(root, test) === wanted));
  return [...(shared!.length === 0 ? [] : [shared!]), ...alone!.map((each) => [each])];
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}
