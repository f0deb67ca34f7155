// Bounds of measure: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const MEASURE_LIMITS = {
  /** Nodes whose log is asked about a routing symptom. */
  logReads: 4,
  /** Longest wait for one node's state when a whole network is asked. */
  sweepCallMs: 3_000,
  /** The same for what a node measures, beside its own time: a busy one begins late. One that gave no state is not asked to measure. */
  measureCallMs: 4_500,
  /** Links that lost probes nobody knows where, and that are looked at for longer. */
  longLooks: 4,
  /** Links over which packets may have come damaged, and that a longer look sends IPv4 probes over. */
  longDamageLooks: 16,
  /** Probes of one end in a longer look at a link. */
  longLookProbes: 3_000,
} as const;
