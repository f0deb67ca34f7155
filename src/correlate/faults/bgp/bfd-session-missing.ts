// bfd_session_missing: one end of a link runs BFD towards the other, which does not run it back. Failures of the link are then
// found late. The end without the session is named; where its BFD daemon is dead or could not be read, that is another matter.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, nodeResource } from '#model/names.ts';
import { frrChange, inBgp, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { circuitOf, linkOn, ownEnd, ownerOf, peerEnd, type View, type World } from '../../network/world.ts';
import { type BfdSessionDetail, bfdSymptom } from '../../symptoms/sessions.ts';

/** `node` lacks the session, `from` runs it; `interface` is the link's, where a link is known. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly from: string;
  readonly peer: string;
  readonly interface?: string;
};

export const bfdSessionMissing = defineCause<Detail>({
  id: 'bfd_session_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'one end of a link runs BFD and the other does not; the resource is the interface without it',
  exact: '`neighbor … bfd` or `isis bfd`, where one of the two protocols runs there',
  explain: (file) => bfdSymptom.of(file).flatMap((symptom) => explanationOf(file, symptom)),
  describe: ({ what }) => what,
  remedy: (detail, { world }) => ({
    node: detail.node,
    summary: `run BFD on ${nodeRef(detail.node)} towards ${nodeRef(detail.from)}, as the other end does`,
    ...switchedOn(world, detail),
  }),
});

function explanationOf({ world }: CaseFile, symptom: Symptom<BfdSessionDetail>): readonly Explanation<Detail>[] {
  const { node: near, peer } = symptom.detail;
  const far = symptom.nodes.find((node) => node !== near);
  const view = far === undefined ? undefined : world.views.get(far);
  if (far === undefined || view === undefined || !canTell(view) || hasSession(world, view, near)) return [];
  const end = symptom.link === undefined ? undefined : ownEnd(symptom.link, far);
  const on = end === undefined ? {} : { interface: end.ifname };
  return [
    {
      resource: end === undefined ? nodeResource(far) : interfaceResource(end),
      explains: [shareOf(symptom)],
      evidence: symptom.source,
      detail: { what: symptom.text, node: far, from: near, peer, ...on },
    },
  ];
}

/** Its report of BFD can be believed: nothing of it is unread, and no BFD daemon is dead. */
function canTell({ state }: View): boolean {
  const isDead = state.daemons?.some((daemon) => daemon.name === 'bfdd' && !daemon.alive) === true;
  return (
    state.daemons !== undefined && !isDead && !state.missing.some(({ part }) => part === 'bfd' || part === 'daemons')
  );
}

/** For the one protocol that both ends run over the link: its neighbour, or its circuit. */
function switchedOn(world: World, { node, from, peer, interface: ifname }: Detail): Pick<Remedy, 'change' | 'decide'> {
  const circuit = ifname === undefined ? undefined : circuitOf(world, { node, ifname });
  const bgp = world.views.get(node)?.state.bgp;
  const neighbour = bgp?.sessions.find(
    (row) => row.peer.includes(':') === peer.includes(':') && peerEnd(world, node, row.peer)?.node === from,
  );
  if (circuit !== undefined && neighbour === undefined)
    return frrChange(world, node, onInterface(circuit.ifname, 'isis bfd'));
  if (circuit === undefined && bgp !== undefined && neighbour !== undefined)
    return frrChange(world, node, inBgp(bgp.asn, `neighbor ${neighbour.peer} bfd`));
  return { decide: 'for which protocol: more than one runs between the two, or none is known' };
}

function hasSession(world: World, { node, state }: View, other: string): boolean {
  return (state.bfd ?? []).some((row) => {
    if (row.ifname !== undefined && /^fe[89ab]/i.test(row.peer))
      return linkOn(world, { node, ifname: row.ifname }).some(
        (link) => link.from.node === other || link.to.node === other,
      );
    return ownerOf(world, row.peer)?.node === other;
  });
}
