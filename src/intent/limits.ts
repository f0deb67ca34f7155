// Bounds of intent. Listed in docs/limits.md.

export const INTENT_LIMITS = {
  /** Opening brackets in a structured intent that is not JSON. */
  intentBrackets: 8,
  /** Lines, and colons, of a structured intent that is not JSON. */
  intentLines: 40,
  /** Words of a question that are read; a longer one is refused. */
  intentWords: 120,
  /** Words that are not known and that an answer may leave unused, each of them named in the answer; parts that ask or tell something are named beside them. */
  unusedWords: 3,
  /** Parts of a question, between signs, that are read by themselves: for the one that asks, or to see that none that asks is lost. More that ask are refused. */
  sentenceParts: 5,
  /** Examples that a refusal shows. */
  shownExamples: 5,
  /** How far back a question about the past goes that names no time, milliseconds: further than any node remembers. */
  wholeMemoryMs: 2_592_000_000,
} as const;
