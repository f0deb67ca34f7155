// link_capacity_bottleneck: a link passes far fewer bytes a second than its siblings. Trains of large probes come out of it
// one packet after the other, also in the confirmation round; nothing else is needed, and no load is made. A queue that overflows on
// such a link loses packets: that loss is its consequence.
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { brokenLink } from '../../symptoms/consequences.ts';
import { bottleneckSymptom } from '../../symptoms/links/bottleneck.ts';
import { slowLinkSymptom } from '../../symptoms/links/slow-link.ts';

/** Of both ends together: fewer may all have met one busy moment. */
const LEAST_TRAINS = 3;

type Detail = {
  readonly heldMs: number;
  readonly othersMs: number;
  readonly otherLinks: number;
  readonly aboutMegabits: number;
};

export const linkCapacity = defineCause<Detail>({
  id: 'link_capacity_bottleneck',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_capacity_bottleneck', netOpsBench: null },
  summary: 'a link passes far fewer bytes a second than the others; measured by packet trains, not by load',
  explain: (file, losses) =>
    bottleneckSymptom.of(file).flatMap((symptom) => {
      const { link, source } = symptom;
      const { heldMs, othersMs, others, trains, megabits } = symptom.detail;
      if (link === undefined) return [];
      // What waits in a queue that drains slowly comes late as well.
      const late = slowLinkSymptom.of(file).filter((each) => each.link?.key === link.key);
      return [
        {
          ...{ resource: link.key, score: 3.2, evidence: source },
          explains: [shareOf(symptom), ...late.map(shareOf), ...brokenLink(file, losses, link)],
          ...(others === 1 ? { confidence: 'likely' as const } : {}),
          ...(trains < LEAST_TRAINS ? { withheld: `${trains} trains alone may have met a busy moment` } : {}),
          detail: { heldMs, othersMs, otherLinks: others, aboutMegabits: megabits },
        },
      ];
    }),
  remedy: (_detail, { world }, resource) => {
    const { from, to } = world.links.find(({ key }) => key === resource)!;
    return {
      node: from.node,
      summary: `find out what limits the rate between ${nodeRef(from.node)} ${from.ifname} and ${nodeRef(to.node)} ${to.ifname}`,
    };
  },
});
