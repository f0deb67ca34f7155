// Bounds of report. Listed in docs/limits.md.

export const REPORT_LIMITS = {
  /** Levels of base64 that are taken out before a report is compressed: payload, evidence, what evidence quotes. */
  packDepth: 4,
  /** Total size of the reports kept on a node. */
  reportStoreBytes: 268_435_456,
  /** Age after which a report may be removed, acknowledged or not: 90 days. */
  reportAgeMs: 90 * 86_400_000,
  /** Countersignatures of one report file. */
  countersignatures: 256,
  /** Largest difference between the time in a receipt and the clock of the node that gets it. */
  receiptSkewMs: 300_000,
  /** Characters of one piece of a report file. */
  reportPieceChars: 262_144,
} as const;
