// Bounds of mtls/renewal. Listed in docs/limits.md.

export const RENEWAL_LIMITS = {
  /** Certificates that a registrar renews for one party in a minute. */
  renewalsPerMinute: 120,
  /** Longest time for one registrar's answer. */
  renewCallMs: 10_000,
} as const;
