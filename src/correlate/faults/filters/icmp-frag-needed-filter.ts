// icmp_frag_needed_filter_misconfiguration: a node drops the messages that say that a packet is too large, which must not be dropped
// (RFC 4890 §4.3.1). It hurts where the node's links differ in size.
import { nodeResource } from '#model/names.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isDropping } from '../../packet-filter/dropping-rules.ts';
import { kindOf } from '../../packet-filter/filter-kinds.ts';

/** How many rules drop them, and the MTUs of the node's links. */
type Detail = {
  readonly node: string;
  readonly rules: number;
  readonly smallest: number;
  readonly largest: number;
};

export const icmpFragNeededFilter = defineFault<Detail>({
  id: 'icmp_frag_needed_filter_misconfiguration',
  resource: 'node',
  accuses: true,
  labels: { nika: 'icmp_frag_needed_filter_misconfiguration', netOpsBench: null },
  summary:
    'a packet filter of a node with links of different sizes drops the messages that say that a packet is too large',
  clue: 'filter',
  detect: ({ world }) =>
    [...world.views.values()].flatMap(({ node, state, sources }) => {
      const rules = state.filters.filter((rule) => isDropping(rule) && kindOf(rule) === 'too-large').length;
      const sizes = state.inventory.interfaces
        .filter(({ kind, operUp }) => kind === 'physical' && operUp)
        .map(({ mtu }) => mtu);
      if (rules === 0 || new Set(sizes).size < 2) return [];
      const detail = { node, rules, smallest: Math.min(...sizes), largest: Math.max(...sizes) };
      return [{ resource: nodeResource(node), confidence: 'certain', evidence: sources, nodes: [node], detail }];
    }),
  describe: ({ node, smallest, largest }) =>
    `${nodeRef(node)} drops the messages that say that a packet is too large, and its links carry ${smallest} to ${largest} octets`,
  remedy: ({ node }) => ({
    node,
    summary: `let "packet too big" and "fragmentation needed" through on ${nodeRef(node)}`,
  }),
});
