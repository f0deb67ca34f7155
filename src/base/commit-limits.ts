// The bounds of changes of the configuration: who holds them, how long they wait, when they are undone; part of LIMITS (limits.ts).

export const COMMIT_LIMITS = {
  /** Bytes of one request to the configuration helper. */
  configRequestBytes: 1_048_576,
  /** Longest run of one of FRR's own programs that reads or checks a configuration. */
  configProgramMs: 30_000,
  /** Longest run of FRR's reload program. */
  configApplyMs: 120_000,
  /** Longest wait for another change of the configuration to end. */
  configLockMs: 60_000,
  /** Shortest time until an unconfirmed change is undone. */
  confirmLeastMs: 2_000,
  /** Longest time until an unconfirmed change is undone. */
  confirmMostMs: 86_400_000,
  /** Time until an unconfirmed change is undone where nothing is said (RFC 6241 §8.4). */
  confirmMs: 600_000,
  /** Time in which the program that undoes changes must say that it watches. */
  watchArmMs: 10_000,
  /** Time in which the session that made a change must hold it; then it is undone. */
  commitHoldMs: 3_000,
  /** Pause between two looks at an unconfirmed change. */
  watchMs: 200,
  /** Attempts of one undoing; then it starts again after a pause. */
  rollbackAttempts: 3,
  /** Time until a remedy that nobody confirms is undone: the question is asked again within it. */
  remedyConfirmMs: 300_000,
  /** Longest time that a remedy has to show that it helps. */
  remedyProofMs: 60_000,
  /** Pause between two looks at whether a remedy has helped. */
  remedyPauseMs: 2_000,
  /** Settings outside FRR's configuration in one change. */
  liveSettings: 16,
  /** Commits that are kept with their images. */
  commitHistory: 50,
  /** Time that a candidate stays with a holder who does nothing. */
  candidateIdleMs: 900_000,
  /** Longest wait until a change is known to have cut nothing off. */
  healthGateMs: 120_000,
  /** Longest wait for the caller's own word, before its change confirms itself. */
  callerProbeMs: 5_000,
  /** Longest wait for a neighbour's word about a change. */
  healthAskMs: 2_000,
} as const;
