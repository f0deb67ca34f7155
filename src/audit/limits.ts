// Bounds of audit: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const AUDIT_LIMITS = {
  /** Audit records that wait for the disk at once. */
  auditQueue: 10_000,
  /** Audit records that are written and synchronised together. */
  auditBatch: 256,
  /** Bytes of one audit record's `detail`. */
  auditDetailBytes: 16_384,
  /** Characters of any other text of an audit record. */
  auditTextChars: 2_000,
  /** Size after which the audit trail goes on in a new file. */
  auditFileBytes: 16_777_216,
  /** Bytes of the audit trail on disk; beyond them its oldest file is removed. */
  auditTrailBytes: 268_435_456,
  /** Age at which a file of the audit trail is removed: the time of its last record. */
  auditAgeMs: 365 * 86_400_000,
  /** Longest wait for the disk that holds the audit trail. */
  auditWaitMs: 2_000,
} as const;
