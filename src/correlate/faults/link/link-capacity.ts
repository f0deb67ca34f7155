// link_capacity_bottleneck: a link passes far fewer bytes a second than its siblings. Trains of large probes come out of it
// one packet after the other, also at the second look; nothing else is needed, and no load is made. A queue that overflows on
// such a link loses packets: that loss is its consequence.

import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { brokenLink, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

/** Of both ends together: fewer may all have met one busy moment. */
const LEAST_TRAINS = 3;

export const linkCapacity: FaultDefinition = {
  id: 'link_capacity_bottleneck',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_capacity_bottleneck', netOpsBench: null },
  summary: 'a link passes far fewer bytes a second than the others; told by short trains of large probes, not by load',
  propose: (file, losses) =>
    symptomsOfKind(file, 'narrow').flatMap((symptom) => {
      const { link, detail } = symptom;
      if (link === undefined) return [];
      // What waits in a queue that drains slowly comes late as well.
      const late = symptomsOfKind(file, 'slow').filter((each) => each.link?.key === link.key);
      const few = Number(detail['trains'] ?? 0) < LEAST_TRAINS;
      return [
        newProposal(
          linkCapacity,
          link.key,
          [shareOf(symptom), ...late.map(shareOf), ...brokenLink(file, losses, link)],
          symptom.source,
          {
            score: 3.2,
            ...(detail['others'] === 1 ? { confidence: 'likely' } : {}),
            details: {
              heldMs: detail['heldMs'] ?? 0,
              othersMs: detail['othersMs'] ?? 0,
              otherLinks: detail['others'] ?? 0,
              aboutMegabits: detail['megabits'] ?? 0,
            },
            remedy: {
              node: link.from.node,
              summary: `see what limits the rate between ${mark(link.from.node)} ${link.from.ifname} and ${mark(link.to.node)} ${link.to.ifname}`,
            },
            ...(few ? { withheld: `${detail['trains']} trains alone may have met a busy moment` } : {}),
          },
        ),
      ];
    }),
};
