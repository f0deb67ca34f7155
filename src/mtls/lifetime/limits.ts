// Bounds of mtls/lifetime. Listed in docs/limits.md.

export const LIFETIME_LIMITS = {
  /** First wait after a renewal that failed; less for certificates of a short life. */
  renewRetryFirstMs: 60_000,
  /** Longest wait between two tries to renew. */
  renewRetryLongestMs: 3_600_000,
  /** Longest part of a certificate's life at its end in which no new call uses its session. */
  sessionLeftMs: 600_000,
} as const;
