// Bounds of discovery: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const DISCOVERY_LIMITS = {
  /** Peers that one peer-exchange answer may name. */
  peerExchangeEntries: 256,
  /** Hops over which a peer table is passed on. */
  peerExchangeHops: 8,
  /** Hints kept for one peer; the oldest goes first. */
  peerHints: 16,
  /** Hints about one peer kept of one origin, such as one port's LLDP. */
  peerHintsPerOrigin: 4,
  /** Remarks kept for one peer; the oldest goes first. */
  peerRemarks: 16,
  /** Hints this much older than a session may speak of the certificate before. */
  staleHintMs: 300_000,
  /** LLDP neighbours looked at on one port. */
  lldpNeighboursPerPort: 16,
  /** Shortest time between two looks at the LLDP neighbours. */
  lldpScanMs: 100,
  /** Interval between attempts to announce over LLDP while the LLDP daemon does not answer. */
  lldpRetryMs: 1_000,
  /** First wait before a speaker that ended is begun again; it doubles. */
  isisRetryMs: 1_000,
  /** Longest wait before a speaker that ended is begun again. */
  isisLongestRetryMs: 60_000,
  /** The same when the router's configuration was the reason: a password, a system id, a level. */
  isisRefusedMs: 600_000,
} as const;
