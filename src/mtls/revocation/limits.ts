// Bounds of mtls/revocation. Listed in docs/limits.md.

export const REVOCATION_LIMITS = {
  /** Characters of a trust list as it travels; less than a frame. */
  trustListChars: 524_288,
  /** Entries of a trust list. */
  revoked: 1_024,
  /** Characters of a reason. */
  revokedReasonChars: 200,
  /** Time by which a list may be ahead of this node's clock. */
  trustListAheadMs: 86_400_000,
} as const;
