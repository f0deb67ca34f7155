// Correct forms of words that the reader has: "gives", "sending", "highest". Such a word is not misspelled, even where it is not known.

/** `words` in lower case. True for one of them, for a regular form of one, and for two of them written as one. */
export function formsOf(words: ReadonlySet<string>): (low: string) => boolean {
  const bases = new Set([...words, ...[...words].flatMap(basesOf)]);
  const isKnown = (low: string) =>
    bases.has(low) || bases.has(`${low}s`) || basesOf(low).some((base) => bases.has(base));
  return (low) => isKnown(low) || isCompound(low, words);
}

/** What a regular form may be of; a doubled letter only behind one vowel, as English spells it. */
function basesOf(low: string): readonly string[] {
  const [, stem = '', ending = ''] = /^([a-z]{2,}?)(s|es|ies|ed|ied|ing|er|ers|est|ly)$/.exec(low) ?? [];
  if (stem.length < 2) return [];
  if (ending.startsWith('i') && ending !== 'ing') return [`${stem}y`];
  if (ending === 's' || ending === 'ly') return [stem];
  if (ending === 'es') return /(?:[sxz]|[cs]h|o)$/.test(stem) ? [stem] : [`${stem}e`];
  const single = /^(.*[^aeiou]?[aeiou])([bdfglmnprt])\2$/.exec(stem);
  const doubled = single === null ? undefined : `${single[1]}${single[2]}`;
  const isShort = /^[^aeiou]*[aeiou][bdfglmnprt]$/.test(stem);
  return [`${stem}e`, ...(isShort ? [] : [stem]), ...(doubled !== undefined && isOneVowel(doubled) ? [doubled] : [])];
}

function isOneVowel(word: string): boolean {
  return /^[^aeiou]*[aeiou][^aeiou]$/.test(word) || /[^aeiou][aeiou][^aeiou]$/.test(word);
}

function isCompound(low: string, words: ReadonlySet<string>): boolean {
  for (let at = 4; at <= low.length - 4; at++) if (words.has(low.slice(0, at)) && words.has(low.slice(at))) return true;
  return false;
}
