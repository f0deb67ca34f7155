// The bounds of consents; part of LIMITS (limits.ts).

export const ACCESS_LIMITS = {
  /** Crash logs of which the text is shown, the newest. */
  crashTexts: 8,
  /** Bytes of one of them, from its beginning. */
  crashTextBytes: 32_768,
  /** Time in which a peer must read what was written for it, before its session or stream ends. */
  unreadMs: 60_000,
  /** Time in which a consent must be given and used. */
  consentMs: 900_000,
  /** Consents that wait or are settled and not forgotten yet. */
  consents: 64,
  /** Consents of one party among them; the oldest gives way. */
  consentsPerParty: 8,
  /** How far the clock of whoever decides may be from the node's. */
  consentSkewMs: 60_000,
  /** Characters of a change that a consent shows. */
  consentSummaryChars: 16_384,
} as const;
