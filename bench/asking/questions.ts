// The questions of `test/intent/questions.yaml`, or of a file of the same form: what is typed, what it means, and which half it is of.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../../simulations/lab/node-processes.ts';

export type Meaning = {
  readonly ask: string;
  readonly on?: readonly string[];
  readonly if?: string | readonly string[];
  readonly link?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly via?: readonly string[];
  readonly between?: readonly string[];
  readonly except?: readonly string[];
  readonly address?: string;
  readonly proto?: string;
  readonly peer?: string;
  readonly as?: number;
  readonly service?: string;
  readonly port?: number;
  readonly host?: string;
  readonly size?: number;
  readonly when?: string;
  readonly before?: string;
  /** The address of the host that asks; `on` is its router and `if` its port, where the question names them. */
  readonly asker?: string;
};

export type AskedQuestion = {
  readonly style: string;
  readonly q: string;
  readonly means?: Meaning;
  /** Reasons for which no answer is right. */
  readonly refuse?: string | readonly string[];
};

export type AskedNetwork = {
  readonly nodes: readonly string[];
  readonly interfaces: readonly string[];
  readonly here: string;
  readonly addresses: Readonly<Record<string, string>>;
  /** Addresses or prefixes of hosts, and the node behind which they are. */
  readonly hosts?: Readonly<Record<string, string>>;
};

/**
 * Questions that are asked of one network. `alternate`: every second one only counts, as was agreed before any was looked at. `looked`: all were
 * looked at, as they were written beside what they are to hold.
 */
export type QuestionSet = {
  readonly network: AskedNetwork;
  readonly halves?: 'alternate' | 'looked';
  readonly questions: readonly AskedQuestion[];
};

/** `more`: sets that were added later, of other networks. */
type QuestionFile = QuestionSet & { readonly more?: readonly QuestionSet[] };

const OWN = join(REPOSITORY, 'test/intent/questions.yaml');
/** Decides which half a question is of; another seed would mix what was looked at with what only counts. */
const SEED = 20_261_124;

/** The halves of each set are drawn apart: questions that are added mix nothing. */
export function readQuestions(file = OWN): readonly QuestionSet[] {
  const { more = [], ...first } = parse(readFileSync(file, 'utf8')) as QuestionFile;
  return [first, ...more];
}

type Halves = { readonly looked: readonly AskedQuestion[]; readonly counting: readonly AskedQuestion[] };

/** One half is looked at while the reader is made, the other only counts: drawn once, by a fixed seed, or every second one, or none. */
export function halvesOf({ questions, halves }: QuestionSet): Halves {
  if (halves === 'looked') return { looked: questions, counting: [] };
  if (halves === 'alternate')
    return {
      looked: questions.filter((_, index) => index % 2 === 0),
      counting: questions.filter((_, index) => index % 2 === 1),
    };
  const shuffled = [...questions];
  let state = SEED;
  for (let last = shuffled.length - 1; last > 0; last--) {
    // A linear congruential generator (Numerical Recipes): the draw needs no quality.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  const half = Math.floor(shuffled.length / 2);
  return { looked: shuffled.slice(0, half), counting: shuffled.slice(half) };
}
