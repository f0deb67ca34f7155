// link_detach: an interface that a protocol is configured on, or that had a neighbour, is no longer there.
import { interfaceResource, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Rule, Share } from '../../engine/fault-definition.ts';
import { brokenLink, facing, newProposal, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { interfaceOf } from '../../network/world.ts';

export const linkDetach: Rule = {
  fault: 'link_detach',
  resourceForm: 'interface',
  accuses: true,
  nika: 'link_detach',
  netOpsBench: null,
  summary: 'an interface that was in use has disappeared from its node',
  propose: (file, symptoms) =>
    troublesOfKind(file, 'down')
      .filter((trouble) => trouble.detail['from'] === 'gone' || trouble.detail['to'] === 'gone')
      .map((trouble) => {
        const ends = trouble.link === undefined ? [] : [trouble.link.from, trouble.link.to];
        const gone = ends.find((end) => interfaceOf(file.world, end) === undefined);
        const at = gone ?? { node: String(trouble.detail['node']), ifname: String(trouble.detail['ifname']) };
        const others = file.troubles.filter(
          (each) => each.kind === 'down' && each.detail['peer'] === at.node && each.detail['port'] === at.ifname,
        );
        const explains = [
          shareOf(trouble),
          ...betweenEnds(file, at.node, trouble),
          ...others.map(shareOf),
          ...(trouble.link === undefined ? [] : brokenLink(file, symptoms, trouble.link)),
        ];
        const sessions = file.troubles.filter(
          (each) =>
            ['bgp', 'bfd'].includes(each.kind) &&
            each.link === undefined &&
            others.some((other) => other.nodes[0] === each.detail['node']),
        );
        return newProposal(linkDetach, interfaceResource(at), [...explains, ...sessions.map(shareOf)], trouble.source, {
          score: 4,
          details: { what: trouble.text },
          remedy: { node: at.node, summary: `${mark(at.node)} ${at.ifname} is gone: check the module or the driver` },
        });
      }),
};

/** Sessions that ran over the interface, from the end that lost it and from the one that was heard there last. */
function betweenEnds(file: CaseFile, node: string, { detail }: Trouble): readonly Share[] {
  const [peer, port] = [String(detail['peer'] ?? ''), String(detail['port'] ?? '')];
  const far = file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer));
  if (far === undefined) return [];
  const theirs = interfaceOf(file.world, { node: far, ifname: port })?.addresses ?? [];
  const ours = troublesOfKind(file, 'bgp', 'bfd').filter(
    (each) =>
      each.detail['node'] === node && theirs.some((address) => address.split('/')[0] === String(each.detail['peer'])),
  );
  return [...ours.map(shareOf), ...facing(file, far, port)];
}
