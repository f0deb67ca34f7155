// Bounds of intent: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const INTENT_LIMITS = {
  /** Brackets of a structured intent that is not JSON. */
  intentBrackets: 8,
  /** Lines of a structured intent that is not JSON. */
  intentLines: 40,
} as const;
