// isis_neighbor_missing: IS-IS runs over a link at one end only: at the other it is not configured, or passive.

import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { isisLinks } from './isis-mismatch.ts';

export const isisNeighborMissing: FaultDefinition = {
  id: 'isis_neighbor_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'IS-IS is not active at one end of a link on which the other end runs it',
  exact: '`ip router isis …` as the other end runs it, where that has no password',
  propose: (file) =>
    isisLinks(file).flatMap(({ symptom, ends }) => {
      const without = ends.filter(
        ({ end, circuit }) =>
          (circuit === undefined || circuit.passive) && file.world.views.get(end.node)?.state.isis !== undefined,
      );
      return without.map(({ end, circuit }, index) =>
        newProposal(isisNeighborMissing, interfaceResource(end), [shareOf(symptom)], symptom.source, {
          // Missed at both ends (a baseline knows that it was there): both are named.
          ...(without.length === 2 ? { together: symptom.id } : {}),
          // Somebody made it passive, as is done at the border of a domain; there it is the other end that should be.
          confidence: circuit === undefined ? 'certain' : 'likely',
          details: { what: symptom.text, here: circuit === undefined ? 'not configured' : 'passive' },
          remedy: {
            node: end.node,
            summary: `switch IS-IS on at ${mark(end.node)} ${end.ifname}`,
            ...switchedOn(
              file.world,
              end,
              circuit,
              without.length === 2 ? undefined : ends.find((each) => each !== without[index])?.circuit,
            ),
          },
        }),
      );
    }),
};

/** As the other end runs it; what that end keeps to itself, or where there is none, a person must tell. */
function switchedOn(
  world: World,
  { node, ifname }: LinkEnd,
  own: IsisCircuit | undefined,
  other: IsisCircuit | undefined,
): Pick<Remedy, 'change' | 'decide'> {
  if (own !== undefined) return frrChange(world, node, onInterface(ifname, 'no isis passive'));
  const isis = world.views.get(node)?.state.isis;
  if (other === undefined || isis?.tag === undefined)
    return { decide: 'how it ran: no end of the link runs it now, or the name of its process is not told' };
  if (other.password !== 'none') return { decide: 'the password: the other end has one, and no agent tells it' };
  const type = { '1': 'level-1', '2': 'level-2-only', '1-2': 'level-1-2' }[other.level];
  return frrChange(
    world,
    node,
    onInterface(
      ifname,
      ...(other.ipv4 ? [`ip router isis ${isis.tag}`] : []),
      ...(other.ipv6 ? [`ipv6 router isis ${isis.tag}`] : []),
      ...(other.level === isis.level ? [] : [`isis circuit-type ${type}`]),
      ...(other.network === 'point-to-point' ? ['isis network point-to-point'] : []),
      ...(other.helloSeconds === undefined ? [] : [`isis hello-interval ${other.helloSeconds}`]),
      ...(other.metric === undefined ? [] : [`isis metric ${other.metric}`]),
    ),
  );
}
