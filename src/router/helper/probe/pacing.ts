// When the next probes are due. Pure. A timer that lags is caught up with in small bursts, and no burst and no catching up
// ever goes beyond LIMITS.probesPerSecond.
import { LIMITS } from '#base/limits.ts';

/** Most probes of one turn of the event loop; also the depth of the rate limit's bucket. */
const BURST_PROBES = 8;
/** While catching up, at most twice the asked rate. */
const CATCH_UP = 2;

/** The shortest pause of a timer. */
export const TURN_MS = 1;

export type Pacer = {
  /** Probes to send now, given the time and how many were sent. */
  due(nowMs: number, sentCount: number): number;
  /** Milliseconds until the next probe is due, and `TURN_MS` where it is due already and its burst has to wait. */
  waitMs(nowMs: number, sentCount: number): number;
};

export function createPacer(init: {
  readonly startMs: number;
  readonly count: number;
  readonly intervalMs: number;
}): Pacer {
  const { startMs, count, intervalMs } = init;
  let tokens = BURST_PROBES;
  let lastMs = startMs;
  const perMs = Math.min(LIMITS.probesPerSecond / 1000, CATCH_UP / intervalMs);
  return {
    due(nowMs, sentCount) {
      tokens = Math.min(BURST_PROBES, tokens + (nowMs - lastMs) * perMs);
      lastMs = nowMs;
      const scheduled = Math.min(count, Math.floor((nowMs - startMs) / intervalMs) + 1);
      const due = Math.max(0, Math.min(scheduled - sentCount, Math.floor(tokens)));
      tokens -= due;
      return due;
    },
    waitMs: (nowMs, sentCount) => Math.max(TURN_MS, Math.floor(startMs + sentCount * intervalMs - nowMs)),
  };
}
