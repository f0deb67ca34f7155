// The whole of a mutation measurement: draw a sample, find the covering tests, run each mutant, count. Time and number are bounded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../../scripts/source-files.ts';
import { chooseTests } from './choose-tests.ts';
import { type Covered, coveredBy } from './coverage.ts';
import { type Judged, judge } from './judge.ts';
import { isProgram, type Mutant, mutantsOf, sampleOf } from './mutants.ts';
import { testsReaching } from './reach.ts';
import { syntaxOf } from './syntax.ts';
import { usesOf } from './uses.ts';

export type MeasureInit = {
  /** Absolute path of the project. */
  readonly root: string;
  /** Beginnings of paths from the root: `src/sign/`, `src/mcp/catalog.ts`. */
  readonly prefixes: readonly string[];
  readonly seed: number;
  readonly count: number;
  /** Only these mutants, whatever the seed. */
  readonly ids?: readonly string[] | undefined;
  /** Runs at a time. */
  readonly jobs: number;
  /** Covering test files of a mutant that name its file or are of its folder, and as many others. */
  readonly testsEach: number;
  /** Tests that come to a file by way of other folders of src, as well. */
  readonly far: boolean;
  readonly signal: AbortSignal;
  /** Judged in an earlier run of the same sample. */
  readonly known: ReadonlyMap<string, Judged>;
  readonly say: (line: string) => void;
  readonly keep: (judged: Judged) => void;
};

export type Measured = {
  readonly files: number;
  readonly population: number;
  readonly drawn: number;
  readonly judged: readonly Judged[];
  /** Test files that say nothing, because they fail or are too slow unchanged. */
  readonly failing: readonly string[];
};

export async function measure(init: MeasureInit): Promise<Measured> {
  const files = filesOf(init);
  const all = files.flatMap((file) => mutantsOf(file, textOf(init.root, file)));
  const sample = drawn(init, all);
  init.say(`${files.length} files, ${all.length} mutants, ${sample.length} drawn`);
  const todo = sample.filter(({ id }) => !init.known.has(id));
  const reach = testsReaching({ root: init.root, files: new Set(todo.map(({ file }) => file)), far: init.far });
  const covered = await coverage(init, reach.tests);
  const judged = new Map(sample.flatMap(({ id }) => (init.known.has(id) ? [[id, init.known.get(id)!]] : [])));
  await pooled(todo, init, async (mutant) => {
    const offsets = usesOf(syntaxOf(textOf(init.root, mutant.file)), mutant.start);
    const chosen = chooseTests(covered, { file: mutant.file, offsets }, reach.names, init.testsEach);
    const result = await judge(init.root, mutant, chosen);
    judged.set(mutant.id, result);
    init.keep(result);
    init.say(`${judged.size}/${sample.length} ${result.fate} ${mutant.id}${result.by ? ` by ${result.by}` : ''}`);
  });
  return {
    files: files.length,
    population: all.length,
    drawn: sample.length,
    judged: sample.flatMap(({ id }) => judged.get(id) ?? []),
    failing: covered.filter(({ passed }) => !passed).map(({ test }) => test),
  };
}

/** A folder that has moved must not leave the figure in silence. */
function filesOf({ root, prefixes }: MeasureInit): readonly string[] {
  const all = listFiles(root, ['src'], '.ts');
  const empty = prefixes.find((prefix) => !all.some((file) => file.startsWith(prefix)));
  if (empty !== undefined) throw new RangeError(`expected files whose paths begin with ${empty}, got none`);
  return all.filter((file) => prefixes.some((prefix) => file.startsWith(prefix)));
}

function drawn({ root, ids, count, seed }: MeasureInit, all: readonly Mutant[]): readonly Mutant[] {
  const isGood = (mutant: Mutant) => isProgram(textOf(root, mutant.file), mutant);
  if (ids === undefined) return sampleOf(all, count, seed, isGood);
  return ids.map((id) => {
    const mutant = all.find((each) => each.id === id);
    if (mutant === undefined) throw new RangeError(`expected the id of a mutant in these folders, got ${id}`);
    return mutant;
  });
}

async function coverage(init: MeasureInit, tests: readonly string[]): Promise<readonly Covered[]> {
  const found: Covered[] = [];
  await pooled(tests, init, async (test) => {
    found.push(await coveredBy(init.root, test));
    if (found.length % 20 === 0) init.say(`coverage of ${found.length} of ${tests.length} test files`);
  });
  return found;
}

/** So many at a time, in order; none is begun after the end. */
async function pooled<T>(values: readonly T[], init: MeasureInit, work: (value: T) => Promise<void>): Promise<void> {
  const left = values.values();
  const worker = async () => {
    for (const value of left) {
      if (init.signal.aborted) return;
      await work(value);
    }
  };
  await Promise.all(Array.from({ length: init.jobs }, worker));
}

function textOf(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
