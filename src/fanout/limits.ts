// Bounds of fanout. Listed in docs/limits.md.

export const FANOUT_LIMITS = {
  /** Calls of one question that one node has open at once; fewer than `requestsInFlight`, which leaves room on the session for other calls. */
  fanoutPerNode: 48,
} as const;
