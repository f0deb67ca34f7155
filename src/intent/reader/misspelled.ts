// The word that was meant, where a word is not known: a name of the network, or a word of the lexicon or of time, that is a slip or two away.
import { TIME_WORDS } from '../time/asked-time.ts';
import { KNOWN_WORDS, LEXICON } from '../words/lexicon.ts';
import { type KnownNames, nearest } from './names.ts';

/** In lower case; undefined where nothing is near. */
export function meantWord(low: string, { nodes = [] }: KnownNames): string | undefined {
  return nearest(low, [...nodes, ...MEANT_WORDS]);
}

/** A word that the reader has is not misspelled, even where it has no place in the sentence. */
export function isWord(low: string): boolean {
  return WORDS.has(low);
}

const WORDS: ReadonlySet<string> = new Set([...TIME_WORDS, ...KNOWN_WORDS]);

/** Words that say something come before those that do not, where both are as near. */
const MEANT_WORDS: readonly string[] = [...WORDS]
  .filter((word) => word.length > 2)
  .sort((one, other) => weightOf(one) - weightOf(other));

function weightOf(word: string): number {
  const kinds = LEXICON.get(word)?.map(({ kind }) => kind) ?? [];
  if (kinds.includes('topic')) return 0;
  return kinds.some((kind) => kind === 'role' || kind === 'noun' || kind === 'protocol') ? 1 : 2;
}
