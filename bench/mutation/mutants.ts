// The mutants of a source file, and a sample of them drawn from a seed: the same seed and sources give the same sample.
// A file counts by its number of mutants. A change that leaves no program is drawn again.
import { seededRandom } from '../../simulations/generate/random.ts';
import { type Change, changesAt } from './operators.ts';
import { placesOf, type Syntax, syntaxOf } from './syntax.ts';

export type Mutant = Change & {
  /** `src/sign/call.ts:120:14:boundary`: names the mutant as long as its file does not change. */
  readonly id: string;
  /** From the root of the project. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** What stands there unchanged. */
  readonly was: string;
};

/** @param file from the root of the project */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const syntax = syntaxOf(source);
  const numbers = new Map<string, number>();
  return changesOf(syntax)
    .filter((change) => change.text !== syntax.code.slice(change.start, change.end))
    .map((change) => {
      const before = source.slice(0, change.start).split('\n');
      const [line, column] = [before.length, before.at(-1)!.length + 1];
      const name = `${file}:${line}:${column}:${change.operator}`;
      const number = (numbers.get(name) ?? 0) + 1;
      numbers.set(name, number);
      const id = number === 1 ? name : `${name}.${number}`;
      return { ...change, id, file, line, column, was: source.slice(change.start, change.end) };
    });
}

export function withChange(code: string, { start, end, text }: Pick<Change, 'start' | 'end' | 'text'>): string {
  return code.slice(0, start) + text + code.slice(end);
}

/** `count` good ones without repetition, in the order drawn; all good ones when there are fewer. */
export function sampleOf<T>(
  all: readonly T[],
  count: number,
  seed: number,
  isGood: (value: T) => boolean,
): readonly T[] {
  const { next } = seededRandom(seed);
  const left = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(next() * left.length), 1).filter(isGood));
  }
  return drawn;
}

/** True when the TypeScript source is still a program after this change. */
export function isProgram(source: string, change: Pick<Change, 'start' | 'end' | 'text'>): boolean {
  try {
    syntaxOf(withChange(source, change));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function changesOf({ root, code }: Syntax): readonly Change[] {
  const found: Change[] = [];
  for (const place of placesOf(root)) found.push(...changesAt(place, code));
  return found;
}
