// Whether a sentence of a model may be shown. It may hold places of findings and plain words, nothing else: no name, no number and no
// reason is its own, each finding stands at its own place once, and nothing stands between two of them that could join what does not
// belong together. Anything else falls back to the template (TS-17).

import type { Diagnosis } from '#model/finding.ts';
import { NARRATE_LIMITS } from './limits.ts';

/**
 * Words that say nothing about a network: no part of it, amount, time, negation, order, doubt or reason. What is missing here costs
 * prose, never truth.
 */
const PLAIN = 'a an and are as found here indicate indicates is look measured observed please point points';
const MORE = 'see seen show shows suggest suggests the this these to we what';
const WITNESSES = wordSet('evidence finding findings measurement measurements result results');
const TROUBLES = wordSet('fault faults problem problems trouble');
const VOCABULARY = wordSet([PLAIN, MORE, ...WITNESSES, ...TROUBLES].join(' '));
/** All that may stand between two findings. */
const BETWEEN = wordSet('also and as well');
const PLACE = /\{(F\d{1,3})\}/g;

/** The sentence with its places filled in, or undefined when it must not be shown. */
export function groundedSentence(raw: unknown, diagnosis: Diagnosis): string | undefined {
  if (typeof raw !== 'string' || diagnosis.verdict.kind !== 'fault') return undefined;
  const text = raw.trim();
  if (text === '' || text.length > NARRATE_LIMITS.modelSentenceChars || /[^\x20-\x7e’–—]/.test(text)) return undefined;
  if (/[.!?]\s+\S/.test(text)) return undefined;
  const places = [...text.matchAll(PLACE)].map((match) => Number(match[1]!.slice(1)) - 1);
  if (!eachOnce(places, diagnosis.findings.length)) return undefined;
  const [before = '', ...rest] = text.split(/\{F\d{1,3}\}/);
  const after = rest.pop() ?? '';
  if (![before, after].every(saysNothing)) return undefined;
  if (!rest.every((part) => holdsOnly(part, BETWEEN))) return undefined;
  const filled = text.replace(PLACE, (_, id: string) => diagnosis.findings[Number(id.slice(1)) - 1]!.hypothesis);
  return /[.!?]$/.test(filled) ? filled : `${filled}.`;
}

function eachOnce(places: readonly number[], findings: number): boolean {
  return (
    findings > 0 && places.length === findings && new Set(places).size === findings && Math.max(...places) < findings
  );
}

/** Nor may the measurement be what is at fault. */
function saysNothing(part: string): boolean {
  const words = wordsOf(part.replace(/\blook at\b/i, 'look')).map((word) => word.toLowerCase());
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  return words.every((word) => VOCABULARY.has(word)) && !(has(WITNESSES) && has(TROUBLES));
}

function holdsOnly(part: string, words: ReadonlySet<string>): boolean {
  return wordsOf(part).every((word) => words.has(word.toLowerCase()));
}

/** Words, names and numbers without surrounding punctuation; `3.1` and `PE-1` stay whole. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s–—,;:"'’]+/)
    .map((word) => word.replace(/[.!?]+$/, ''))
    .filter((word) => word !== '');
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
