// What nodes remember of days, where a question is about a time that their memory of minutes does not reach. Pure.

import type { PlannedCall } from '#model/call.ts';
import { type Intent, isAlongPath } from '#model/intent.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import { callFor } from '../call.ts';
import { MEASURE_LIMITS } from '../limits.ts';

/** Until now: what ended only after the time that was asked about is over as well. */
export function planRemembered(intent: Intent, nodes: readonly string[]): readonly PlannedCall[] {
  const { kind, topic, sinceMs = 0 } = intent;
  const isAsked = topic === 'history' || (kind !== 'data' && !isAlongPath(intent));
  if (!isAsked || sinceMs <= MEASURE_LIMITS.minutesMemoryMs) return [];
  const args = { sinceMs: Math.min(sinceMs, MODEL_LIMITS.rememberedMs), untilMs: 0 };
  return nodes.map((node) => callFor(node, { kind: 'remembered' }, args, MEASURE_LIMITS.sweepCallMs));
}
