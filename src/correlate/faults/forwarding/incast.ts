// incast_traffic_network_limitation: more traffic wants to leave over an interface than its queue may send: it overflows in the
// window. Old drops, however many, say nothing.

import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { brokenLink, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { linkOn } from '../../network/world.ts';

export const incast: FaultDefinition = {
  id: 'incast_traffic_network_limitation',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'incast_traffic_network_limitation', netOpsBench: null },
  summary: 'more traffic wants to leave over an interface than its queue may send, and the queue overflows',
  propose: (file, losses) =>
    symptomsOfKind(file, 'queue').map((symptom) => {
      const [node, ifname] = [String(symptom.detail['node']), String(symptom.detail['ifname'])];
      const links = linkOn(file.world, { node, ifname });
      const slow = symptomsOfKind(file, 'narrow', 'slow').filter(({ link }) =>
        links.some((each) => each.key === link?.key),
      );
      const explains = [...[symptom, ...slow].map(shareOf), ...links.flatMap((link) => brokenLink(file, losses, link))];
      return newProposal(incast, symptom.subject, explains, symptom.source, {
        score: 3.5,
        details: {
          what: symptom.text,
          droppedPackets: symptom.detail['drops'] ?? 0,
          queue: symptom.detail['queue'] ?? '',
        },
        remedy: { node, summary: `raise the rate of ${mark(node)} ${ifname}, or spread what is sent through it` },
      });
    }),
};
