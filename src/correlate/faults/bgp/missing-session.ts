// bgp_session_missing: a session that was expected (baseline) is configured no more at one end. Explains that the other end cannot
// set it up. Without a baseline nobody knows of it, and nobody is accused.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const bgpSessionMissing: FaultDefinition = {
  id: 'bgp_session_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node is not configured for a BGP session that its baseline has; needs `parley baseline save`',
  propose: proposalsFor,
};

function proposalsFor(file: CaseFile): readonly Proposal[] {
  const lost = symptomsOfKind(file, 'expected').filter(({ detail }) => detail['part'] === 'session');
  return lost.map((symptom) => {
    const node = String(symptom.detail['node']);
    const between = file.symptoms.filter(
      (each) =>
        each !== symptom &&
        (each.kind === 'bgp' || each.kind === 'bfd') &&
        symptom.nodes.length === 2 &&
        symptom.nodes.every((name) => each.nodes.includes(name)),
    );
    return newProposal(bgpSessionMissing, nodeResource(node), [symptom, ...between].map(shareOf), symptom.source, {
      // The end that still wants the session lacks nothing.
      ...(lost.some((other) => other !== symptom && mirrored(other, symptom)) ? { together: pairOf(symptom) } : {}),
      details: { what: symptom.text, peer: String(symptom.detail['peer']) },
      remedy: {
        node,
        summary: `configure BGP on ${mark(node)} for ${String(symptom.detail['peer'])} again`,
        decide:
          'a baseline knows the neighbour and not its password, policies and families: the configuration of then is needed',
      },
    });
  });
}

/** The same session, missing at both ends: both are named. */
function mirrored(one: Symptom, other: Symptom): boolean {
  return one.nodes.length === 2 && pairOf(one) === pairOf(other) && one.detail['node'] !== other.detail['node'];
}

function pairOf({ nodes }: Symptom): string {
  return [...nodes].sort().join('+');
}
