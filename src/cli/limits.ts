// Bounds of cli: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const CLI_LIMITS = {
  /** Rows of one evidence's values that `parley ask --explain` shows of a finding. */
  explainedRows: 6,
  /** Characters of one of them. */
  explainedRowChars: 240,
  /** Reasons of a verdict that an answer shows without `--explain`. */
  toldReasons: 12,
  /** Measured segments that it shows without it; of more, those that lost probes. */
  toldSegments: 12,
  /** Time until a remedy that nobody confirms is undone: the question is asked again within it. */
  remedyConfirmMs: 300_000,
  /** Longest time that a remedy has to show that it helps. */
  remedyProofMs: 60_000,
  /** Pause between two looks at whether a remedy has helped. */
  remedyPauseMs: 2_000,
} as const;
