// bfd_session_missing: one end of a link runs BFD towards the other, which does not run it back. Failures of the link are then
// found late. The end without the session is named; where its BFD daemon is dead or could not be read, that is another matter.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import { frrChange, inBgp, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { circuitOf, linkOn, ownEnd, ownerOf, type View, type WorldLink } from '../../network/world.ts';

export const bfdSessionMissing: FaultDefinition = {
  id: 'bfd_session_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'one end of a link runs BFD and the other does not; the resource is the interface without it',
  exact: '`neighbor … bfd` or `isis bfd`, where one of the two protocols runs there',
  propose: (file) =>
    symptomsOfKind(file, 'bfd').flatMap((symptom) => {
      const near = String(symptom.detail['node']);
      const far = symptom.nodes.find((node) => node !== near);
      const view = far === undefined ? undefined : file.world.views.get(far);
      if (far === undefined || view === undefined || !tells(view) || hasSession(file, view, near)) return [];
      const resource = symptom.link === undefined ? nodeResource(far) : interfaceResource(ownEnd(symptom.link, far));
      return [
        newProposal(bfdSessionMissing, resource, [shareOf(symptom)], symptom.source, {
          details: { what: symptom.text, from: mark(near), peer: symptom.detail['peer'] ?? '' },
          remedy: {
            node: far,
            summary: `run BFD on ${mark(far)} towards ${mark(near)}, as the other end does`,
            ...switchedOn(file, view, near, String(symptom.detail['peer']), symptom.link),
          },
        }),
      ];
    }),
};

/** Its word about BFD can be taken: nothing of it is unread, and no BFD daemon is dead. */
function tells({ state }: View): boolean {
  const dead = state.daemons?.some((daemon) => daemon.name === 'bfdd' && !daemon.alive) === true;
  return (
    state.daemons !== undefined && !dead && !state.missing.some(({ part }) => part === 'bfd' || part === 'daemons')
  );
}

/** For the one protocol that both ends run over the link: its neighbour, or its circuit. */
function switchedOn(
  file: CaseFile,
  { node, state }: View,
  near: string,
  peer: string,
  link: WorldLink | undefined,
): Pick<Remedy, 'change' | 'decide'> {
  const circuit = link === undefined ? undefined : circuitOf(file.world, ownEnd(link, node));
  const neighbour = state.bgp?.sessions.find(
    (row) => row.peer.includes(':') === peer.includes(':') && ownerOf(file.world, row.peer)?.node === near,
  );
  if ((circuit === undefined) === (neighbour === undefined))
    return { decide: 'for which protocol: more than one runs between the two, or none is known' };
  return frrChange(
    file.world,
    node,
    neighbour === undefined
      ? onInterface(circuit!.ifname, 'isis bfd')
      : inBgp(state.bgp!.asn, `neighbor ${neighbour.peer} bfd`),
  );
}

function hasSession(file: CaseFile, { node, state }: View, other: string): boolean {
  return (state.bfd ?? []).some((row) => {
    if (row.ifname !== undefined && /^fe[89ab]/i.test(row.peer))
      return linkOn(file.world, { node, ifname: row.ifname }).some(
        (link) => link.from.node === other || link.to.node === other,
      );
    return ownerOf(file.world, row.peer)?.node === other;
  });
}
