// The nodes that a question was about, in the order in which the agent asked them for their state; for a question about a path, in path
// order. A report does not list them. The agent asks nodes beyond the limit of a scope for nothing: such a scope cannot be rebuilt.
import { nodeKey } from '#model/names.ts';
import type { Report } from '#model/report.ts';
import { INTENT_KINDS } from './old-names.ts';

const STATE_TOOL = 'parley-node-state';

type Asked = Pick<Report, 'intent' | 'outcomes' | 'timeline'>;

export function nodeNamesOf({ intent, outcomes, timeline }: Asked): readonly string[] {
  const calls = outcomes.filter(({ phase, name }) => phase === 'before' && name === STATE_TOOL);
  const nodes = [...new Set(calls.map(({ node }) => node))];
  if (intent.kind === 'path-loss') {
    return intent.path.map(({ key, as }) => {
      const node = nodes.find((each) => nodeKey(each) === key);
      if (node === undefined) throw new Error(`expected that ${as} was asked for its state, got no such call`);
      return node;
    });
  }
  const again = new Set(outcomes.filter(({ phase }) => phase === 'after').map(({ node }) => node));
  const answered = new Set(calls.filter(({ status }) => status === 'answered').map(({ node }) => node));
  const isLeftOut = (node: string) => answered.has(node) && !again.has(node);
  const heads = headsOf({ intent, timeline }, isLeftOut);
  return nodes.filter((node) => !isLeftOut(node) && (answered.has(node) || !heads.has(node)));
}

/**
 * A question about named nodes asks them, then their neighbours, and, where a named node has to do with SRv6, once all other nodes: of those, only
 * nodes that answered and steer traffic to the named ones, or get it from them, belong to the question. The timeline has a line for each round.
 */
function headsOf({ intent, timeline }: Omit<Asked, 'outcomes'>, isLeftOut: (node: string) => boolean): Set<string> {
  if ((INTENT_KINDS[intent.kind] ?? intent.kind) !== 'fault' || intent.path.length === 0) return new Set();
  const rounds = timeline.flatMap(({ event, detail }) => {
    const names = event === 'peers' ? / ?known from /.exec(detail ?? '') : null;
    return names === null ? [] : [detail!.slice(0, names.index).split(', ')];
  });
  const last = rounds.at(-1) ?? [];
  return new Set(rounds.length > 2 || last.some(isLeftOut) ? last : []);
}
