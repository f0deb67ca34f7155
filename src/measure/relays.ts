// The calls to nodes that cannot be reached any more because routing to them is lost: a neighbour that still hears them asks for their
// state, and who is on their ports. No node is asked for what needs a route. Pure.

import type { PlannedCall } from '#model/call.ts';
import { nodeKey } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { callFor } from './call.ts';
import { MEASURE_LIMITS } from './limits.ts';
import type { Relays } from './scope.ts';
import type { States } from './states.ts';

/** Neighbours that ask a node which does not answer by itself: two, so that none is believed alone. */
const WITNESSES = 2;

/** For each silent node, who of those that answered still hears it, and `may` be asked about it. */
export function relaysFor(
  silent: readonly string[],
  states: States,
  may: (node: string, witness: string) => boolean = () => true,
): Relays {
  const found = silent.map((node): [string, readonly string[]] => {
    const hear = [...states].filter(([, state]) =>
      state.neighbours.some(
        (entry) =>
          entry.systemName !== undefined && nodeKey(entry.systemName) === nodeKey(node) && isUp(state, entry.ifname),
      ),
    );
    return [
      node,
      hear
        .map(([witness]) => witness)
        .filter((witness) => may(node, witness))
        .slice(0, WITNESSES),
    ];
  });
  return new Map(found.filter(([, witnesses]) => witnesses.length > 0));
}

export function planRelays(phase: 'before' | 'after', relays: Relays): readonly PlannedCall[] {
  return [...relays].flatMap(([node, witnesses]) =>
    witnesses.map((witness) =>
      callFor(
        witness,
        { kind: 'relay', node, of: { kind: 'state', when: phase } },
        { node },
        MEASURE_LIMITS.sweepCallMs,
      ),
    ),
  );
}

/**
 * Calls to nodes that answer through a neighbour alone: who is on their ports needs no route and is asked through that neighbour; what
 * needs one is asked of no node.
 */
export function throughRelays(calls: readonly PlannedCall[], relays: Relays): readonly PlannedCall[] {
  return calls.flatMap((planned) => {
    const witnesses = relays.get(planned.node);
    if (witnesses === undefined) return [planned];
    const of = purposeOf(planned, 'host-scan');
    if (of === undefined) return [];
    const { node, arguments: hosts } = planned;
    return witnesses.map((witness) =>
      callFor(witness, { kind: 'relay', node, of }, { node, hosts }, MEASURE_LIMITS.sweepCallMs),
    );
  });
}

function isUp(state: NodeState, ifname: string): boolean {
  return state.inventory.interfaces.some((entry) => entry.name === ifname && entry.operUp);
}
