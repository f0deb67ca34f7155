// destination_rewrite: a rule of a node that was not there before sends what hosts send to a name server to where none answers. Accuses on
// change and harm: a host was heard to send such packets, the rule took them as far as it counts, and what its own node tried there was
// refused, or nothing answered at all. Sending elsewhere is everyday work: a rule that was always there, or that leads to a server, is none.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { usedService } from '../../symptoms/used-service.ts';

type Detail = {
  readonly node: string;
  /** What the rule selects, and where it sends that. */
  readonly rule: string;
  readonly to: string;
  /** Servers that hosts were heard to ask. */
  readonly servers: readonly string[];
};

export const destinationRewrite = defineCause<Detail>({
  id: 'destination_rewrite',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a new rule of a node redirects DNS queries of hosts to an address where no server answers',
  explain: (file) => {
    const sent = usedService.of(file).filter(({ detail }) => detail.how === 'sent-elsewhere');
    const rules = Map.groupBy(sent, ({ detail: { node, rule, to } }) => JSON.stringify([node, rule, to]));
    return [...rules.values()].map((symptoms) => {
      const { node, rule = '', to = '' } = symptoms[0]!.detail;
      return {
        resource: nodeResource(node),
        explains: symptoms.map(shareOf),
        evidence: symptoms.flatMap(({ source }) => source),
        score: 4,
        // One node alone tried what is there.
        confidence: 'likely' as const,
        detail: { node, rule, to, servers: [...new Set(symptoms.map(({ detail }) => detail.server))] },
      };
    });
  },
  describe: ({ node, rule, to, servers }) =>
    `a rule of ${nodeRef(node)} (${rule}) that was not there before sends what hosts send to ${servers.join(', ')} elsewhere (${to}), where no name server answers`,
  remedy: ({ node, rule }) => ({
    node,
    summary: `review the rule of ${nodeRef(node)} that sends packets elsewhere (${rule})`,
    decide: 'where questions for names are to be sent',
  }),
});
