// link_down: a link has no carrier, or one of its interfaces is shut down. Explains everything that ran over the link. A link
// that comes and goes is link_flap; several links of a silent node are device_down.
import { interfaceResource, linkResource, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { brokenLink, facing, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const linkDown: FaultDefinition = {
  id: 'link_down',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_down', netOpsBench: 'link_down' },
  summary: 'a link has lost its carrier, or an interface of it is shut down',
  exact: '`no shutdown`, where the interface is shut',
  propose: (file, losses) => [
    ...symptomsOfKind(file, 'down').flatMap((symptom) => proposalFor(file, losses, symptom)),
    ...symptomsOfKind(file, 'past').filter(wentOnce).map(over),
  ],
};

/** Down and up again; more than that is flapping. */
function wentOnce({ detail }: Symptom): boolean {
  return Number(detail['changes']) < 4;
}

function over(symptom: Symptom): Proposal {
  return newProposal(linkDown, symptom.subject, [shareOf(symptom)], symptom.source, {
    details: { what: symptom.text, over: true, agoMs: symptom.detail['agoMs'] ?? 0 },
  });
}

function proposalFor(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: CaseFile['symptoms'][number],
): readonly Proposal[] {
  if (symptom.detail['from'] === 'gone' || symptom.detail['to'] === 'gone') return [];
  const { link } = symptom;
  const node = String(symptom.detail['node'] ?? link?.from.node);
  const ifname = String(symptom.detail['ifname'] ?? link?.from.ifname);
  const peer = symptom.detail['peer'];
  const port = symptom.detail['port'];
  const known = typeof peer === 'string' ? file.world.nodes.find((each) => nodeKey(each) === nodeKey(peer)) : undefined;
  const resource =
    link !== undefined
      ? link.key
      : known !== undefined && typeof port === 'string' && port !== ''
        ? linkResource({ node, ifname }, { node: known, ifname: port })
        : interfaceResource({ node, ifname });
  // Of a link whose other end is not known only one end is told of.
  const ends = link === undefined ? [{ node, ifname }] : [link.from, link.to];
  const shut = ends.find((_, index) => symptom.detail[index === 0 ? 'from' : 'to'] === 'shut');
  return [
    {
      fault: 'link_down',
      resource,
      confidence: 'certain',
      score: 3,
      explains: link === undefined ? [shareOf(symptom), ...facing(file, node, ifname)] : brokenLink(file, losses, link),
      evidence: symptom.source,
      against: [],
      details: { what: symptom.text, ...(shut === undefined ? {} : { shutAt: `${mark(shut.node)} ${shut.ifname}` }) },
      remedy:
        shut === undefined
          ? { node, summary: `check the cable and the optics of ${symptom.text}` }
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
