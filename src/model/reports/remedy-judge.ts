// Decides whether a remedy has helped, from the answers before and after. Pure. It has helped if the finding is gone, nothing new
// appeared, and the answer is complete; anything else is a reason to roll back.
import type { Finding, VerdictKind } from '../finding.ts';

export type Asked = {
  readonly verdict: VerdictKind;
  readonly findings: readonly Pick<Finding, 'fault' | 'resource' | 'details'>[];
};

/** `fault resource`: how `--finding` names a finding. */
export function findingId({ fault, resource }: Pick<Finding, 'fault' | 'resource'>): string {
  return `${fault} ${resource}`;
}

/** Why the remedy has not helped; empty when it has. */
export function whyNotHelped(before: Asked, target: string, after: Asked): readonly string[] {
  const [known, present] = [lasting(before), lasting(after)];
  const appeared = present.filter((id) => !known.includes(id));
  return [
    ...(present.includes(target) ? [`${target} is still there`] : []),
    ...appeared.map((id) => `${id} is new`),
    ...(after.verdict === 'inconclusive' ? ['the answer is inconclusive: not all was seen'] : []),
  ];
}

/** A finding that has cleared is no reason for or against. */
function lasting({ findings }: Asked): readonly string[] {
  return findings.filter(({ details }) => details['over'] !== true).map(findingId);
}
