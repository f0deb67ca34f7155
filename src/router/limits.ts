// Bounds that several folders of router share. Listed in docs/limits.md.

export const ROUTER_LIMITS = {
  /** Connections to the read helper at once; each carries one operation. */
  helperConnections: 64,
  /** Bytes of one request to the read helper. */
  helperRequestBytes: 16_384,
  /** Time in which the read helper's request must arrive; an agent on a busy router is late with it by seconds. */
  helperRequestMs: 10_000,
  /** Longest read of the read helper: one daemon's or program's answer. */
  helperReadMs: 5_000,
  /** Longest further wait for a reflector that has answered and is busy. */
  probePatienceMs: 2_000,
  /** Longest run of one of FRR's own programs that reads or checks a configuration. */
  configProgramMs: 30_000,
  /** Longest wait for another change of the configuration to end. */
  configLockMs: 60_000,
  /** Time that a candidate stays with a holder who does nothing. */
  candidateIdleMs: 900_000,
  /** Length of one round of the standing probes over links. */
  watchRoundMs: 2_000,
} as const;
