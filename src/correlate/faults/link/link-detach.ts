// link_detach: an interface that a protocol is configured on, or that had a neighbour, is no longer there.
import { interfaceResource, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Share } from '../../engine/fault-definition.ts';
import { brokenLink, facing, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { interfaceOf } from '../../network/world.ts';

export const linkDetach: FaultDefinition = {
  id: 'link_detach',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'link_detach', netOpsBench: null },
  summary: 'an interface that was in use has disappeared from its node',
  propose: (file, losses) =>
    symptomsOfKind(file, 'down')
      .filter((symptom) => symptom.detail['from'] === 'gone' || symptom.detail['to'] === 'gone')
      .map((symptom) => {
        const ends = symptom.link === undefined ? [] : [symptom.link.from, symptom.link.to];
        const gone = ends.find((end) => interfaceOf(file.world, end) === undefined);
        const at = gone ?? { node: String(symptom.detail['node']), ifname: String(symptom.detail['ifname']) };
        const others = file.symptoms.filter(
          (each) => each.kind === 'down' && each.detail['peer'] === at.node && each.detail['port'] === at.ifname,
        );
        const explains = [
          shareOf(symptom),
          ...betweenEnds(file, at.node, symptom),
          ...others.map(shareOf),
          ...(symptom.link === undefined ? [] : brokenLink(file, losses, symptom.link)),
        ];
        const sessions = file.symptoms.filter(
          (each) =>
            ['bgp', 'bfd'].includes(each.kind) &&
            each.link === undefined &&
            others.some((other) => other.nodes[0] === each.detail['node']),
        );
        return newProposal(linkDetach, interfaceResource(at), [...explains, ...sessions.map(shareOf)], symptom.source, {
          score: 4,
          details: { what: symptom.text },
          remedy: { node: at.node, summary: `${mark(at.node)} ${at.ifname} is gone: check the module or the driver` },
        });
      }),
};

/** Sessions that ran over the interface, from the end that lost it and from the one that was heard there last. */
function betweenEnds(file: CaseFile, node: string, { detail }: Symptom): readonly Share[] {
  const [peer, port] = [String(detail['peer'] ?? ''), String(detail['port'] ?? '')];
  const far = file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer));
  if (far === undefined) return [];
  const theirs = interfaceOf(file.world, { node: far, ifname: port })?.addresses ?? [];
  const ours = symptomsOfKind(file, 'bgp', 'bfd').filter(
    (each) =>
      each.detail['node'] === node && theirs.some((address) => address.split('/')[0] === String(each.detail['peer'])),
  );
  return [...ours.map(shareOf), ...facing(file, far, port)];
}
