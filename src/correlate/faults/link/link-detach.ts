// link_detach: an interface that a protocol is configured on, or that had a neighbour, is no longer there.
import { interfaceResource, type LinkEnd, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type Share } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf } from '../../network/world.ts';
import { brokenLink, facing } from '../../symptoms/consequences.ts';
import { type LinkDownDetail, linkDownSymptom } from '../../symptoms/links/link-down.ts';
import { type BgpSessionDetail, bfdSymptom, bgpSymptom } from '../../symptoms/sessions.ts';

type Detail = { readonly what: string };

export const linkDetach = defineCause<Detail>({
  id: 'link_detach',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'link_detach', netOpsBench: null },
  summary: 'an interface that was in use has disappeared from its node',
  explain: (file, losses) =>
    linkDownSymptom
      .of(file)
      .filter(({ detail }) => detail.from === 'gone' || detail.to === 'gone')
      .map((symptom) => goneAt(file, losses, symptom)),
  remedy: (_detail, _file, resource) => {
    const [, node = '', ...ifname] = resource.split('/');
    return { node, summary: `${nodeRef(node)} ${ifname.join('/')} is gone: check the module or the driver` };
  },
});

function goneAt(file: CaseFile, losses: readonly LossSymptom[], symptom: Symptom<LinkDownDetail>): Explanation<Detail> {
  const at = goneEnd(file, symptom);
  const others = linkDownSymptom.of(file).filter(({ detail }) => detail.peer === at.node && detail.port === at.ifname);
  const sessions = sessionsIn(file).filter(
    (each) => each.link === undefined && others.some((other) => other.nodes[0] === each.detail.node),
  );
  return {
    resource: interfaceResource(at),
    explains: [
      shareOf(symptom),
      ...betweenEnds(file, at.node, symptom),
      ...others.map(shareOf),
      ...(symptom.link === undefined ? [] : brokenLink(file, losses, symptom.link)),
      ...sessions.map(shareOf),
    ],
    evidence: symptom.source,
    score: 4,
    detail: { what: symptom.text },
  };
}

function goneEnd({ world }: CaseFile, { link, detail: { node = '', ifname = '' } }: Symptom<LinkDownDetail>): LinkEnd {
  const ends = link === undefined ? [] : [link.from, link.to];
  return ends.find((end) => interfaceOf(world, end) === undefined) ?? { node, ifname };
}

/** Sessions that ran over the interface, from the end that lost it and from the one that was heard there last. */
function betweenEnds(
  file: CaseFile,
  node: string,
  { detail: { peer = '', port = '' } }: Symptom<LinkDownDetail>,
): readonly Share[] {
  const far = file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer));
  if (far === undefined) return [];
  const theirs = interfaceOf(file.world, { node: far, ifname: port })?.addresses ?? [];
  const ours = sessionsIn(file).filter(
    ({ detail }) => detail.node === node && theirs.some((address) => address.split('/')[0] === detail.peer),
  );
  return [...ours.map(shareOf), ...facing(file, far, port)];
}

function sessionsIn(file: CaseFile): readonly Symptom<BgpSessionDetail>[] {
  return [...bgpSymptom.of(file), ...bfdSymptom.of(file)];
}
