// May a whole state be read before its time, because something has just changed? A node rests many times as long as a reading of its
// own took. Early readings have an allowance of their own beside that: a route that flaps costs no more than the part of the time by which the
// allowance fills. A reading that takes longer than the whole allowance is never early. Pure: time is an argument.
import { DRIVER_LIMITS } from '../../limits.ts';

export type EarlyLooks = {
  /** True when a reading that takes `tookMs` is allowed, which then counts as taken. */
  take(tookMs: number, nowMs: number): boolean;
};

/** The allowance fills by one millisecond in `rest`. */
export function createEarlyLooks(rest: number): EarlyLooks {
  let leftMs: number = DRIVER_LIMITS.earlyReadMs;
  let countedMs: number | undefined;
  return {
    take(tookMs, nowMs) {
      leftMs = Math.min(DRIVER_LIMITS.earlyReadMs, leftMs + (nowMs - (countedMs ?? nowMs)) / rest);
      countedMs = nowMs;
      if (tookMs > leftMs) return false;
      leftMs -= tookMs;
      return true;
    },
  };
}
