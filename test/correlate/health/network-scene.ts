// The path of path-scene.ts with packet filters on r2, and what it remembers of them, for tests of networks of hosts behind the two ends.
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { changesBetween } from '#model/settings/changes.ts';
import { along } from '../path-scene.ts';
import { type Scene, stateOf } from '../scope-scene.ts';

export type Change = NonNullable<Scene['states']>[string];

export function rule(verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}): FilterRule {
  return {
    ...{ family: 'inet', table: 'fw', chain: 'f', path: ['f'], hook: 'forward', handle: 1, verdict },
    ...{ outInterfaces: [], inInterfaces: [], matches: [], matchesRest: false },
    ...more,
  };
}
export const POLICY = rule('other', { ends: 'drop', handle: 0 });
export const letting = (...values: readonly string[]) => rule('accept', { matches: [{ field: 'source', values }] });
/** r2 has these rules, and remembers these changes of them. */
export const filtering =
  (filters: readonly FilterRule[], ...changes: readonly object[]): Change =>
  (state) =>
    ({
      ...state,
      filters,
      history: {
        ...state.history!,
        settings: changes.map((each) => ({ kind: 'filter', subject: 'inet fw f', ...each })),
      },
    }) as unknown as NodeState;
const DATA = { path: ['f'], inInterfaces: [], outInterfaces: [], matchesRest: false };
export const taking = (verdict: 'accept' | 'drop', ...values: readonly string[]) => ({
  ...DATA,
  ...{ verdict, matches: values.length === 0 ? [] : [{ field: 'source', values }] },
});
export const was = (...wasRules: readonly object[]) => ({
  ...{ setting: 'accept 01234567', agoMs: 60_000, was: 'accept', is: 'accept, source 198.19.3.0/24' },
  ...(wasRules.length === 0 ? {} : { wasRules }),
});
export const V4 = { family: 'ip' } as const;
export const said = (r2: Change, more: Scene = {}) => {
  const input = along({ ...more, states: { ...more.states, r2 } });
  const { planned } = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  return { ...planned, kind: diagnose(input).verdict.kind };
};
export const about = (lines: readonly string[]) =>
  lines.filter((line) => /of inet fw f|of ip fw f|packet filters/.test(line));

export const changed =
  (before: readonly FilterRule[], after: readonly FilterRule[]): Change =>
  (state, when) => {
    const [was, is] = [before, after].map((filters) => ({ ...stateOf(2), filters }));
    const changes = changesBetween(was!, is!).map((each) => ({ ...each, agoMs: 3_600_000 }));
    return filtering(after, ...changes)(state, when);
  };
export const ofTable = (verdict: FilterRule['verdict'], more: Partial<FilterRule> = {}) =>
  rule(verdict, { ...V4, ...more });

export const probed = (node: 'r1' | 'r3', received: number, round: 'first' | 'confirmation' = 'first', sent = 5) => ({
  node,
  purpose: { kind: 'network-reach', sender: `198.19.${node.slice(1)}.1`, round } as const,
  body: {
    results: [{ destination: `198.19.${node === 'r1' ? 3 : 1}.1`, sent, received, rttMs: received > 0 ? 1 : null }],
  },
});
export const unchanged: Change = (state) => state;
