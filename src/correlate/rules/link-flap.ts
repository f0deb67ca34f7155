// link_flap: the carrier of a link came and went several times within the last two minutes, whatever its state is now.
import { brokenLink, shareOf, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

export const linkFlap: Rule = {
  fault: 'link_flap',
  resourceForm: 'link',
  accuses: true,
  nika: 'link_flap',
  netOpsBench: 'link_flapping',
  summary: 'a link loses its carrier again and again; counted by carrier changes, not judged by its state now',
  propose: (file, symptoms) =>
    troublesOfKind(file, 'flap').map((trouble) => ({
      fault: 'link_flap',
      resource: trouble.subject,
      confidence: 'certain',
      score: 4,
      explains: [
        shareOf(trouble),
        ...(trouble.link === undefined || trouble.detail['ongoing'] !== true
          ? []
          : brokenLink(file, symptoms, trouble.link)),
      ],
      evidence: trouble.source,
      against: [],
      details: { what: trouble.text, changes: trouble.detail['changes'] ?? 0 },
      remedy: { node: trouble.nodes[0]!, summary: `check cable, optics and connectors: ${trouble.text}` },
    })),
};
