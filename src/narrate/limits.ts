// Bounds of narrate. Listed in docs/limits.md.

export const NARRATE_LIMITS = {
  /** Size of one answer of the language model. */
  modelAnswerBytes: 65_536,
  /** Longest wait for the language model. */
  modelMs: 4_000,
  /** Tokens that a client's language model is asked for. */
  samplingTokens: 200,
  /** Characters of the sentence that a language model may write. */
  modelSentenceChars: 400,
  /** Segments, and clues, of one diagnosis in a language model's prompt. */
  modelClues: 64,
  /** Answers of the language model that are cached. */
  modelCacheEntries: 64,
} as const;
