// Parsers that break in the ways that the fuzz bench must find.
import type { OpenParser, Parser } from '../../bench/fuzz/parser.ts';
import { inputOf } from '../../bench/fuzz/stretch.ts';

const CORPUS = [Buffer.from('a!b!c'), Buffer.from('plain text')];

function broken(name: string, read: OpenParser['read']): Parser {
  return { name, inputs: 1_000, open: () => ({ corpus: CORPUS, read }) };
}

/** Acts at one input of seed 1, by its number. */
function atInput(number: number, act: () => void): Parser['open'] {
  return () => {
    const mutate: OpenParser['mutate'] = (_input, random) => Buffer.from(String(random()));
    const mark = Buffer.from(inputOf({ corpus: CORPUS, mutate, read: () => {} }, 1, number));
    const read = (input: Uint8Array) => (mark.equals(input) ? act() : undefined);
    return { corpus: CORPUS, mutate, read };
  };
}

function exhaust(): void {
  const all: number[][] = [];
  for (;;) all.push(Array.from({ length: 100_000 }, () => all.length + 0.5));
}

export const BROKEN: readonly Parser[] = [
  broken('throws', (input) => {
    const marks = Buffer.from(input).toString('latin1').split('!').length - 1;
    if (marks === 2 && !Buffer.from(input).equals(CORPUS[0]!)) throw new Error(`a letter ${input.length} too many`);
  }),
  { name: 'exhausts', inputs: 1_000, open: atInput(150, exhaust) },
  { name: 'ends', inputs: 1_000, open: atInput(150, () => process.exit(3)) },
];

export const PARSERS = BROKEN;
