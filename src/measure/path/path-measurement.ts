// A question about a path: probes along every stretch of it whose nodes all answered, and a capture at its head. Refuses a path that there is
// not (`caller/no-path`). Pure.
import { ParleyError } from '#base/error.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import type { Doubts } from '../doubts.ts';
import { defineMeasurement } from '../measurement.ts';
import { planCapture } from '../nodes/capture.ts';
import type { Scope } from '../scope.ts';
import type { States } from '../states.ts';
import { fullSizeOnceMore } from './full-size.ts';
import { planProbes } from './path-plan.ts';

export const pathProbes = defineMeasurement({
  kinds: ['path-probe', 'path-flows'],
  about: 'path',
  rounds: { first: planStretches },
  read: decodeProbeResult,
});

/** Of those that were lost beside the others, when these and the second look at hops are over, and half as fast: a limiter of a node may let them pass then. */
export const fullSizeAgain = defineMeasurement({
  kinds: ['path-full-again'],
  about: 'path',
  rounds: { followUp: planFullSizeAgain },
  read: decodeProbeResult,
});

function planFullSizeAgain(scope: Scope, { limited = [] }: Doubts): readonly PlannedCall[] {
  if (limited.length === 0) return [];
  return planStretches(scope).flatMap((call) => {
    const { purpose } = call;
    if (purpose.kind !== 'path-full') return [];
    const { from, to } = purpose;
    return limited.some((way) => way.from === from && way.to === to) ? [fullSizeOnceMore(call, { from, to })] : [];
  });
}

/**
 * Probes for every stretch of the path whose nodes all answered, and a capture at its head. Throws `caller/no-path` when all nodes
 * answered and yet there is no way along them; it names every node that this node knows.
 */
export function planStretches({ intent, nodes, states, known, probeCount, ends }: Scope): readonly PlannedCall[] {
  return stretchesOf(nodes, states).flatMap(({ from, to }) => {
    const part: Intent = { ...intent, path: intent.path.slice(from, to) };
    const stretch = new Map(nodes.slice(from, to).map((node) => [node, states.get(node)!]));
    const isWhole = from === 0 && to === nodes.length;
    const planned = planProbes(part, stretch, { known, probeCount, ...(isWhole && ends ? { ends } : {}) });
    if (planned.ok) return [...planned.calls, ...planCapture(stretch)];
    if (states.size < nodes.length) return [];
    throw noPath(planned.problem, planned.between, [...new Set([...nodes, ...known])]);
  });
}

/** Runs of at least two neighbouring path nodes whose state is known; `to` is exclusive. */
function stretchesOf(
  nodes: readonly string[],
  states: States,
): readonly { readonly from: number; readonly to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (let from = 0; from < nodes.length; from++) {
    let to = from;
    while (to < nodes.length && states.has(nodes[to]!)) to++;
    if (to - from >= 2) stretches.push({ from, to });
    from = Math.max(from, to);
  }
  return stretches;
}

function noPath(
  problem: string,
  between: { readonly over: readonly string[] } | undefined,
  known: readonly string[],
): ParleyError {
  const over = between?.over ?? [];
  const hint = over.length === 0 ? problem : `${problem}; the way may lead over ${over.join(', ')}: name it with "via"`;
  return new ParleyError('caller/no-path', hint, { data: { known } });
}
