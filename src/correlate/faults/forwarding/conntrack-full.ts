// conntrack_full: the kernel's table of tracked connections is full, and the node drops the first packets of new ones. Accused only where drops
// were counted in the window of the question: a table that is nearly full and drops nothing does its work.
import { nodeResource } from '#model/names.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { counterDelta } from '../../observe/wire.ts';
import { serviceSymptom } from '../../symptoms/service.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

type Detail = {
  readonly node: string;
  readonly tracked: number;
  readonly most: number;
  /** In the window. */
  readonly droppedPackets: number;
};

/** The kernel counts other failures in the same place: with room left in the table it was one of those. */
const FULL_SHARE = 0.95;

export const conntrackFull = defineFault<Detail>({
  id: 'conntrack_full',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'the table of tracked connections of a node is full, and it drops packets of new ones',
  detect: ({ world }) =>
    [...world.views.values()].flatMap(({ node, before, after, sources }) => {
      const [was, now] = [before?.forwarding?.conntrack, after?.forwarding?.conntrack];
      const droppedPackets = counterDelta(was?.dropped, now?.dropped) ?? 0;
      if (was === undefined || now === undefined || droppedPackets === 0) return [];
      const tracked = Math.max(was.tracked, now.tracked);
      if (now.most === 0 || tracked < now.most * FULL_SHARE) return [];
      const detail = { node, tracked, most: now.most, droppedPackets };
      return [{ resource: nodeResource(node), evidence: sources, nodes: [node], detail }];
    }),
  describe: ({ node, tracked, most, droppedPackets }) =>
    `${nodeRef(node)} tracks ${tracked} connections of at most ${most}, and dropped ${droppedPackets} packets of new ones in the window`,
  remedy: ({ node, most }) => ({
    node,
    summary: `make room in the connection tracking table of ${nodeRef(node)}`,
    command: `sysctl -w net.netfilter.nf_conntrack_max=${most * 2}`,
    decide: 'find out which hosts hold the connections (conntrack -L), or track fewer: a larger table costs memory',
  }),
  consequences: ({ detail: { node } }, file) =>
    [...reachSymptom.of(file), ...serviceSymptom.of(file)]
      .filter(({ way, nodes }) => way?.nodes.includes(node) === true || nodes.includes(node))
      .map(shareOf),
});
