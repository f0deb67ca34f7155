// route_policy_misconfig: a prefix of a node is in BGP, and a policy keeps it from neighbours whose sessions are up.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { withheldPrefixes } from './withheld-prefixes.ts';

type Detail = { readonly node: string; readonly prefix: string; readonly policies?: readonly string[] };

export const routePolicy = defineCause<Detail>({
  id: 'route_policy_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'route_policy_misconfig' },
  summary: 'a node has a prefix of its own in BGP and a policy keeps it from its neighbours',
  explain: (file) =>
    withheldPrefixes(file, true).map(({ owner, prefix, symptoms, policies, isMissed }) => ({
      resource: nodeResource(owner),
      explains: symptoms.map(shareOf),
      evidence: [...sourcesOf(file.world, owner), ...symptoms.flatMap((symptom) => symptom.source)],
      detail: { node: owner, prefix, ...(policies.length === 0 ? {} : { policies }) },
      ...(isMissed
        ? {}
        : {
            remark: `${nodeRef(owner)}: ${prefix} is in BGP, and ${policies.length === 0 ? 'a policy' : policies.join(', ')} keeps it from neighbours, and always was so as far as the agents remember; no other node has a route to it`,
          }),
    })),
  describe: ({ node, prefix }) => `${nodeRef(node)} has ${prefix} in BGP and does not announce it to all neighbours`,
  remedy: ({ node, prefix, policies }) => ({
    node,
    summary: `let ${nodeRef(node)} announce ${prefix}${policies === undefined ? '' : `: see ${policies.join(', ')}`}`,
    decide: 'what the policy is there for: it may be wrong in one line, or as a whole',
  }),
});
