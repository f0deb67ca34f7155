// device_forwarding_packet_corruption: a node spoils packets that it forwards: probes through it arrive damaged, those over its links do
// not. A rule of its own that overwrites checksums, and moved meanwhile, is named beside it.

import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

export const forwardingCorruption: FaultDefinition = {
  id: 'device_forwarding_packet_corruption',
  resource: 'node',
  accuses: true,
  labels: { nika: 'device_forwarding_packet_corruption', netOpsBench: null },
  summary:
    'a node spoils packets that it forwards: probes through it arrive with wrong checksums, those over its links do not',
  propose: (file) =>
    symptomsOfKind(file, 'rewrite')
      .filter(({ detail }) => detail['what'] === 'checksum')
      .map((symptom) => {
        const node = symptom.nodes[0]!;
        const damaged = symptomsOfKind(file, 'corrupt');
        const crossing = symptomsOfKind(file, 'reach').filter(({ way }) => way?.nodes.includes(node) === true);
        return newProposal(
          forwardingCorruption,
          symptom.subject,
          [symptom, ...damaged, ...crossing].map(shareOf),
          [...symptom.source, ...damaged.flatMap((each) => each.source)],
          {
            score: 4,
            details: {
              what: symptom.text,
              fields: symptom.detail['fields'] ?? [],
              packets: symptom.detail['packets'] ?? 0,
            },
            remedy: {
              node,
              summary: `see what ${mark(node)} does to packets that it forwards: its filter rules first`,
            },
          },
        );
      }),
};
