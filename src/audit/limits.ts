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
  /** Size of the lasting records on disk, beside the trail; beyond it the oldest file is removed. */
  auditLastingBytes: 67_108_864,
  /** Size at which the lasting records continue in a new file. */
  auditLastingFileBytes: 4_194_304,
  /** Peers whose trail's head a node keeps; the one that was shown the longest time ago makes room. */
  auditWitnessed: 128,
  /** Longest wait for the disk that holds the audit trail. */
  auditWaitMs: 2_000,
  /** Room that is kept for the last words of the audit trail on a full disk. */
  auditReserveBytes: 262_144,
  /** Size of one syslog message: what every receiver should take (RFC 5425 §4.3.1). A longer record is sent cut, under its number and digest. */
  auditSyslogBytes: 8_192,
  /** Characters of each text of a record that is sent cut. */
  auditSyslogTextChars: 256,
  /** Octets of the audit trail that are read and sent to the collector at a time. */
  auditForwardChunkBytes: 65_536,
  /** Rest after each of them, so that a long backlog takes no processor time from questions. */
  auditForwardRestMs: 20,
  /** Octets of the audit trail on one connection: what may be sent twice after a crash. */
  auditDeliveryBytes: 4_194_304,
  /** Interval at which the collector is given what is new. */
  auditForwardMs: 2_000,
  /** First wait after a delivery that failed; doubled with each further one. */
  auditForwardRetryMs: 1_000,
  /** Longest wait between two deliveries that fail. */
  auditForwardRetryMaxMs: 60_000,
} as const;
