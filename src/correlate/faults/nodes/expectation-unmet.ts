// expectation_unmet: operators said that a link, a session, a route or a service must hold (expectations.yaml), it does not, and no named
// fault explains that. Whatever has a name wins: it scores lower than every other.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';

/** Below the least of all other definitions. */
const SCORE = 0.5;

type Detail = { readonly what: string; readonly node: string };

export const expectationUnmet = defineCause<Detail>({
  id: 'expectation_unmet',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'what operators said must hold does not, and no other fault explains it; needs `parley expectations save`',
  explain: ({ unmet = [] }) =>
    unmet.flatMap(({ node, text, source, symptoms }) =>
      symptoms.length === 0
        ? []
        : [
            {
              resource: nodeResource(node),
              key: text,
              score: SCORE,
              explains: symptoms.map((symptom) => ({ symptom, lost: 1, spread: 0 })),
              evidence: source,
              detail: { what: text, node },
            },
          ],
    ),
  describe: ({ what }) => what,
  headline: ({ what }) => what,
  remedy: ({ node }) => ({
    node,
    summary: `find out on ${nodeRef(node)} why it does not hold`,
    decide: 'or remove the line that expects it: "parley expectations save FILE"',
  }),
});
