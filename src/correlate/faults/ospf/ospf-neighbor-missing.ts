// ospf_neighbor_missing: OSPF runs over a link at one end only: at the other it is not configured, or passive.
import type { Remedy } from '#model/finding.ts';
import { type LinkEnd, nodeResource } from '#model/names.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { brokenAdjacencies, ospfOn } from './ospf-ends.ts';

/** `other` is the other end of the link. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly interface: string;
  readonly other: { readonly node: string; readonly ifname: string };
};

export const ospfNeighborMissing = defineCause<Detail>({
  id: 'ospf_neighbor_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: 'ospf_neighbor_missing', netOpsBench: null },
  summary: 'OSPF is not active at one end of a link on which the other end runs it',
  exact: '`ip ospf area` of the other end, or `no ip ospf passive`',
  explain: (file) =>
    brokenAdjacencies(file).flatMap(({ symptom, ends }) =>
      ends
        .filter(
          ({ end, row }) =>
            (row === undefined || row.passive) && file.world.views.get(end.node)?.state.ospf !== undefined,
        )
        .map(({ end }) => ({
          resource: nodeResource(end.node),
          explains: [shareOf(symptom)],
          evidence: symptom.source,
          detail: {
            what: symptom.text,
            ...{ node: end.node, interface: end.ifname },
            other: ends.find((each) => each.end !== end)!.end,
          },
        })),
    ),
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, other }, { world }) => ({
    node,
    summary: `enable OSPF on ${nodeRef(node)} ${ifname}`,
    ...switchedOn(world, { node, ifname }, other),
  }),
});

/** As the other end runs it. */
function switchedOn(world: World, end: LinkEnd, opposite: LinkEnd): Pick<Remedy, 'change' | 'decide'> {
  const { node, ifname } = end;
  if (ospfOn(world, end) !== undefined) return frrChange(world, node, onInterface(ifname, 'no ip ospf passive'));
  const other = ospfOn(world, opposite);
  return other === undefined || other.passive || other.area === ''
    ? { decide: 'the area: no end of the link runs it now' }
    : frrChange(world, node, onInterface(ifname, `ip ospf area ${other.area}`));
}
