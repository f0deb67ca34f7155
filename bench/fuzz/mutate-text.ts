// Changes text by its words and signs: for grammars, XML and YAML, which plain octets seldom get into.
import { mutateBytes } from './mutate-bytes.ts';
import type { Random } from './random.ts';

/** `signs`: what the language has; `others`: texts whose words are spliced in. */
export function mutateText(
  input: Uint8Array,
  random: Random,
  others: readonly Uint8Array[],
  signs: readonly string[],
): Uint8Array {
  if (random() < 0.1) return mutateBytes(input, random, others);
  let words = wordsOf(input);
  for (let count = 1 + random.below(5); count > 0; count--) words = changed(words, random, others, signs);
  return Buffer.from(words.join(''));
}

function changed(
  words: readonly string[],
  random: Random,
  others: readonly Uint8Array[],
  signs: readonly string[],
): string[] {
  const copy = [...words];
  const at = random.below(copy.length + 1);
  switch (random.below(7)) {
    case 0:
      copy.splice(at, 1);
      break;
    case 1:
      copy.splice(at, 0, random.pick(signs));
      break;
    case 2:
      copy.splice(at, 1, random.pick(signs));
      break;
    case 3:
      copy.splice(at, 0, ...copy.slice(random.below(copy.length + 1), at));
      break;
    case 4:
      copy.splice(at, 1, (copy[at] ?? ' ').repeat(1 + random.below(random() < 0.95 ? 4 : 2_000)));
      break;
    case 5:
      copy.splice(at, 0, random.pick(wordsOf(random.pick(others))) ?? '');
      break;
    default:
      copy.splice(at, 1, String.fromCodePoint(random.below(random() < 0.8 ? 128 : 0xd7ff)));
  }
  return copy.slice(0, 20_000);
}

function wordsOf(input: Uint8Array): string[] {
  const words = Buffer.from(input)
    .toString('utf8')
    .match(/\w+|\s+|[^\w\s]/g);
  return words === null ? [''] : [...words];
}
