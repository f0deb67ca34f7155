// dscp_remarking: a router changes the priority mark of packets that leave over a link to another router, as marked probes met it.
// At the edge of a network that is everyday work; between routers of one network the priority is lost on the way.

import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

export const dscpRemarking: FaultDefinition = {
  id: 'dscp_remarking',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'vrf_dscp_remarking', netOpsBench: null },
  summary: 'a router changes the priority mark of packets that leave over a link to another router',
  propose: (file) =>
    symptomsOfKind(file, 'rewrite')
      .filter(({ detail }) => detail['what'] === 'dscp')
      .map((symptom) => {
        const node = symptom.nodes[0]!;
        return newProposal(dscpRemarking, symptom.subject, [shareOf(symptom)], symptom.source, {
          details: { what: symptom.text, rewrites: symptom.detail['rewrites'] ?? '' },
          remedy: { node, summary: `review the rule of ${mark(node)} that changes priority marks` },
        });
      }),
};
