// At most so many notifications of one subserver a second (AX-18): more wait in order, and when too many wait, the oldest is dropped and
// counted. Nothing overtakes.
import { type Clock, STOPPED } from '#base/clock.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

export type Limiter = {
  /** `drop` is called in place of `pass` for one that is dropped, in the order of all of them. */
  offer(pass: () => void, drop?: () => void): void;
  readonly dropped: number;
  stop(): void;
};

/** `onOverflow` is called once for each burst in which something was dropped, when that burst has passed. */
export function createLimiter(init: {
  readonly clock: Clock;
  readonly onOverflow: (droppedInBurst: number) => void;
  readonly perSecond?: number;
  readonly waiting?: number;
}): Limiter {
  const { clock, perSecond = AGGREGATE_LIMITS.notificationsPerSecond } = init;
  const most = init.waiting ?? AGGREGATE_LIMITS.notificationsWaiting;
  const stopped = new AbortController();
  const queue: { readonly pass: () => void; readonly drop: (() => void) | undefined }[] = [];
  let credit = perSecond;
  let creditMs = clock.monotonicMs();
  let dropped = 0;
  let droppedInBurst = 0;
  let isDraining = false;

  const refill = () => {
    const nowMs = clock.monotonicMs();
    credit = Math.min(perSecond, credit + ((nowMs - creditMs) / 1_000) * perSecond);
    creditMs = nowMs;
  };
  const drain = async () => {
    isDraining = true;
    while (queue.length > 0) {
      refill();
      while (credit >= 1 && queue.length > 0) {
        credit -= 1;
        queue.shift()!.pass();
      }
      if (queue.length > 0) await clock.sleep(Math.ceil(1_000 / perSecond), stopped.signal);
    }
    isDraining = false;
    if (droppedInBurst > 0) init.onOverflow(droppedInBurst);
    droppedInBurst = 0;
  };
  return {
    offer(pass, drop) {
      refill();
      if (queue.length === 0 && credit >= 1) {
        credit -= 1;
        return pass();
      }
      queue.push({ pass, drop });
      if (queue.length > most) {
        queue.shift()?.drop?.();
        dropped += 1;
        droppedInBurst += 1;
      }
      if (!isDraining) void drain().catch(() => {});
    },
    get dropped() {
      return dropped;
    },
    stop: () => stopped.abort(STOPPED),
  };
}
