// bgp_session_missing: a session that was expected (baseline) is configured no more at one end. Explains that the other end cannot
// set it up. Without a baseline it is not known, and no node is accused.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { type ExpectedDetail, expectedSymptom } from '../../symptoms/expectations.ts';
import { bfdSymptom, bgpSymptom } from '../../symptoms/sessions.ts';

type Detail = { readonly what: string; readonly node: string; readonly peer: string };

export const bgpSessionMissing = defineCause<Detail>({
  id: 'bgp_session_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a node is not configured for a BGP session that is expected of it; needs `parley baseline save` or `parley expectations save`',
  explain: explanations,
  describe: ({ what }) => what,
  remedy: ({ node, peer }) => ({
    node,
    summary: `configure BGP on ${nodeRef(node)} for ${peer} again`,
    decide:
      'a baseline knows the neighbour and not its password, policies and families: the configuration of then is needed',
  }),
});

function explanations(file: CaseFile): readonly Explanation<Detail>[] {
  const lost = expectedSymptom.of(file).filter(({ detail }) => detail.part === 'session');
  return lost.map((symptom) => {
    const { node = '', peer = '' } = symptom.detail;
    const between = [...bgpSymptom.of(file), ...bfdSymptom.of(file)].filter(
      ({ nodes }) => symptom.nodes.length === 2 && symptom.nodes.every((name) => nodes.includes(name)),
    );
    return {
      resource: nodeResource(node),
      explains: [symptom, ...between].map(shareOf),
      evidence: symptom.source,
      // The end that still has the session configured lacks nothing.
      ...(lost.some((other) => isMirrored(other, symptom)) ? { together: pairOf(symptom) } : {}),
      detail: { what: symptom.text, node, peer },
    };
  });
}

/** The same session, missing at both ends: both are named. */
function isMirrored(one: Symptom<ExpectedDetail>, other: Symptom<ExpectedDetail>): boolean {
  return one.nodes.length === 2 && pairOf(one) === pairOf(other) && one.detail.node !== other.detail.node;
}

function pairOf({ nodes }: Symptom): string {
  return [...nodes].sort().join('+');
}
