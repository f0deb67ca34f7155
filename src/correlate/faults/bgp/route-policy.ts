// route_policy_misconfig: a prefix of a node is in BGP, and a policy keeps it from neighbours whose sessions are up; or a policy of one node
// refuses a prefix that its neighbours have.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { refusedPrefixes } from './refused-prefixes.ts';
import { explanationOf, type WithheldDetail, withheldPrefixes } from './withheld-prefixes.ts';

/** `refuses`: the prefix is of another node, and the policy is one for what comes in. */
type Detail = WithheldDetail & { readonly refuses?: true };

export const routePolicy = defineCause<Detail>({
  id: 'route_policy_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'route_policy_misconfig' },
  summary:
    'a node has a prefix of its own in BGP and a policy keeps it from its neighbours, or a policy of it refuses a prefix that they have',
  explain: (file) => [...withheld(file), ...refused(file)],
  describe: ({ node, prefix, policies = [], refuses }) =>
    refuses
      ? `${nodeRef(node)} refuses ${prefix}, which its neighbours have: ${policies.join(', ')}`
      : `${nodeRef(node)} has ${prefix} in BGP and does not announce it to all neighbours`,
  remedy: ({ node, prefix, policies, refuses }) => ({
    node,
    summary: `let ${nodeRef(node)} ${refuses ? 'accept' : 'announce'} ${prefix}${policies === undefined ? '' : `: see ${policies.join(', ')}`}`,
    decide: 'what the policy is there for: it may be wrong in one line, or as a whole',
  }),
});

function withheld(file: CaseFile): readonly Explanation<Detail>[] {
  return withheldPrefixes(file, true).map((each) => {
    const { owner, prefix, policies } = each;
    const remark = `${nodeRef(owner)}: ${prefix} is in BGP, and ${policies.length === 0 ? 'a policy' : policies.join(', ')} keeps it from neighbours, and always was so as far as the agents remember; no other node has a route to it`;
    return explanationOf(file.world, each, remark);
  });
}

/** Likely: which line of the policy refuses it was not read. */
function refused(file: CaseFile): readonly Explanation<Detail>[] {
  return refusedPrefixes(file).map(({ node, prefix, policies, symptoms }) => ({
    resource: nodeResource(node),
    confidence: 'likely',
    explains: symptoms.map(shareOf),
    evidence: [...new Set([...sourcesOf(file.world, node), ...symptoms.flatMap((symptom) => symptom.source)])],
    detail: { node, prefix, policies, refuses: true },
  }));
}
