// What the planners know of the scope: the state of each node that gave one. Pure.
import type { LinkEnd } from '#model/names.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';

export type States = ReadonlyMap<string, NodeState>;

/** Nodes that gave their state through a neighbour alone: they cannot be asked to measure. */
export type Mute = Pick<ReadonlySet<string>, 'has'>;
export const NO_NODE: Mute = new Set();

export function interfaceOf(states: States, { node, ifname }: LinkEnd): InterfaceState | undefined {
  return states.get(node)?.inventory.interfaces.find((entry) => entry.name === ifname);
}
