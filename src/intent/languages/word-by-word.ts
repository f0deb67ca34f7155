// A question in another language word by word: each word and phrase of the glossary becomes an English one, names and numbers stay. One word that is
// not in it, a negation among them, and there is no translation: the English reader would not see what is missing.
import { isTimeWord } from '../time/asked-time.ts';
import { KNOWN_WORDS } from '../words/lexicon.ts';
import type { Language } from './language.ts';

/** Words of the longest phrase of a glossary. */
const MOST_WORDS = 5;
/** Fewer words that are of the language and no English ones may be names. */
const LEAST_WORDS = 2;

/** English words that mean something else in these languages, or turn the question round in all of them. */
const OTHERWISE =
  /^(?:no|not|none|non|never|nothing|but|will|also|fast|see|me|he|has|son|on|or|die|war|was|am|an|pour|comment|report|chance)$/;

/** Undefined where a word is not known. */
export function wordByWord(sentence: string, { glossary, clocks, times }: Language): string | undefined {
  const said = clocks.reduce((text, [pattern, english]) => text.replace(pattern, english), plain(sentence));
  const words = said.split(' ').filter((word) => word !== '');
  const english: string[] = [];
  const own = new Set<string>();
  for (let at = 0; at < words.length; ) {
    const found = phraseAt(words, at, glossary, times);
    if (found !== undefined) {
      const foreign = words.slice(at, at + found.taken).filter((word) => !KNOWN_WORDS.has(word));
      for (const word of foreign) own.add(word);
      english.push(found.english);
      at += found.taken;
      continue;
    }
    const word = words[at]!;
    if (!isName(word) && !isTimeWord(word) && (!KNOWN_WORDS.has(word) || OTHERWISE.test(word))) return undefined;
    english.push(word);
    at++;
  }
  return own.size < LEAST_WORDS ? undefined : english.join(' ').replace(/ +/g, ' ').trim();
}

/** Without accents, so that "que paso" is "qué pasó": many keyboards have none. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
}

function phraseAt(
  words: readonly string[],
  at: number,
  ...glossaries: readonly ReadonlyMap<string, string>[]
): { readonly english: string; readonly taken: number } | undefined {
  for (let taken = Math.min(MOST_WORDS, words.length - at); taken > 0; taken--) {
    const phrase = words.slice(at, at + taken).join(' ');
    for (const glossary of glossaries) {
      const english = foldedOf(glossary).get(phrase);
      if (english !== undefined) return { english, taken };
    }
  }
  return undefined;
}

const FOLDED = new WeakMap<ReadonlyMap<string, string>, ReadonlyMap<string, string>>();

function foldedOf(glossary: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const known = FOLDED.get(glossary) ?? new Map([...glossary].map(([words, english]) => [folded(words), english]));
  FOLDED.set(glossary, known);
  return known;
}

function isName(word: string): boolean {
  return /\d|^[,;?-]$/.test(word);
}

/** Commas and stops stay, as words of their own. */
function plain(sentence: string): string {
  return folded(sentence.toLowerCase())
    .replace(/[’‘`´]/g, "'")
    .replace(/[?!¿¡"«»]|\.(?=\s|$)/g, ' ')
    .replace(/([,;])/g, ' $1 ')
    .replace(/\s+/g, ' ')
    .trim();
}
