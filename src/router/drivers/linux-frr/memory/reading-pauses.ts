// How long at most passed between two whole readings of the node's state: what lasted for less than that may never have been read. Kept are the
// pauses that are longer than all after them, so that the longest of any time until now is known. Pure: times are arguments.
import type { StateReadings } from '#model/router/control-plane.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type ReadingPauses = {
  /** A whole state was read from `beganMs` to `endedMs`. */
  add(beganMs: number, endedMs: number): void;
  /** The newest, which has not ended, is the last. */
  told(nowMs: number): StateReadings['pauses'];
};

type Pause = { readonly endedMs: number; readonly forMs: number };

/** Whole seconds: there are few that differ. */
const STEP_MS = 1_000;

export function createReadingPauses(): ReadingPauses {
  let pauses: readonly Pause[] = [];
  let lastMs: number | undefined;
  const withNext = (endedMs: number): readonly Pause[] => {
    if (lastMs === undefined) return pauses;
    const forMs = Math.ceil((endedMs - lastMs) / STEP_MS) * STEP_MS;
    return [...pauses.filter((each) => each.forMs > forMs), { endedMs, forMs }];
  };
  return {
    add(beganMs, endedMs) {
      pauses = withNext(endedMs).filter((each) => endedMs - each.endedMs <= DRIVER_LIMITS.pastMs);
      lastMs = Math.max(beganMs, lastMs ?? beganMs);
    },
    told: (nowMs) =>
      withNext(nowMs).map(({ endedMs, forMs }) => ({ agoMs: Math.max(0, Math.round(nowMs - endedMs)), forMs })),
  };
}
