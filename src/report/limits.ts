// Bounds of report: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const REPORT_LIMITS = {
  /** Bytes of reports kept on a node. */
  reportStoreBytes: 268_435_456,
  /** Age after which a report may be removed, acknowledged or not. */
  reportAgeMs: 90 * 86_400_000,
  /** Countersignatures of one report file. */
  countersignatures: 256,
  /** How far a receipt's time may be from the time of the node that gets it. */
  receiptSkewMs: 300_000,
  /** Characters of one piece of a report file. */
  reportPieceChars: 262_144,
} as const;
