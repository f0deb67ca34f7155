// The tool `parley-topology`: the network as seen from here. Reads the state of every known node, as a question would. Measures nothing and
// seals no report, since it names no fault.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { randomHex } from '#base/random.ts';
import { expectationOf } from '#model/baseline.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { Intent } from '#model/intent.ts';
import type { InvestigateParts } from '../investigate.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import { openJournal } from '../parts/progress.ts';
import { askerIn } from '../serving/asker.ts';
import { withQuestionSessions } from '../sessions/relayed-sessions.ts';
import { busy } from './ask.ts';

const TOPOLOGY_TOOL = 'parley-topology';
/** Its scope is every known node. */
const WHOLE_NETWORK: Intent = {
  kind: 'fault',
  text: 'What does the network look like?',
  path: [],
  encapsulation: 'ip',
};

export function createTopologyTool(parts: InvestigateParts): ToolDefinition {
  const { clock, random } = parts;
  let running = 0;
  return {
    name: TOPOLOGY_TOOL,
    title: 'Topology',
    description: 'Nodes and links as both ends report them now, the confidence in each link, and what is missing.',
    capability: TOPOLOGY_TOOL,
    mutability: 'probe',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        nodes: { type: 'array', items: { type: 'object' } },
        links: { type: 'array', items: { type: 'object', description: 'Both ends, and how it is known' } },
        confidence: { type: 'object' },
        missing: { type: 'array', items: { type: 'string' }, description: 'Nodes that did not answer' },
        remarks: { type: 'array', items: { type: 'string' } },
      },
      required: ['nodes', 'links', 'confidence', 'missing', 'remarks'],
    },
    callers: ['operator', 'controller'],
    call: async (_args, context) => {
      const { signal, progress } = context;
      // Before the bound is looked at: nothing may come between that and the count.
      const { emptyGathered } = await import('../investigation/collect.ts');
      const { survey } = await import('../investigation/scope.ts');
      const { networkMap } = await import('#correlate/network-map.ts');
      // It queries as many nodes as a question does.
      if (running >= AGENT_LIMITS.investigations) throw busy();
      let steps = 0;
      const onProgress = ({ step, message }: { readonly step: string; readonly message: string }) =>
        progress(++steps, undefined, `${step}: ${message}`);
      const journal = openJournal({ ...parts, sessionId: randomHex(random, 16), ...askerIn(context), onProgress });
      const gathered = emptyGathered();
      const budget = { clock, budgetMs: LIMITS.investigationMs, signal, what: 'all states' };
      running++;
      const { nodes } = await withBudget(budget, (until) =>
        withQuestionSessions(parts, journal, (mine) => survey(mine, WHOLE_NETWORK, gathered, journal, until)),
      ).finally(() => {
        running--;
      });
      const { baselines: kept } = (await parts.baselines?.load()) ?? { baselines: [] };
      const { evidence, outcomes } = gathered;
      return networkMap(WHOLE_NETWORK, nodes, evidence, outcomes, kept.map(expectationOf)) as unknown as JsonObject;
    },
  };
}
