// The part of acl_misconfig that needs no path: probes or tries to an address die although every route is there, and a filter on
// their way that can take them, and is against no single service, dropped as many in the window.
import { nodeResource } from '#model/names.ts';
import { demands, wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import type { Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { kindOf } from '../../packet-filter/filter-kinds.ts';
import { aclLabel } from '../../text/path-sentence.ts';

export function aclOnTheWay(file: CaseFile): readonly Proposal[] {
  return factsOf(file, 'filter-hits').flatMap((hits) => {
    const { node, packets = 0, hook, acl } = hits.value;
    if (packets === 0 || kindOf(hits.value) !== undefined) return [];
    const mine = symptomsOfKind(file, 'reach', 'service').filter(
      (symptom) => meets(symptom, hits.value) && takes(hits.value, symptom),
    );
    if (mine.length === 0) return [];
    const probes = mine.reduce((sum, symptom) => sum + Number(symptom.detail['sent'] ?? 0), 0);
    return [
      newProposal(
        { id: 'acl_misconfig' },
        nodeResource(node),
        mine.map(shareOf),
        [...hits.source, ...mine.flatMap((symptom) => symptom.source)],
        {
          score: demands(hits.value, 'source', 'destination') ? 3 : 2,
          details: {
            acl: aclLabel(acl),
            direction: hook,
            droppedPackets: packets,
            probesLost: probes,
            selects: wordsOf(hits.value),
          },
          remedy: { node, summary: `${aclLabel(acl)} of ${mark(node)} drops what it should forward` },
          ...(packets * 4 < probes ? { withheld: `its counter moved by ${packets}, less than the probes lost` } : {}),
        },
      ),
    ];
  });
}
