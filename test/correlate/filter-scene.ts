// Packet filters of r2 against a protocol, in the healthy recording of four routers in a ring and in the network of scope-scene.ts.
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { changed, recorded } from './recording.ts';

/** A rule of r2 that dropped some packets in the window, or none. */
export function ruleOf(matches: readonly FilterMatch[], packets: string, change: Partial<FilterRule> = {}): FilterRule {
  return {
    ...{ family: 'inet', table: 'filter', chain: 'input', path: ['input'], hook: 'input', handle: 4 },
    ...{ verdict: 'drop', outInterfaces: [], inInterfaces: [], matchesRest: false, bytes: '0' },
    ...{ ruleSha256: 'a'.repeat(64), matches, packets },
    ...change,
  };
}

/** The healthy recording, with what a test changes in states, and r2's rule. */
export function filtered(
  matches: readonly FilterMatch[],
  dropped: number,
  change: (state: NodeState, node: string) => NodeState,
  rule: Partial<FilterRule> = {},
): DiagnoseInput {
  return changed(recorded('healthy'), {
    state: (state, node, phase) => {
      const mine = ruleOf(matches, String(phase === 'before' ? 5 : 5 + dropped), rule);
      return { ...change(state, node), ...(node === 'r2' ? { filters: [mine] } : {}) };
    },
  });
}

/** `fault resource` of every finding. */
export function found(input: DiagnoseInput): readonly string[] {
  return diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);
}
