// bgp_max_prefix_exceeded: a session was closed because the peer announced more prefixes than allowed. Both ends are named.
import { nodeResource } from '#model/names.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { isUp, sessionsOf } from './session-symptoms.ts';

/** RFC 4486: Cease, Maximum Number of Prefixes Reached. */
const CODE = '0601';

export const bgpMaxPrefix: FaultDefinition = {
  id: 'bgp_max_prefix_exceeded',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_max_prefix_exceeded', netOpsBench: null },
  summary:
    'a BGP session is closed because one end takes fewer prefixes than the other announces; both nodes are named',
  propose: (file) =>
    sessionsOf(file.world)
      .filter(({ near, far }) => !isUp(near.row) && near.row.lastError === CODE && far !== undefined)
      .flatMap(({ near, far }) => {
        const pair = [near.node, far!.node].sort();
        const mine = file.symptoms.filter(
          (symptom) => symptom.kind === 'bgp' && pair.every((node) => symptom.nodes.includes(node)),
        );
        return pair.map((node) =>
          newProposal(bgpMaxPrefix, nodeResource(node), mine.map(shareOf), sourcesOf(file.world, ...pair), {
            score: 4,
            together: pair.join('+'),
            details: { between: pair.map(mark) },
            remedy: {
              node: near.node,
              summary: `raise the limit, or find out why ${mark(far!.node)} announces so much`,
              decide: 'how many prefixes are right: the limit may be too low, or the other end announces too many',
            },
          }),
        );
      }),
};
