// srv6_sid_missing: heads send to a SID within a node's locator that the node does not have or that looks up in an empty table, or the node lacks
// a kind of SID that every other head has.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { missingSidSymptom } from '../../symptoms/missing-sids.ts';

/** `sid` is the SID, or only its behaviour; `table` is the routing table without a route in which the SID looks up. */
type Detail = { readonly what: string; readonly node: string; readonly sid: string; readonly table?: string };

export const srv6SidMissing = defineCause<Detail>({
  id: 'srv6_sid_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a node lacks an SRv6 SID of its locator that others send to, or its SID looks up in a routing table without a route',
  explain: (file) =>
    missingSidSymptom.of(file).flatMap((symptom) => {
      const { owner, sid, behavior = '', emptyTable: table } = symptom.detail;
      if (owner === undefined) return [];
      return [
        {
          resource: nodeResource(owner),
          explains: [shareOf(symptom)],
          evidence: symptom.source,
          detail: { what: symptom.text, node: owner, sid: sid ?? behavior, ...(table === undefined ? {} : { table }) },
        },
      ];
    }),
  describe: ({ what }) => what,
  remedy: ({ node, sid, table }) => ({
    node,
    summary:
      table === undefined
        ? `restore SID ${sid} on ${nodeRef(node)}`
        : `restore the routes of table ${table} on ${nodeRef(node)}, in which SID ${sid} looks up`,
  }),
});
