// What is odd and no fault (symptoms/grounds.ts): remarks of proposals that ranking settled, and those of whatever stands all the same, in one
// bounded list. Texts carry node references.
import type { Remark } from '#model/finding.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import type { Proposal } from './fault-definition.ts';

/** Of proposals that are remarks and no accusations. */
export function settledRemarks(chosen: readonly Proposal[]): readonly Remark[] {
  return chosen.flatMap(({ fault: kind, resource, remark: text, remarkReason: why = 'no-change', evidence }) =>
    text === undefined ? [] : [{ kind, resource, why, text, evidence: [...new Set(evidence)].sort() }],
  );
}

/** Each once; of too many the rest is counted. */
export function boundedRemarks(all: readonly Remark[]): readonly Remark[] {
  const different = [...new Map(all.map((each) => [`${each.kind} ${each.text}`, each])).values()];
  const rest = different.length - CORRELATE_LIMITS.remarks;
  if (rest <= 0) return different;
  const shown = different.slice(0, CORRELATE_LIMITS.remarks - 1);
  return [...shown, { kind: 'more', why: 'no-change', text: `${rest + 1} more remarks`, evidence: [] }];
}
