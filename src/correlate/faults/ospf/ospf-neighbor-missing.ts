// ospf_neighbor_missing: OSPFv2 or OSPFv3 runs over a link at one end only: at the other it is not configured, or passive.
import type { Remedy } from '#model/finding.ts';
import { type LinkEnd, nodeResource } from '#model/names.ts';
import { OSPF_NAMES, type OspfVersion, ospfRows, saysOspf } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { isInVrf, versionMark, versionOf } from '../../symptoms/adjacency.ts';
import { brokenAdjacencies, ospfOn, STATEMENTS } from './ospf-ends.ts';

/** `other` is the other end of the link; `version`: of OSPFv3. */
type Detail = {
  readonly version?: 3;
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
  summary: 'OSPFv2 or OSPFv3 is not active at one end of a link on which the other end runs the same version',
  exact: '`ip ospf area` or `ipv6 ospf6 area` of the other end, or `no … passive`',
  explain: (file) =>
    brokenAdjacencies(file).flatMap(({ symptom, version, ends }) =>
      ends
        .filter(
          ({ end, row }) =>
            (row === undefined ? !isInVrf(file.world, end) : row.passive) &&
            saysOspf(file.world.views.get(end.node)?.state ?? {}, version),
        )
        .map(({ end }) => ({
          resource: nodeResource(end.node),
          explains: [shareOf(symptom)],
          evidence: symptom.source,
          detail: {
            ...versionMark(version),
            what: symptom.text,
            ...{ node: end.node, interface: end.ifname },
            other: ends.find((each) => each.end !== end)!.end,
          },
        })),
    ),
  describe: ({ what }) => what,
  remedy: (detail, { world }) => {
    const { node, interface: ifname, other } = detail;
    const version = versionOf({ detail });
    return {
      node,
      summary: `enable ${OSPF_NAMES[version]} on ${nodeRef(node)} ${ifname}`,
      ...switchedOn(world, { node, ifname }, other, version),
    };
  },
});

/** As the other end runs it. */
function switchedOn(
  world: World,
  end: LinkEnd,
  opposite: LinkEnd,
  version: OspfVersion,
): Pick<Remedy, 'change' | 'decide'> {
  const { node, ifname } = end;
  const words = STATEMENTS[version];
  if (ospfOn(world, end, version) !== undefined)
    return frrChange(world, node, onInterface(ifname, `no ${words} passive`));
  // Below an interface, `area` alone begins nothing: `router ospf6` may be missing.
  if (version === 3 && ospfRows(world.views.get(node)?.state ?? {}, version).length === 0)
    return { decide: 'whether OSPFv3 is to run on the node: it runs on none of its interfaces' };
  const other = ospfOn(world, opposite, version);
  return other === undefined || other.passive || other.area === ''
    ? { decide: 'the area: no end of the link runs it now' }
    : frrChange(world, node, onInterface(ifname, `${words} area ${other.area}`));
}
