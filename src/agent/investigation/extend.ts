// A longer look where probes were lost, or packets damaged, and neither the counters nor anything else says why: at a few links, after
// everything else has been measured and before the verdict. Asks nobody anything when all is explained, and begins none that could not
// end in time.
import { LIMITS } from '#base/limits.ts';
import { unsettled, type Weighed } from '#correlate/diagnose.ts';
import { planLongLook } from '#measure/links/extended-measurement.ts';
import type { Link } from '#model/links/links.ts';
import type { Journal } from '../parts/progress.ts';
import { type ConsultParts, consult, type Gathered } from './collect.ts';
import type { Surveyed } from './scope.ts';

/** Resolves with whether anybody was asked: then there is more to weigh. Never for a question about a path. */
export async function lookLonger(
  parts: ConsultParts,
  weighed: Weighed,
  { states, relays }: Surveyed,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<boolean> {
  if (weighed.intent.kind === 'path-loss') return false;
  const answers = (link: Link) => !relays.has(link.from.node) && !relays.has(link.to.node);
  const doubts = unsettled(weighed);
  const losses = doubts.losses.filter(({ link }) => answers(link));
  const damage = doubts.damage.filter(answers);
  const steps = planLongLook(states, losses, damage);
  if (steps.length === 0) return false;
  if (journal.elapsedMs() > LIMITS.askingMs - LIMITS.longLookMs) {
    journal.tell(
      'fan-out',
      'probes were lost or packets damaged, and nothing says where; there is no time left for a longer look',
    );
    return false;
  }
  const left = tooMany(losses.length, LIMITS.longLooks) + tooMany(damage.length, LIMITS.longDamageLooks);
  const rest = left === 0 ? '' : `, but for ${left} links: they are too many`;
  journal.tell('fan-out', `probes were lost or packets damaged, and nothing says where: a longer look${rest}`);
  for (const calls of steps) await consult(parts, calls, gathered, journal, signal);
  return true;
}

function tooMany(count: number, most: number): number {
  return Math.max(0, count - most);
}
