// link_flap: the carrier of a link came and went several times lately and has not been still since, whatever its state is now; or it
// did so within the time that was asked about, and is over.
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Share } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { brokenLink, facing, unsettledRoutes } from '../../symptoms/consequences.ts';
import { FLAP_CHANGES } from '../../symptoms/links/carrier-changes.ts';
import { linkDownSymptom } from '../../symptoms/links/link-down.ts';
import { type LinkFlapDetail, linkFlapSymptom } from '../../symptoms/links/link-flap.ts';
import { recoveredLinkSymptom } from '../../symptoms/recovered.ts';

type Detail = { readonly what: string; readonly changes: number; readonly over?: true };

export const linkFlap = defineCause<Detail>({
  id: 'link_flap',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_flap', netOpsBench: 'link_flapping' },
  summary: 'a link loses its carrier again and again; counted by carrier changes, not judged by its state now',
  explain: (file, losses) => [
    ...linkFlapSymptom.of(file).map((symptom) => ({
      ...{ resource: symptom.subject, evidence: symptom.source, score: 4 },
      explains: [shareOf(symptom), ...broken(file, losses, symptom)],
      // Of a link whose other end is silent one end alone tells.
      confidence: symptom.link === undefined ? ('likely' as const) : ('certain' as const),
      detail: { what: symptom.text, changes: symptom.detail.changes },
      remedy: { node: symptom.nodes[0]!, summary: `check cable, optics and connectors: ${symptom.text}` },
    })),
    ...recoveredLinkSymptom
      .of(file)
      .filter(({ detail }) => detail.changes >= FLAP_CHANGES)
      .map((symptom) => ({
        ...{ resource: symptom.subject, explains: [shareOf(symptom)], evidence: symptom.source },
        detail: { what: symptom.text, changes: symptom.detail.changes, over: true as const },
      })),
  ],
});

/** All that ran over the link; over one whose other end is silent, what its near end tells. */
function broken(
  file: CaseFile,
  losses: readonly LossSymptom[],
  { link, detail }: Symptom<LinkFlapDetail>,
): readonly Share[] {
  if (link !== undefined) return brokenLink(file, losses, link);
  const { node = '', ifname = '' } = detail;
  const dark = linkDownSymptom
    .of(file)
    .filter((each) => each.link === undefined && each.detail.node === node && each.detail.ifname === ifname);
  return [...dark.map(shareOf), ...facing(file, node, ifname), ...unsettledRoutes(file, [{ node, ifname }])];
}
