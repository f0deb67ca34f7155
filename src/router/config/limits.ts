// Bounds of the configuration helper. Listed in docs/limits.md.

export const CONFIG_HELPER_LIMITS = {
  /** Size of one request to the configuration helper. */
  configRequestBytes: 1_048_576,
  /** Time in which `parley-rollback` must confirm that it monitors a change; without it the change is not applied. */
  rollbackArmMs: 10_000,
  /** Time in which the session that made a change must acknowledge it; otherwise the change is undone. */
  commitHoldMs: 3_000,
  /** Interval at which `parley-rollback` checks an unconfirmed change. */
  rollbackPollMs: 200,
  /** Attempts to undo one change; then `parley-rollback` pauses and starts again. */
  rollbackAttempts: 3,
  /** Commits that are kept with their configuration. */
  commitHistory: 50,
  /** Confirmed changes that can be reverted on a device with its own candidate. */
  deviceCommitHistory: 16,
  /** Interval of the checks whether such a device has undone a change. */
  undoneCheckMs: 2_000,
  /** Time after the deadline by which such a device would have undone an unconfirmed change. */
  undoneLateMs: 5_000,
  /** Room on the disk that is kept while a change is open, for what undoes it. */
  commitReserveBytes: 1_048_576,
  /** Of it, what one record of a change may take that is not undone yet. */
  commitStepBytes: 131_072,
} as const;
