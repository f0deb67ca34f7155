// link_flap: the carrier of a link came and went several times lately and has not been still since, whatever its state is now; or it
// did so within the time that was asked about, and is over.
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Share } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { brokenLink, facing, newProposal, shareOf, symptomsOfKind, unsettledRoutes } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';

/** Falling and rising once is a repair; twice and more is a pattern. */
const LEAST_CHANGES = 4;

export const linkFlap: FaultDefinition = {
  id: 'link_flap',
  resource: 'link',
  accuses: true,
  labels: { nika: 'link_flap', netOpsBench: 'link_flapping' },
  summary: 'a link loses its carrier again and again; counted by carrier changes, not judged by its state now',
  propose: (file, losses) => [
    ...symptomsOfKind(file, 'flap').map((symptom) =>
      newProposal(linkFlap, symptom.subject, [shareOf(symptom), ...broken(file, losses, symptom)], symptom.source, {
        score: 4,
        // Of a link whose other end is silent one end alone tells.
        confidence: symptom.link === undefined ? 'likely' : 'certain',
        details: { what: symptom.text, changes: symptom.detail['changes'] ?? 0 },
        remedy: { node: symptom.nodes[0]!, summary: `check cable, optics and connectors: ${symptom.text}` },
      }),
    ),
    ...symptomsOfKind(file, 'past')
      .filter(({ detail }) => Number(detail['changes']) >= LEAST_CHANGES)
      .map((symptom) =>
        newProposal(linkFlap, symptom.subject, [shareOf(symptom)], symptom.source, {
          details: { what: symptom.text, over: true, changes: symptom.detail['changes'] ?? 0 },
        }),
      ),
  ],
};

/** All that ran over the link; over one whose other end is silent, what its near end tells. */
function broken(file: CaseFile, losses: readonly LossSymptom[], { link, detail }: Symptom): readonly Share[] {
  if (link !== undefined) return brokenLink(file, losses, link);
  const [node, ifname] = [String(detail['node']), String(detail['ifname'])];
  const dark = symptomsOfKind(file, 'down').filter(
    (each) => each.link === undefined && each.detail['node'] === node && each.detail['ifname'] === ifname,
  );
  return [...dark.map(shareOf), ...facing(file, node, ifname), ...unsettledRoutes(file, [{ node, ifname }])];
}
