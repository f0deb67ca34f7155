// Bounds of the configuration helper. Listed in docs/limits.md.

export const CONFIG_HELPER_LIMITS = {
  /** Bytes of one request to the configuration helper. */
  configRequestBytes: 1_048_576,
  /** Time in which the program that undoes changes must say that it watches. */
  watchArmMs: 10_000,
  /** Time in which the session that made a change must hold it; then it is undone. */
  commitHoldMs: 3_000,
  /** Pause between two looks at an unconfirmed change. */
  watchMs: 200,
  /** Attempts of one undoing; then it starts again after a pause. */
  rollbackAttempts: 3,
  /** Commits that are kept with their images. */
  commitHistory: 50,
  /** Settled changes of a device with a candidate of its own that can be brought back. */
  deviceCommitHistory: 16,
  /** Time between two looks whether such a device has undone a change. */
  undoneCheckMs: 1_000,
  /** After this time past its deadline such a device would have undone a change that nobody confirmed. */
  undoneLateMs: 5_000,
} as const;
