// Bounds of narrate: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const NARRATE_LIMITS = {
  /** Bytes of one answer of the language model. */
  modelAnswerBytes: 65_536,
  /** Longest wait for the language model. */
  modelMs: 4_000,
  /** Tokens that a client's model is asked for. */
  samplingTokens: 200,
  /** Characters of the sentence that a language model may write. */
  modelSentenceChars: 400,
  /** Segments and clues of one diagnosis that a language model is told of, each. */
  modelClues: 64,
  /** Answers of the language model that are remembered. */
  modelCacheEntries: 64,
} as const;
