// Bounds of cli. Listed in docs/limits.md.

export const CLI_LIMITS = {
  /** Rows of one evidence that `parley ask --explain` shows for a finding. */
  explainedRows: 6,
  /** The same in the tree of an explanation, which is to be read at once. */
  explainedTreeRows: 2,
  /** Characters of one such row. */
  explainedRowChars: 240,
  /** Reasons of a verdict that an answer shows without `--explain`. */
  shownReasons: 6,
  /** Rows of what happened that an answer about the past shows without `--explain`. */
  shownHappenings: 12,
  /** Nodes without an answer that an inconclusive answer names. */
  silentNodesNamed: 6,
  /** Remarks that an answer shows without `--explain`. */
  shownRemarks: 6,
  /** Measured segments that an answer shows without `--explain`; with more, only those that lost probes. */
  shownSegments: 12,
  /** Changes of settings that an answer shows with a finding without `--explain`. */
  shownChanges: 3,
  /** Changes that an answer to what changed lists without `--explain`. */
  listedChanges: 40,
  /** Time until an unconfirmed remedy is undone; the question is asked again within it. */
  remedyConfirmMs: 300_000,
  /** Longest time in which a remedy must show its effect. */
  remedyProofMs: 60_000,
  /** Interval of the checks whether a remedy has had its effect. */
  remedyPauseMs: 2_000,
  /** Rest of a certificate's life in which `parley doctor` asks for a new one: 14 days, or a tenth of its life if that is less. */
  certificateEndsMs: 14 * 86_400_000,
  /** Rest of a certificate's life in which it is always called out: two days. */
  certificateSoonMs: 2 * 86_400_000,
  /** Time by which a clock may be behind what the node has seen before `parley doctor` calls it wrong. */
  clockBehindMs: 60_000,
  /** Longest wait of `parley doctor` for an answer of a helper. */
  helperAnswerMs: 3_000,
  /** Free files (inodes) below which `parley doctor` calls a disk nearly full. */
  diskFreeFiles: 1_000,
  /** Free octets below which `parley doctor` calls a disk nearly full, or a tenth of a disk where that is less. */
  diskFreeBytes: 64_000_000,
  /** Free octets below which it calls a disk full: a change of the configuration keeps as much for its undoing. */
  diskFullBytes: 1_048_576,
  /** Records of an audit trail that `parley audit tail` shows at most before it follows. */
  tailRecords: 10_000,
  /** Interval at which it looks for new ones. */
  tailFollowMs: 500,
  /** Age of a record that the collector of the audit trail lacks, from which `parley doctor` says that it is late. */
  collectorBehindMs: 600_000,
  /** Time for which `parley doctor` names records that were removed before the collector had them. */
  collectorLossMs: 7 * 86_400_000,
  /** Longest run of a command that `parley setup` calls: an enrolment, doctor, a question. */
  setupCommandMs: 120_000,
  /** Longest wait of `parley setup` for the agent to answer. */
  setupStartMs: 30_000,
  /** Interval at which it tries. */
  setupPollMs: 200,
  /** Times that `parley setup` asks for one thing, where the answer has another form. */
  setupAttempts: 3,
} as const;
