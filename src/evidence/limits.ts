// Bounds of evidence. Listed in docs/limits.md.

export const EVIDENCE_LIMITS = {
  /** Size of the evidence in one answer; equal to the largest frame. */
  evidenceBytes: 1_048_576,
} as const;
