// The two ways of probes that a reflector timed, least of one round: sent by this node's clock, taken in by the other kernel's, which
// counts from the first probe of the session. The sum is the round trip; each alone holds the unknown difference of two clocks, and
// means nothing until it changes. Refuses to tell when this node itself was late all the time. Pure: time is an argument.
import type { WatchWays } from '#model/router/link-monitor.ts';
import type { ProbeMessage } from '../../protocol/probe-message.ts';

export type WayClock = {
  /** A reflection came in. */
  note(message: ProbeMessage, sentMs: number, nowMs: number): void;
  /** One turn of the round ended so late. */
  noteTurn(lateMs: number): void;
  /** Undefined while nothing was timed. */
  least(): WatchWays | undefined;
};

/** A node that was later than this with every turn does not know when anything came. */
const LATE_EVERY_TURN_MS = 5;

export function createWayClock(session: number): WayClock {
  let outMs = Number.POSITIVE_INFINITY;
  let backMs = Number.POSITIVE_INFINITY;
  let lateMs = Number.POSITIVE_INFINITY;
  return {
    note({ arrivedUs, heldUs = 0 }, sentMs, nowMs) {
      if (arrivedUs === undefined) return;
      outMs = Math.min(outMs, arrivedUs / 1_000 - sentMs);
      // What waited for the reflector's process was not on its way.
      backMs = Math.min(backMs, nowMs - (arrivedUs + heldUs) / 1_000);
    },
    noteTurn(turnLateMs) {
      lateMs = Math.min(lateMs, turnLateMs);
    },
    least() {
      const wasLate = Number.isFinite(lateMs) && lateMs > LATE_EVERY_TURN_MS;
      if (wasLate || !Number.isFinite(outMs)) return undefined;
      return [Math.round(outMs * 1_000), Math.round(backMs * 1_000), session];
    },
  };
}
