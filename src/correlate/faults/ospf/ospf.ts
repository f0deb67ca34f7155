// OSPF adjacencies that do not form: ospf_area_misconfiguration, ospf_timer_mismatch, ospf_neighbor_missing. The end that
// differs from the other interfaces of the network is named.

import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource } from '#model/names.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { majority, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';

export const ospfArea: FaultDefinition = {
  id: 'ospf_area_misconfiguration',
  resource: 'node',
  accuses: true,
  labels: { nika: 'ospf_area_misconfiguration', netOpsBench: null },
  summary: 'one end of a link is in another OSPF area',
  exact: '`ip ospf area` of the other end',
  propose: (file) =>
    differing(
      file,
      ospfArea,
      (row) => row.area,
      (row) => [`ip ospf area ${row.area}`],
    ),
};

export const ospfTimer: FaultDefinition = {
  id: 'ospf_timer_mismatch',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'the two ends of a link expect OSPF hellos at different intervals',
  exact: '`ip ospf hello-interval` and `dead-interval` of the other end',
  propose: (file) =>
    differing(
      file,
      ospfTimer,
      (row) => `${row.helloMs ?? 0}/${row.deadMs ?? 0} ms`,
      (row) => [...seconds('ip ospf hello-interval', row.helloMs), ...seconds('ip ospf dead-interval', row.deadMs)],
    ),
};

export const ospfNeighborMissing: FaultDefinition = {
  id: 'ospf_neighbor_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: 'ospf_neighbor_missing', netOpsBench: null },
  summary: 'OSPF is not active at one end of a link on which the other end runs it',
  exact: '`ip ospf area` of the other end, or `no ip ospf passive`',
  propose: (file) =>
    ospfLinks(file).flatMap(({ symptom, ends }) =>
      ends
        .filter(
          ({ end, row }) =>
            (row === undefined || row.passive) && file.world.views.get(end.node)?.state.ospf !== undefined,
        )
        .map(({ end, row }) =>
          newProposal(ospfNeighborMissing, nodeResource(end.node), [shareOf(symptom)], symptom.source, {
            details: { what: symptom.text, interface: end.ifname },
            remedy: {
              node: end.node,
              summary: `switch OSPF on at ${mark(end.node)} ${end.ifname}`,
              ...switchedOn(file.world, end, row, ends.find((each) => each.end !== end)?.row),
            },
          }),
        ),
    ),
};

type OspfEnd = { readonly end: LinkEnd; readonly row: OspfInterface | undefined };

function ospfLinks(file: CaseFile) {
  return symptomsOfKind(file, 'ospf').flatMap((symptom) => {
    if (symptom.link === undefined) return [];
    const ends: readonly OspfEnd[] = [symptom.link.from, symptom.link.to].map((end) => ({
      end,
      row: file.world.views.get(end.node)?.state.ospf?.find((entry) => entry.ifname === end.ifname),
    }));
    return [{ symptom, ends }];
  });
}

/** As the other end runs it. */
function switchedOn(
  world: World,
  { node, ifname }: LinkEnd,
  own: OspfInterface | undefined,
  other: OspfInterface | undefined,
): Pick<Remedy, 'change' | 'decide'> {
  if (own !== undefined) return frrChange(world, node, onInterface(ifname, 'no ip ospf passive'));
  return other === undefined || other.passive || other.area === ''
    ? { decide: 'the area: no end of the link runs it now' }
    : frrChange(world, node, onInterface(ifname, `ip ospf area ${other.area}`));
}

function likeOther(world: World, end: LinkEnd, lines: readonly string[]): Pick<Remedy, 'change'> {
  return lines.length === 0 ? {} : frrChange(world, end.node, onInterface(end.ifname, ...lines));
}

/** FRR configures whole seconds; intervals below one are another statement. */
function seconds(words: string, ms: number | undefined): readonly string[] {
  return ms === undefined || ms < 1_000 || ms % 1_000 > 0 ? [] : [`${words} ${ms / 1_000}`];
}

function differing(
  file: CaseFile,
  rule: FaultDefinition,
  property: (row: OspfInterface) => string,
  lines: (other: OspfInterface) => readonly string[],
): readonly Proposal[] {
  const usual = majority(
    [...file.world.views.values()].flatMap(({ state }) =>
      (state.ospf ?? []).filter((row) => !row.passive).map(property),
    ),
  );
  return ospfLinks(file).flatMap(({ symptom, ends }) => {
    const values = ends.map(({ row }) => (row === undefined ? undefined : property(row)));
    if (values.includes(undefined) || values[0] === values[1]) return [];
    const odd = ends.filter((_, index) => values[index] !== usual);
    const decided = odd.length === 1;
    return (decided ? odd : ends).map(({ end, row }) =>
      newProposal(
        rule,
        rule.resource === 'node' ? nodeResource(end.node) : interfaceResource(end),
        [shareOf(symptom)],
        symptom.source,
        {
          details: { what: symptom.text, here: property(row!), ...(usual === undefined ? {} : { usual }) },
          remedy: {
            node: end.node,
            summary: `make ${mark(end.node)} ${end.ifname} agree with the other end`,
            ...(decided ? likeOther(file.world, end, lines(ends.find((each) => each.end !== end)!.row!)) : {}),
          },
          ...(decided ? {} : { withheld: 'the two ends differ, and nothing says which is right' }),
        },
      ),
    );
  });
}
