// Where the probes of a call go that names nodes and no addresses, as the troubleshooting draft prints it (§5 Step-3) [TS-15]: the state of
// every named node is read, and says its SIDs and addresses. Sends no probe itself.
import { randomHex } from '#base/random.ts';
import type { CallContext } from '#model/definition.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { type NamedWay, noWay, type ProbeWay } from '#network/measurement/named-way.ts';
import type { InvestigateParts } from '../investigate.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import { openJournal } from '../parts/progress.ts';
import { askerIn } from '../serving/asker.ts';
import { withQuestionSessions } from '../sessions/relayed-sessions.ts';

/** A tool of the device needs the parts of an investigation, which hold the tools of the device: they come later. */
export type LateParts = () => InvestigateParts;

export function createProbeWay(late: LateParts): (named: NamedWay, context: CallContext) => Promise<ProbeWay> {
  return async (named, context) => {
    const parts = late();
    const intent = intentOf(parts.node, named);
    const journal = openJournal({
      ...parts,
      sessionId: context.sessionId ?? randomHex(parts.random, 16),
      ...askerIn(context),
      onProgress: () => {},
    });
    const { emptyGathered } = await import('../investigation/collect.ts');
    const { survey } = await import('../investigation/scope.ts');
    const { planProbes } = await import('#measure/path/path-plan.ts');
    const gathered = emptyGathered();
    const { clock } = parts;
    const budget = { clock, budgetMs: AGENT_LIMITS.namedWayMs, signal: context.signal, what: 'states of named nodes' };
    const { states, ends } = await withBudget(budget, (until) =>
      withQuestionSessions(parts, journal, (mine) => survey(mine, intent, gathered, journal, until)),
    );
    const plan = planProbes(intent, states, ends === undefined ? {} : { ends });
    if (!plan.ok) throw noWay(plan.problem);
    const { destination, source, segments } = plan.calls[0]!.arguments;
    return { destination, source, segments } as ProbeWay;
  };
}

/** This node, the nodes of the list, and the tail where the list does not end with it. */
function intentOf(own: string, { tail, sidList }: NamedWay): Intent {
  const names = [own, ...sidList.filter((name) => nodeKey(name) !== nodeKey(own))];
  if (nodeKey(names.at(-1)!) !== nodeKey(tail)) names.push(tail);
  const path = names.map((as) => ({ key: nodeKey(as), as }));
  return { kind: 'path-loss', text: names.join(' '), path, encapsulation: sidList.length > 0 ? 'srv6' : 'ip' };
}
