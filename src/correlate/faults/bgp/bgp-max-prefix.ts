// bgp_max_prefix_exceeded: a session was closed because the peer announced more prefixes than allowed. Both ends are named.
import { nodeResource } from '#model/names.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf } from '../../network/world.ts';
import { isUp, sessionsOf } from '../../symptoms/sessions.ts';
import { brokenSessions } from './remote-as.ts';

/** RFC 4486 §4: Cease, Maximum Number of Prefixes Reached. */
const CODE = '0601';

/** `node` closed the session, `announcer` is its peer. */
type Detail = { readonly between: readonly string[]; readonly node: string; readonly announcer: string };

export const bgpMaxPrefix = defineCause<Detail>({
  id: 'bgp_max_prefix_exceeded',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_max_prefix_exceeded', netOpsBench: null },
  summary:
    'a BGP session is closed because one end takes fewer prefixes than the other announces; both nodes are named',
  explain: (file) =>
    sessionsOf(file.world).flatMap(({ near, far }): readonly Explanation<Detail>[] => {
      if (far === undefined || isUp(near.row) || near.row.lastError !== CODE) return [];
      const pair = [near.node, far.node].sort();
      const mine = brokenSessions(file, (one, other) => pair.every((node) => node === one || node === other));
      return pair.map((node) => ({
        resource: nodeResource(node),
        score: 4,
        together: pair.join('+'),
        explains: mine.map(shareOf),
        evidence: sourcesOf(file.world, ...pair),
        detail: { between: pair.map(nodeRef), node: near.node, announcer: nodeRef(far.node) },
      }));
    }),
  describe: ({ node, announcer }) => `${nodeRef(node)} takes fewer prefixes than ${announcer} announces`,
  remedy: ({ node, announcer }) => ({
    node,
    summary: `raise the limit, or find out why ${announcer} announces so much`,
    decide: 'how many prefixes are right: the limit may be too low, or the other end announces too many',
  }),
});
