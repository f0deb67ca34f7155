// May a whole state be read before its time, because something has just changed? Looks of a node by itself rest many times as long as
// they took; early ones have an allowance of their own that fills as slowly, so that a route that flaps costs no more than twice what
// rest costs. A look that takes longer than the whole allowance is never early. Pure: time is an argument.
import { DRIVER_LIMITS } from '../../limits.ts';

export type EarlyLooks = {
  /** True when a look that takes `tookMs` is allowed, which then counts as taken. */
  take(tookMs: number, nowMs: number): boolean;
};

/** `rest`: how many times as long as a look the node rests. */
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
