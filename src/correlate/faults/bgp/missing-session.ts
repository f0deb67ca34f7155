// bgp_session_missing: a session that was expected (baseline) is configured no more at one end. Explains that the other end cannot
// set it up. Without a baseline nobody knows of it, and nobody is accused.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Proposal, Rule } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const bgpSessionMissing: Rule = {
  fault: 'bgp_session_missing',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'a node is not configured for a BGP session that its baseline has; needs `parley baseline save`',
  propose: proposalsFor,
};

function proposalsFor(file: CaseFile): readonly Proposal[] {
  const lost = troublesOfKind(file, 'expected').filter(({ detail }) => detail['part'] === 'session');
  return lost.map((trouble) => {
    const node = String(trouble.detail['node']);
    const between = file.troubles.filter(
      (each) =>
        each !== trouble &&
        (each.kind === 'bgp' || each.kind === 'bfd') &&
        trouble.nodes.length === 2 &&
        trouble.nodes.every((name) => each.nodes.includes(name)),
    );
    return newProposal(bgpSessionMissing, nodeResource(node), [trouble, ...between].map(shareOf), trouble.source, {
      // The end that still wants the session lacks nothing.
      ...(lost.some((other) => other !== trouble && mirrored(other, trouble)) ? { together: pairOf(trouble) } : {}),
      details: { what: trouble.text, peer: String(trouble.detail['peer']) },
      remedy: {
        node,
        summary: `configure BGP on ${mark(node)} for ${String(trouble.detail['peer'])} again`,
        decide:
          'a baseline knows the neighbour and not its password, policies and families: the configuration of then is needed',
      },
    });
  });
}

/** The same session, missing at both ends: both are named. */
function mirrored(one: Trouble, other: Trouble): boolean {
  return one.nodes.length === 2 && pairOf(one) === pairOf(other) && one.detail['node'] !== other.detail['node'];
}

function pairOf({ nodes }: Trouble): string {
  return [...nodes].sort().join('+');
}
