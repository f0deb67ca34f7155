// Bounds of consent: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const CONSENT_LIMITS = {
  /** Consents that wait or are settled and not forgotten yet. */
  consents: 64,
  /** Consents of one party among them; the oldest gives way. */
  consentsPerParty: 8,
  /** Characters of a change that a consent shows. */
  consentSummaryChars: 16_384,
} as const;
