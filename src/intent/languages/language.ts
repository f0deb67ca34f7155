// What is known of a language beside English.

export type Language = {
  /** A whole question in lower case, without stops, and what it is in English; `<name>` stands for a name, `<time>` for the time. */
  readonly questions: readonly (readonly [RegExp, string])[];
  /** Times of the group `time`. */
  readonly times: ReadonlyMap<string, string>;
  /** Words and phrases, and what they are in English; no negation is among them. */
  readonly glossary: ReadonlyMap<string, string>;
  /** Times of day as they are said, without accents, and in English. */
  readonly clocks: readonly (readonly [RegExp, string])[];
  /** Common words that are no English ones. */
  readonly words: ReadonlySet<string>;
  /** That questions are asked in English. */
  readonly refusal: string;
};

/** `packet loss: Paketverlust, Paketverluste` by line: what it is in English, and the words for it. */
export function glossaryOf(lines: string): ReadonlyMap<string, string> {
  return new Map(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [english = '', words = ''] = line.split(':');
        return words.split(',').map((word): [string, string] => [word.trim(), english.trim()]);
      }),
  );
}

/** "Geht nicht": no name. */
const NEGATIONS = '(?:nicht|nichts|nie|kein|keine|pas|plus|rien|no|nada|nunca)(?: |$)';

/** A question from the start to the end; `N` stands for a name or an address, `T` for a time. */
export function question(pattern: string, times: ReadonlyMap<string, string>): RegExp {
  const time = [...times.keys()].sort((one, other) => other.length - one.length).join('|');
  const name = `(?!${NEGATIONS})[\\p{L}\\d][\\p{L}\\d._:/-]*`;
  let names = 0;
  let spans = 0;
  const source = pattern
    .replace(/\bN\b/g, () => `(?<n${++names}>${name})`)
    .replace(/\bT\b/g, () => `(?<time${++spans}>${time})`);
  return new RegExp(`^(?:${source})$`, 'u');
}
