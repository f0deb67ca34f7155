// Bounds of audit. Listed in docs/limits.md.

export const AUDIT_LIMITS = {
  /** Audit records that wait for the disk at once. */
  auditQueue: 10_000,
  /** Audit records that are written and synchronised together. */
  auditBatch: 256,
  /** Size of one audit record's `detail`. */
  auditDetailBytes: 16_384,
  /** Characters of any other text of an audit record. */
  auditTextChars: 2_000,
  /** Size at which the audit trail continues in a new file. */
  auditFileBytes: 16_777_216,
  /** Size of the whole audit trail on disk; beyond it the oldest file is removed. */
  auditTrailBytes: 268_435_456,
  /** Age, by its last record, at which a file of the audit trail is removed: one year. */
  auditAgeMs: 365 * 86_400_000,
  /** Peers whose trail's head a node keeps; the one that was shown the longest time ago makes room. */
  auditWitnessed: 128,
  /** Longest wait for the disk that holds the audit trail. */
  auditWaitMs: 2_000,
  /** Room that is kept for the last words of the audit trail on a full disk. */
  auditReserveBytes: 262_144,
} as const;
