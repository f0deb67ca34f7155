// In which states a node may have been at a time that is over, by what it remembers. Known is what it was from the first to the last reading of
// one state. Between two readings that differ it may have been in either; before its memory begins, in any. Nothing is judged here.
import type { NodeState, PastState } from '#model/router/router-port.ts';
import { UNTOLD_PAUSE_MS } from '../network/remembered.ts';

/** Ages, so that the first is the greater one. */
export type Time = { readonly fromAgoMs: number; readonly untilAgoMs: number };

/** Undefined stands for a state of which nothing is known. */
export type StateThen = NodeState | undefined;

/**
 * Each state that the node may have been in at any moment of the time, its present one included. One alone is what it was. A node that tells no past
 * states may have been in any.
 */
export function statesWithin(state: NodeState, time: Time): readonly StateThen[] {
  const past = [...(state.past ?? [])].sort((one, other) => one.untilAgoMs - other.untilAgoMs);
  const others = past.filter((entry, index) => mayHold(entry, time, past[index - 1], past[index + 1]));
  const states = others.map((entry) => entry.state);
  if (differedThrough(past, time)) return states;
  const { stateReadings, spanMs = 0 } = state.history ?? {};
  const isForgotten = state.past === undefined || time.fromAgoMs > (stateReadings?.reachMs ?? spanMs);
  return [...states, state, ...(isForgotten ? [undefined] : [])];
}

/** The time in which the node was certainly in this state; of one that was read once, when that was. */
export function timeOf({ fromAgoMs, untilAgoMs, tookMs = 0 }: PastState): Time {
  const lastBeganMs = untilAgoMs + tookMs;
  return lastBeganMs <= fromAgoMs
    ? { fromAgoMs, untilAgoMs: lastBeganMs }
    : { fromAgoMs: Math.max(fromAgoMs, lastBeganMs), untilAgoMs };
}

export function widened({ fromAgoMs, untilAgoMs }: Time, byMs: number): Time {
  return { fromAgoMs: fromAgoMs + byMs, untilAgoMs: Math.max(0, untilAgoMs - byMs) };
}

/** `newer` and `older`: the states after and before, as its history has them. */
function mayHold(
  { fromAgoMs, untilAgoMs, beforeAgoMs, afterAgoMs }: PastState,
  time: Time,
  newer: PastState | undefined,
  older: PastState | undefined,
): boolean {
  const isRead = time.untilAgoMs <= fromAgoMs && time.fromAgoMs >= untilAgoMs;
  // Before the first of all nothing is known, also not that it was in this state.
  const first =
    afterAgoMs === undefined ? Math.min(fromAgoMs + UNTOLD_PAUSE_MS, older?.untilAgoMs ?? Infinity) : fromAgoMs;
  const last = Math.max(untilAgoMs - UNTOLD_PAUSE_MS, newer?.fromAgoMs ?? 0);
  return isRead || (time.untilAgoMs < (beforeAgoMs ?? first) && time.fromAgoMs > (afterAgoMs ?? last));
}

/** All the time it was otherwise than it is now: states that follow each other, with no other reading between them, are one time. */
function differedThrough(past: readonly PastState[], time: Time): boolean {
  const spans: Time[] = [];
  let newer: PastState | undefined;
  for (const entry of past) {
    const { fromAgoMs, untilAgoMs, tookMs = 0, afterAgoMs } = entry;
    const last = spans.at(-1);
    const follows = newer !== undefined && afterAgoMs !== undefined && afterAgoMs <= newer.fromAgoMs;
    if (last !== undefined && follows) spans[spans.length - 1] = { ...last, fromAgoMs };
    else spans.push({ fromAgoMs, untilAgoMs: untilAgoMs + tookMs });
    newer = entry;
  }
  return spans.some((span) => span.untilAgoMs <= time.untilAgoMs && time.fromAgoMs <= span.fromAgoMs);
}
