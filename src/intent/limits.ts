// Bounds of intent. Listed in docs/limits.md.

export const INTENT_LIMITS = {
  /** Opening brackets in a structured intent that is not JSON. */
  intentBrackets: 8,
  /** Lines, and colons, of a structured intent that is not JSON. */
  intentLines: 40,
} as const;
