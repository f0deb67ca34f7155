// One run of probes between two nodes of the scope, as a call. Says how many and how fast; where they go is the caller's.
import type { PlannedCall } from '#model/call.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import { callFor } from './call.ts';

/** Payload of a small probe. */
export const PAYLOAD_BYTES = 64;
const INTERVAL_MS = 2;
/** How long a small run waits for its last probe. */
export const LINGER_MS = 200;
const SLACK_MS = 3_000;

export type ProbeRun = {
  readonly count: number;
  readonly intervalMs?: number;
  readonly payloadBytes?: number;
  readonly lingerMs?: number;
};
/** `source`, `destination`, `segments` and what else the tool takes; `SID List` where nodes are named on the way. */
export type ProbeWay = PlannedCall['arguments'];

/** Small probes, two milliseconds apart, unless the run says otherwise; it may take its own time and some slack. */
export function probeCall(
  purpose: PlannedPurpose,
  [from, to]: readonly [from: string, to: string],
  { count, intervalMs = INTERVAL_MS, payloadBytes = PAYLOAD_BYTES, lingerMs = LINGER_MS }: ProbeRun,
  way: ProbeWay,
): PlannedCall {
  const args = {
    ...{ Local: from, Tail: to, 'SID List': [], Count: count },
    ...{ intervalMs, payloadBytes, lingerMs },
    ...way,
  };
  return callFor(from, purpose, args, count * intervalMs + lingerMs + SLACK_MS);
}
