// What a question leaves out ("everywhere except pe3"): findings about those nodes alone are no answer to it. All nodes are measured all the same, as
// a node that was not asked would look like one that is silent.
import type { Verdict } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey, nodesOf } from '#model/names.ts';
import type { Proposal } from './engine/fault-definition.ts';
import { hypothesisOf } from './text/hypothesis.ts';

/** True for a finding about excepted nodes alone; a link to another node is that one's too. */
export function isExcepted({ except = [] }: Intent, { resource }: Pick<Proposal, 'resource'>): boolean {
  return except.length > 0 && nodesOf(resource).every((node) => except.some(({ key }) => key === nodeKey(node)));
}

/** Where nothing is left of a fault, what was left out is said; that is no proof of health. */
export function withoutExcepted(verdict: Verdict, kept: readonly Proposal[], left: readonly Proposal[]): Verdict {
  if (left.length === 0) return verdict;
  const lines = left.map(hypothesisOf);
  const reasons = [
    ...verdict.reasons.filter((reason) => !lines.includes(reason)),
    ...lines.map((line) => `left out, as asked: ${line}`),
  ];
  if (kept.length > 0) return { kind: verdict.kind, reasons };
  return {
    kind: 'inconclusive',
    reasons: ['nothing was found but at the nodes that the question leaves out', ...reasons],
  };
}
