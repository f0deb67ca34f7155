// Filters of what is addressed to the node itself (hook `input`): the packets that it forwards do not come to them, so what they take of
// probes says nothing of what users send. A policer of a control plane, or a policy that admits a few services, is no fault.
import { type Fact, type FilterHits, factsOf } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { type Attempt, meets, takes } from './attempts.ts';

/** Of the lost probes that rules are said to have taken, their counters must show this share (stray losses may come on top). */
const COVERED = 0.9;

export type LostAttempt = { readonly attempt: Attempt; readonly lost: number };

/** With nf_hooks_lwtunnel SRv6 packets under way come to this hook as well: a rule that asks for their header is about those. */
export function isForItself({ hook, matches = [] }: Pick<FilterHits, 'hook' | 'matches'>): boolean {
  return hook === 'input' && !matches.some(({ field }) => field === 'extension');
}

/** What such a filter did, with node references. */
export function ownTrafficRemark({ node, acl, packets }: Pick<FilterHits, 'node' | 'acl' | 'packets'>): string {
  return `${acl} (input) of ${nodeRef(node)} dropped ${packets} packets that were for this node itself, probes among them; what it forwards does not come to it`;
}

/** Rules that take what is addressed to their node, dropped packets in the window, and can have taken these. */
function rulesFor(facts: readonly Fact[], attempt: Attempt): readonly FilterHits[] {
  return factsOf({ facts }, 'filter-hits')
    .map(({ value }) => value)
    .filter((rule) => (rule.packets ?? 0) > 0 && isForItself(rule) && meets(attempt, rule) && takes(rule, attempt));
}

/** Those attempts whose loss the counters of such rules at their ends account for, each with its rules. */
export function takenAtTheirEnds<T extends LostAttempt>(
  facts: readonly Fact[],
  attempts: readonly T[],
): ReadonlyMap<T, readonly FilterHits[]> {
  const left = new Map<FilterHits, number>();
  const found = new Map<T, readonly FilterHits[]>();
  for (const each of [...attempts].sort((one, other) => other.lost - one.lost)) {
    const rules = rulesFor(facts, each.attempt);
    const room = rules.reduce((sum, rule) => sum + (left.get(rule) ?? rule.packets ?? 0), 0);
    if (rules.length === 0 || each.lost * COVERED > room) continue;
    let open = each.lost;
    for (const rule of rules) {
      const before = left.get(rule) ?? rule.packets ?? 0;
      left.set(rule, Math.max(0, before - open));
      open = Math.max(0, open - before);
    }
    found.set(each, rules);
  }
  return found;
}
