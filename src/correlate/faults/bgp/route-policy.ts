// route_policy_misconfig: a prefix of a node is in BGP, and a policy keeps it from neighbours whose sessions are up; or a policy of one node
// refuses a prefix that its neighbours have; or a policy that changed keeps from a neighbour what its node hands on.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { keptByChange } from './changed-policies.ts';
import { refusedPrefixes } from './refused-prefixes.ts';
import { explanationOf, type WithheldDetail, withheldPrefixes } from './withheld-prefixes.ts';

/** `refuses`: the prefix is of another node, and the policy is one for what comes in. */
type Detail = WithheldDetail & {
  readonly refuses?: true;
  /** A policy that changed keeps it from these neighbours. */
  readonly keptFrom?: readonly string[];
};

export const routePolicy = defineCause<Detail>({
  id: 'route_policy_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'route_policy_misconfig' },
  summary:
    'a node has a prefix of its own in BGP and a policy keeps it from its neighbours, or a policy of it refuses a prefix that they have',
  explain: (file) => [...withheld(file), ...refused(file), ...changed(file)],
  describe: ({ node, prefix, policies = [], refuses, keptFrom }) =>
    keptFrom !== undefined
      ? `${nodeRef(node)} ${refuses ? 'refuses' : 'hands on'} ${prefix}${refuses ? ' from' : ', but not to'} ${keptFrom.map(nodeRef).join(', ')}, since ${policies.join(', ')} changed`
      : refuses
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

/** Likely: what the policy is there for may have changed as well. */
function changed(file: CaseFile): readonly Explanation<Detail>[] {
  const known = new Set(refusedPrefixes(file).flatMap(({ symptoms }) => symptoms));
  const kept = keptByChange(file).filter(({ symptoms }) => !symptoms.every((symptom) => known.has(symptom)));
  return kept.map(({ node, prefix, policies, refuses, neighbours, symptoms }) => ({
    resource: nodeResource(node),
    confidence: 'likely',
    explains: symptoms.map(shareOf),
    evidence: [...new Set([...sourcesOf(file.world, node), ...symptoms.flatMap((symptom) => symptom.source)])],
    // Each of several routers that lead there keeps it back.
    together: symptoms[0]!.id,
    detail: { node, prefix, policies, keptFrom: neighbours, ...(refuses ? { refuses: true } : {}) },
  }));
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
