// The state of nodes, before and after all other measurements; asked while the scope is found, and once more at the end. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { StateParts } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeToldState } from '../decode/decode.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import type { States } from '../states.ts';

export function planScopeStates(
  phase: 'before' | 'after',
  nodes: readonly string[],
  parts: Exclude<StateParts, 'wire'> = 'all',
): readonly PlannedCall[] {
  return nodes.map((node) => callFor(node, { kind: 'state', when: phase }, { parts }, MEASURE_LIMITS.sweepCallMs));
}

/** Of nodes on a path, before and after the probes along it. */
export function planPathStates(nodes: readonly string[]): readonly PlannedCall[] {
  return (['before', 'after'] as const).flatMap((when) =>
    nodes.map((node) => callFor(node, { kind: 'state', when }, {}, LIMITS.callMs)),
  );
}

/** State of each of `nodes` that gave one, itself or through a neighbour; in the order of `nodes`. */
export function statesOf(nodes: readonly string[], evidence: readonly Evidence[]): States {
  const found = evidence.map(decodeToldState);
  return new Map(
    nodes.flatMap((node) => {
      const told = found.find((each) => each?.node === node);
      return told === undefined ? [] : [[node, told.state] as const];
    }),
  );
}
