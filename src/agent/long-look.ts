// A longer look where probes were lost and neither the counters nor anything else says why: a few links, after everything else has been
// measured and before the verdict. Asks nobody anything when all is explained, and begins none
// that could not end in time.
import { LIMITS } from '#base/limits.ts';
import { unsettled } from '#correlate/diagnose.ts';
import { planLongLook } from '#intent/plan-long-look.ts';
import type { Intent } from '#model/intent.ts';
import type { Link } from '#model/links.ts';
import { type ConsultParts, consult, type Gathered } from './consult.ts';
import type { Journal } from './progress.ts';
import type { Surveyed } from './survey.ts';

export async function lookLonger(
  parts: ConsultParts,
  intent: Intent,
  { nodes, states, relays }: Surveyed,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  if (intent.kind === 'path-loss') return;
  const { evidence, outcomes } = gathered;
  const answers = (link: Link) => !relays.has(link.from.node) && !relays.has(link.to.node);
  const doubts = unsettled({ intent, nodeNames: nodes, evidence, outcomes });
  const losses = doubts.losses.filter(({ link }) => answers(link));
  const damage = doubts.damage.filter(answers);
  const steps = planLongLook(states, losses, damage);
  if (steps.length === 0) return;
  if (journal.elapsedMs() > LIMITS.askingMs - LIMITS.longLookMs) {
    journal.tell(
      'fan-out',
      'probes were lost or packets damaged, and nothing says where; there is no time left for a longer look',
    );
    return;
  }
  const left = tooMany(losses.length, LIMITS.longLooks) + tooMany(damage.length, LIMITS.longDamageLooks);
  const rest = left === 0 ? '' : `, but for ${left} links: they are too many`;
  journal.tell('fan-out', `probes were lost or packets damaged, and nothing says where: a longer look${rest}`);
  for (const calls of steps) await consult(parts, calls, gathered, journal, signal);
}

function tooMany(count: number, most: number): number {
  return Math.max(0, count - most);
}
