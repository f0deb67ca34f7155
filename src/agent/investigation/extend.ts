// A longer look where probes were lost, or packets damaged, and neither the counters nor anything else says why: at a few links, after
// everything else has been measured and before the verdict. Asks no node when all is explained, and begins none that could not
// end in time.

import { unsettled, type Weighed } from '#correlate/diagnose.ts';
import { leftOut } from '#measure/links/extended-measurement.ts';
import { planExtended } from '#measure/registry.ts';
import type { Scope } from '#measure/scope.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Journal } from '../parts/progress.ts';
import { type ConsultParts, consult, type Gathered } from './collect.ts';

/** Resolves with whether a node was asked: then there is more evidence. */
export async function lookLonger(
  parts: ConsultParts,
  weighed: Weighed,
  scope: Scope,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<boolean> {
  const open = unsettled(weighed);
  const steps = planExtended(scope, open);
  if (steps.length === 0) return false;
  const why = 'what was measured leaves open where packets are lost or damaged, if any are';
  if (journal.elapsedMs() > AGENT_LIMITS.collectMs - AGENT_LIMITS.extendedMs) {
    journal.tell('fan-out', `${why}; there is no time left for a longer look`);
    return false;
  }
  const left = leftOut(scope, open);
  const rest = left === 0 ? '' : `, but for ${left} links: they are too many`;
  journal.tell('fan-out', `${why}: a longer look${rest}`);
  for (const calls of steps) await consult(parts, calls, gathered, journal, signal);
  return true;
}
