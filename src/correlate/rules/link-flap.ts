// link_flap: the carrier of a link came and went several times lately and has not been still since, whatever its state is now; or it
// did so within the time that was asked about, and is over.
import { brokenLink, newProposal, shareOf, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

/** Falling and rising once is a repair; twice and more is a pattern. */
const LEAST_CHANGES = 4;

export const linkFlap: Rule = {
  fault: 'link_flap',
  resourceForm: 'link',
  accuses: true,
  nika: 'link_flap',
  netOpsBench: 'link_flapping',
  summary: 'a link loses its carrier again and again; counted by carrier changes, not judged by its state now',
  propose: (file, symptoms) => [
    ...troublesOfKind(file, 'flap').map((trouble) =>
      newProposal(
        linkFlap,
        trouble.subject,
        [shareOf(trouble), ...(trouble.link === undefined ? [] : brokenLink(file, symptoms, trouble.link))],
        trouble.source,
        {
          score: 4,
          details: { what: trouble.text, changes: trouble.detail['changes'] ?? 0 },
          remedy: { node: trouble.nodes[0]!, summary: `check cable, optics and connectors: ${trouble.text}` },
        },
      ),
    ),
    ...troublesOfKind(file, 'past')
      .filter(({ detail }) => Number(detail['changes']) >= LEAST_CHANGES)
      .map((trouble) =>
        newProposal(linkFlap, trouble.subject, [shareOf(trouble)], trouble.source, {
          details: { what: trouble.text, over: true, changes: trouble.detail['changes'] ?? 0 },
        }),
      ),
  ],
};
