// A longer look where probes were lost and neither the counters nor anything else says why: a few links, after everything else has been
// measured and before the verdict. Asks nobody anything when all is explained, and begins none
// that could not end in time.
import { LIMITS } from '#base/limits.ts';
import { unsettledDamage, unsettledLosses } from '#correlate/diagnose.ts';
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
  const unsettled = unsettledLosses({ intent, nodeNames: nodes, evidence, outcomes });
  const damaged = unsettledDamage({ intent, nodeNames: nodes, evidence, outcomes });
  const answers = (link: Link) => !relays.has(link.from.node) && !relays.has(link.to.node);
  const steps = planLongLook(
    states,
    unsettled.filter(({ link }) => answers(link)),
    damaged.filter(answers),
  );
  if (steps.length === 0) return;
  if (journal.elapsedMs() > LIMITS.askingMs - LIMITS.longLookMs) {
    journal.tell(
      'fan-out',
      'probes were lost or packets damaged, and nothing says where; there is no time left for a longer look',
    );
    return;
  }
  journal.tell('fan-out', 'probes were lost or packets damaged, and nothing says where: a longer look');
  for (const calls of steps) await consult(parts, calls, gathered, journal, signal);
}
