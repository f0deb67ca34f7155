// dscp_remarking: a router changes the DSCP of packets that leave over a link to another router. At the edge of a network that is everyday
// work; between routers of one network the priority is lost on the way. Now DSCP-marked probes must have met the rule, of a remembered
// moment its own counter says that packets did.
import { interfaceResource } from '#model/names.ts';
import { dscpOf, remarkOf } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault, type Slice } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linkOn, otherEnd, type View, type World } from '../../network/world.ts';
import { rulesInUse, takenBy } from './rewriting-rules.ts';

/** Of the marked probes, the rule's counter must show this share: some are lost for other reasons. */
const SEEN_SHARE = 0.5;

type Detail = {
  readonly node: string;
  readonly ifname: string;
  /** As the node words it: `ip6 dscp ef = cs0`. */
  readonly rewrites: string;
  readonly packets: number;
  /** DSCP-marked probes of ours among them; 0 in a remembered moment. */
  readonly probes: number;
};

export const dscpRemarking = defineFault<Detail>({
  id: 'dscp_remarking',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'vrf_dscp_remarking', netOpsBench: null },
  summary: 'a router changes the DSCP of packets that leave over a link to another router',
  memories: ['filters'],
  clue: 'rewrite',
  detect: (slice) =>
    [...slice.world.views.values()].flatMap((view) =>
      rulesInUse(slice, view).flatMap((rule) =>
        rule.outInterfaces
          .filter((ifname) => leadsToRouter(slice.world, view, ifname))
          .flatMap((ifname) => remarked(slice, view, rule, ifname)),
      ),
    ),
  describe: ({ node, ifname, rewrites, packets, probes }) =>
    `${nodeRef(node)} ${ifname}: a rule of its packet filter changed the DSCP (${rewrites}) of ${packets} packets${probes === 0 ? '' : `, ${probes} probes among them`}`,
  remedy: ({ node }) => ({ node, summary: `review the rule of ${nodeRef(node)} that changes the DSCP` }),
});

function remarked(slice: Slice, view: View, rule: FilterRule, ifname: string): readonly Detection<Detail>[] {
  const { node, sources } = view;
  const rewrites = rule.rewrites?.find((text) => remarkOf(text) !== undefined);
  if (rewrites === undefined) return [];
  const dscp = dscpOf(remarkOf(rewrites)!.was);
  const sent = factsOf(slice, 'marked').filter(
    ({ value }) => value.node === node && value.ifname === ifname && value.dscp === dscp,
  );
  const probes = sent.reduce((sum, { value }) => sum + value.sent, 0);
  const packets = takenBy(view, rule);
  if (slice.past === undefined && (probes === 0 || packets < probes * SEEN_SHARE)) return [];
  return [
    {
      resource: interfaceResource({ node, ifname }),
      evidence: [...sources, ...sent.flatMap((fact) => fact.source)],
      nodes: [node],
      detail: { node, ifname, rewrites, packets, probes },
    },
  ];
}

/** A router that gave no state is one all the same where this node is adjacent to it. */
function leadsToRouter(world: World, { node, state }: View, ifname: string): boolean {
  const far = linkOn(world, { node, ifname }).map((link) => otherEnd(link, node).node);
  return (
    far.some((each) => (world.views.get(each)?.state.daemons?.length ?? 0) > 0) ||
    (state.adjacencies ?? []).some((entry) => entry.ifname === ifname && entry.state === 'up')
  );
}
