// srv6_sid_unreachable: one head sends to a SID that belongs to no node. Where several heads send there, it is their SID that vanished,
// and none of them is accused.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { missingSidSymptom } from '../../symptoms/missing-sids.ts';

type Detail = { readonly what: string; readonly node: string; readonly sid: string; readonly prefix: string };

export const srv6SidUnreachable = defineCause<Detail>({
  id: 'srv6_sid_unreachable',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a head steers traffic to an SRv6 SID that no node has',
  explain: (file) =>
    missingSidSymptom.of(file).flatMap((symptom) => {
      const { owner, sid = '', heads = [], prefix = '' } = symptom.detail;
      const [head, ...others] = heads;
      if (owner !== undefined || head === undefined || others.length > 0) return [];
      const { nodes, views, whole } = file.world;
      const isSilent = nodes.some((node) => !views.has(node));
      const unasked = isSilent ? 'did not answer' : whole ? undefined : 'was not asked';
      return [
        {
          resource: nodeResource(head),
          explains: [shareOf(symptom)],
          evidence: symptom.source,
          ...(unasked === undefined ? {} : { withheld: `a node that ${unasked} may have this SID` }),
          detail: { what: symptom.text, node: head, sid, prefix },
        },
      ];
    }),
  describe: ({ what }) => what,
  remedy: ({ node, prefix }) => ({ node, summary: `steer ${prefix} on ${nodeRef(node)} to a SID that exists` }),
});
