// Bounds of report. Listed in docs/limits.md.

export const REPORT_LIMITS = {
  /** Levels of base64 that are taken out before a report is compressed: payload, evidence, what evidence quotes. */
  packDepth: 4,
  /** Room on the disk from which a report database that was opened without any is opened anew, for other programs too. */
  sharedRoomBytes: 1_048_576,
  /** Removed reports of which a node still says when and why they went. */
  removalEntries: 20_000,
  /** Removed reports that one line of the audit trail names. */
  removalsToldAtOnce: 32,
  /** Reports that one call deletes. */
  reportsDeletedAtOnce: 200,
  /** Countersignatures of one report file. */
  countersignatures: 256,
  /** Reports inside one report file, and reports that one report names. */
  enclosedReports: 256,
  /** Reports within each other: as many as levels of aggregators, and the node's own. */
  enclosedDepth: 32,
  /** Characters of one piece of a report file. */
  reportPieceChars: 262_144,
} as const;
