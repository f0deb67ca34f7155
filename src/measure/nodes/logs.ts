// What the logs of both ends of a routing symptom say, asked only when there is one: matched on the nodes themselves against a closed list
// (model/router/log-events.ts). Few calls, and nothing is lacking where one is not answered. Pure.

import type { PlannedCall } from '#model/call.ts';
import { callFor } from '../call.ts';
import { decodeLogSigns } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import type { States } from '../states.ts';

export const logs = defineMeasurement({
  kinds: ['logs'],
  rounds: { confirmation: ({ states }, { routingEnds }) => planLogs(states, routingEnds) },
  read: decodeLogSigns,
});

/** `ends` are the nodes at the ends of what does not come up, those of the first symptom first. */
export function planLogs(states: States, ends: readonly string[]): readonly PlannedCall[] {
  const nodes = [...new Set(ends)].filter((node) => states.has(node)).slice(0, MEASURE_LIMITS.logReads);
  return nodes.map((node) => callFor(node, { kind: 'logs' }, { parts: 'log' }, MEASURE_LIMITS.sweepCallMs));
}
