// What is known of a language beside English.

export type Language = {
  /** A whole question in lower case, without stops, and what it is in English; `<name>` stands for a name, `<time>` for the time. */
  readonly questions: readonly (readonly [RegExp, string])[];
  /** Times of the group `time`. */
  readonly times: ReadonlyMap<string, string>;
  /** Common words that are no English ones. */
  readonly words: ReadonlySet<string>;
  /** That questions are asked in English. */
  readonly refusal: string;
};

/** A question from the start to the end; `N` stands for a name or an address, `T` for a time. */
export function question(pattern: string, times: ReadonlyMap<string, string>): RegExp {
  const time = [...times.keys()].sort((one, other) => other.length - one.length).join('|');
  const name = '[\\p{L}\\d][\\p{L}\\d._:/-]*';
  let names = 0;
  let spans = 0;
  const source = pattern
    .replace(/\bN\b/g, () => `(?<n${++names}>${name})`)
    .replace(/\bT\b/g, () => `(?<time${++spans}>${time})`);
  return new RegExp(`^(?:${source})$`, 'u');
}
