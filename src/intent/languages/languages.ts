// German, French and Spanish: the commonest questions become English ones, any other is refused in its own language. Names stay as they were typed.
import { KNOWN_WORDS } from '../words/lexicon.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import type { Language } from './language.ts';
import { SPANISH } from './spanish.ts';
import { folded, wordByWord } from './word-by-word.ts';

const LANGUAGES: readonly Language[] = [GERMAN, FRENCH, SPANISH];

export type Foreign =
  /** `otherwise`: what is said where the English is no question that is understood. */
  | { readonly kind: 'english'; readonly english: string; readonly otherwise?: string }
  | { readonly kind: 'refusal'; readonly words: string };

/** Undefined for a sentence that is in none of these languages; `isHalfRead`: one word of one is enough. */
export function inEnglish(sentence: string, isHalfRead = false): Foreign | undefined {
  const text = plain(sentence);
  for (const language of LANGUAGES) {
    for (const [pattern, english] of language.questions) {
      const found = pattern.exec(text) ?? foldedPattern(pattern).exec(text);
      if (found !== null) return { kind: 'english', english: filled(english, found, language) };
    }
  }
  for (const language of LANGUAGES) {
    const english = wordByWord(sentence, language);
    if (english !== undefined) return { kind: 'english', english, otherwise: language.refusal };
  }
  const counts = LANGUAGES.map((language) => ({ language, count: countOf(text, language) }));
  const [best] = counts.sort((one, other) => other.count - one.count);
  return best === undefined || best.count < (isHalfRead ? 1 : 2)
    ? undefined
    : { kind: 'refusal', words: best.language.refusal };
}

const FOLDED = new WeakMap<RegExp, RegExp>();

/** The pattern for a keyboard without accents. */
function foldedPattern(pattern: RegExp): RegExp {
  const known = FOLDED.get(pattern) ?? new RegExp(folded(pattern.source), pattern.flags);
  FOLDED.set(pattern, known);
  return known;
}

/** True for a word that is of one of these languages and no English one. */
export function isForeign(word: string): boolean {
  const low = word.toLowerCase();
  return !KNOWN_WORDS.has(low) && LANGUAGES.some(({ words, glossary }) => words.has(low) || glossary.has(low));
}

/** Different words that are of this language and no English ones. */
function countOf(text: string, { words }: Language): number {
  return new Set(text.split(' ').filter((word) => words.has(word) && !KNOWN_WORDS.has(word))).size;
}

function plain(sentence: string): string {
  return sentence
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[?!¿¡,;"«»]|\.(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function filled(english: string, { groups = {} }: RegExpExecArray, { times }: Language): string {
  const time =
    Object.entries(groups).find(([name, value]) => name.startsWith('time') && value !== undefined)?.[1] ?? '';
  const filling = (name: string) =>
    name === 'time'
      ? ([...times].find(([words]) => words === time || folded(words) === time)?.[1] ?? '')
      : (groups[name] ?? '');
  const words = english.replace(/<(\w+)>/g, (_, name: string) => filling(name));
  // Where no node was named.
  return words
    .replace(/\s+/g, ' ')
    .replace(/ (?:on|with|and)(?= $|$| (?:in|since|on|over|last|this|today|yesterday)\b)/g, '')
    .trim();
}
