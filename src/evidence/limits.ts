// Bounds of evidence: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const EVIDENCE_LIMITS = {
  /** Bytes of evidence that one answer may bring. */
  evidenceBytes: 1_048_576,
} as const;
