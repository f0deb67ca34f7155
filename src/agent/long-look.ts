// A longer look where probes were lost and neither the counters nor anything else says why: a few links, after everything else has been
// measured and before the verdict. Asks nobody anything when all is explained, and begins none
// that could not end in time.
import { LIMITS } from '#base/limits.ts';
import { unsettled, type Weighed, weigh } from '#correlate/diagnose.ts';
import { planLongLook } from '#intent/plan-long-look.ts';
import type { Expectation } from '#model/baseline.ts';
import type { Intent } from '#model/intent.ts';
import type { Link } from '#model/links.ts';
import { type ConsultParts, consult, type Gathered } from './consult.ts';
import type { Journal } from './progress.ts';
import type { Surveyed } from './survey.ts';

/** Resolves with how everything weighs where nothing more was asked: the diagnosis need not weigh it again. */
export async function lookLonger(
  parts: ConsultParts,
  { intent, expected }: { readonly intent: Intent; readonly expected: readonly Expectation[] },
  { nodes, states, relays }: Surveyed,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Weighed | undefined> {
  if (intent.kind === 'path-loss') return undefined;
  const { evidence, outcomes } = gathered;
  const answers = (link: Link) => !relays.has(link.from.node) && !relays.has(link.to.node);
  const weighed = weigh({ intent, nodeNames: nodes, evidence, outcomes, expected });
  const doubts = unsettled(weighed);
  const losses = doubts.losses.filter(({ link }) => answers(link));
  const damage = doubts.damage.filter(answers);
  const steps = planLongLook(states, losses, damage);
  if (steps.length === 0) return weighed;
  if (journal.elapsedMs() > LIMITS.askingMs - LIMITS.longLookMs) {
    journal.tell(
      'fan-out',
      'probes were lost or packets damaged, and nothing says where; there is no time left for a longer look',
    );
    return weighed;
  }
  const left = tooMany(losses.length, LIMITS.longLooks) + tooMany(damage.length, LIMITS.longDamageLooks);
  const rest = left === 0 ? '' : `, but for ${left} links: they are too many`;
  journal.tell('fan-out', `probes were lost or packets damaged, and nothing says where: a longer look${rest}`);
  for (const calls of steps) await consult(parts, calls, gathered, journal, signal);
  return undefined;
}

function tooMany(count: number, most: number): number {
  return Math.max(0, count - most);
}
