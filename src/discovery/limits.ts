// Bounds of discovery. Listed in docs/limits.md.

export const DISCOVERY_LIMITS = {
  /** Peers in one peer-exchange answer. */
  peerExchangeEntries: 256,
  /** Hops over which a peer-table entry is passed on. */
  peerExchangeHops: 8,
  /** Hints kept for one peer; the oldest is removed first. */
  peerHints: 16,
  /** Hints about one peer kept from one source, such as the LLDP of one port. */
  peerHintsPerOrigin: 4,
  /** Remarks kept for one peer; the oldest is removed first. */
  peerRemarks: 16,
  /** How much older than a session a hint must be so that another thumbprint in it counts as outdated, not as false. */
  staleHintMs: 300_000,
  /** LLDP neighbours read on one port. */
  lldpNeighboursPerPort: 16,
  /** Shortest interval between two reads of the LLDP neighbours. */
  lldpScanMs: 100,
  /** Interval between attempts to announce while the LLDP daemon does not answer. */
  lldpRetryMs: 1_000,
  /** First wait before an IS-IS speaker that ended is started again; it doubles each time. */
  isisRetryMs: 1_000,
  /** Longest such wait. */
  isisLongestRetryMs: 60_000,
  /** Wait when the router's configuration was the reason (password, system id, level): every attempt disturbs the area's adjacencies. */
  isisRefusedMs: 600_000,
} as const;
