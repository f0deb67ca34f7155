// link_down: a link has no carrier, or one of its interfaces is shut down. Explains everything that ran over the link. A link
// that comes and goes is link_flap; several links of a silent node are device_down.
import { interfaceResource, linkResource, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Proposal, Rule } from '../../engine/fault-definition.ts';
import type { Symptom } from '../../engine/loss-symptom.ts';
import { brokenLink, facing, newProposal, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const linkDown: Rule = {
  fault: 'link_down',
  resourceForm: 'link',
  accuses: true,
  nika: 'link_down',
  netOpsBench: 'link_down',
  summary: 'a link has lost its carrier, or an interface of it is shut down',
  exact: '`no shutdown`, where the interface is shut',
  propose: (file, symptoms) => [
    ...troublesOfKind(file, 'down').flatMap((trouble) => proposalFor(file, symptoms, trouble)),
    ...troublesOfKind(file, 'past').filter(wentOnce).map(over),
  ],
};

/** Down and up again; more than that is flapping. */
function wentOnce({ detail }: Trouble): boolean {
  return Number(detail['changes']) < 4;
}

function over(trouble: Trouble): Proposal {
  return newProposal(linkDown, trouble.subject, [shareOf(trouble)], trouble.source, {
    details: { what: trouble.text, over: true, agoMs: trouble.detail['agoMs'] ?? 0 },
  });
}

function proposalFor(
  file: CaseFile,
  symptoms: readonly Symptom[],
  trouble: CaseFile['troubles'][number],
): readonly Proposal[] {
  if (trouble.detail['from'] === 'gone' || trouble.detail['to'] === 'gone') return [];
  const { link } = trouble;
  const node = String(trouble.detail['node'] ?? link?.from.node);
  const ifname = String(trouble.detail['ifname'] ?? link?.from.ifname);
  const peer = trouble.detail['peer'];
  const port = trouble.detail['port'];
  const known = typeof peer === 'string' ? file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer)) : undefined;
  const resource =
    link !== undefined
      ? link.key
      : known !== undefined && typeof port === 'string' && port !== ''
        ? linkResource({ node, ifname }, { node: known, ifname: port })
        : interfaceResource({ node, ifname });
  // Of a link whose other end is not known only one end is told of.
  const ends = link === undefined ? [{ node, ifname }] : [link.from, link.to];
  const shut = ends.find((_, index) => trouble.detail[index === 0 ? 'from' : 'to'] === 'shut');
  return [
    {
      fault: 'link_down',
      resource,
      confidence: 'certain',
      score: 3,
      explains:
        link === undefined ? [shareOf(trouble), ...facing(file, node, ifname)] : brokenLink(file, symptoms, link),
      evidence: trouble.source,
      against: [],
      details: { what: trouble.text, ...(shut === undefined ? {} : { shutAt: `${mark(shut.node)} ${shut.ifname}` }) },
      remedy:
        shut === undefined
          ? { node, summary: `check the cable and the optics of ${trouble.text}` }
          : {
              node: shut.node,
              summary: `${mark(shut.node)} ${shut.ifname} is shut down`,
              command: `ip link set ${shut.ifname} up`,
              change: {
                lines: [`interface ${shut.ifname}`, ' no shutdown'],
                live: [{ kind: 'link-up', ifname: shut.ifname }],
              },
            },
    },
  ];
}
