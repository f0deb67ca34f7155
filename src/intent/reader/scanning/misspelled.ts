// The word that was meant, where a word is not known: a name of the network, or a word of the lexicon or of time, that is a slip or two away.
import { TIME_WORDS } from '../../time/asked-time.ts';
import { KNOWN_WORDS, LEXICON } from '../../words/lexicon.ts';
import { isSlipOfIfname, type KnownNames, nearest } from '../names.ts';
import { formsOf } from './inflected.ts';

/** In lower case; undefined where nothing is near. */
export function meantWord(low: string, known: KnownNames): string | undefined {
  if (isSlipOfIfname(low, known)) return nearest(low, known.ifnames ?? []) ?? low.replace(/^[a-z]+/, 'eth');
  // "Teh": of three letters only words without a meaning of their own are meant, or names would be.
  if (low.length === 3) return nearest(low, SMALL_WORDS);
  const meant = nearest(low, [...(known.nodes ?? []), ...SAYING_WORDS]);
  // Of words that say nothing a letter too many, too few or out of place is enough of a guess.
  const small = meant ?? nearest(low, MEANT_WORDS, 1);
  return meant === undefined && small !== undefined && isOtherLetter(low, small) ? undefined : small;
}

/** A known node that a name which is not known may be a slip or two away from; the same digits are in both. */
export function meantNode(text: string, { nodes = [] }: KnownNames): string | undefined {
  const digits = (name: string) => name.replace(/\D/g, '');
  return nearest(
    text.toLowerCase(),
    nodes.filter((node) => digits(node) === digits(text)),
    text.length >= 5 ? 2 : 1,
  );
}

/** A word that the reader has is not misspelled, even where it has no place in the sentence. */
export function isWord(low: string): boolean {
  return isForm(low);
}

/** "sec", "mins" and such count amounts of time. */
const UNITS = 'second seconds sec secs min mins hr hrs'.split(' ');
const WORDS: ReadonlySet<string> = new Set([...TIME_WORDS, ...KNOWN_WORDS]);
const isForm = formsOf(new Set([...WORDS, ...UNITS]));

/** Words that say something come before those that do not, where both are as near. */
const MEANT_WORDS: readonly string[] = [...WORDS]
  .filter((word) => word.length > 2)
  .sort((one, other) => weightOf(one) - weightOf(other));

function isOtherLetter(one: string, other: string): boolean {
  return one.length === other.length && [...one].sort().join('') !== [...other].sort().join('');
}

const SMALL_WORDS = MEANT_WORDS.filter((word) =>
  LEXICON.get(word)?.some(({ kind }) => ['empty', 'role', 'and', 'not'].includes(kind)),
);
const SAYING_WORDS = MEANT_WORDS.filter((word) => weightOf(word) < 2);

function weightOf(word: string): number {
  const kinds = LEXICON.get(word)?.map(({ kind }) => kind) ?? [];
  if (kinds.includes('topic')) return 0;
  return kinds.some((kind) => kind === 'role' || kind === 'noun' || kind === 'protocol') ? 1 : 2;
}
