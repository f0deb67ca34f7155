// Bounds of fanout: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const FANOUT_LIMITS = {
  /** Concurrent calls of one question to one node: fewer than `requestsInFlight`. */
  fanoutPerNode: 48,
} as const;
