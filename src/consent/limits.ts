// Bounds of consent. Listed in docs/limits.md.

export const CONSENT_LIMITS = {
  /** Consents that a node keeps: pending ones and decided ones. */
  consents: 64,
  /** Consents of one party among them; the oldest is removed first. */
  consentsPerParty: 8,
  /** Characters of a change that can be put to an admin: all of it is shown, and a longer one is refused. */
  consentSummaryChars: 16_384,
} as const;
