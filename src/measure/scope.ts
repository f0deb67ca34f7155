// What the planners know when they plan: the question, the nodes in its scope, and the state of each that gave one. Pure.
import type { Intent } from '#model/intent.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import type { Mute, States } from './states.ts';

/** Nodes that gave their state through a neighbour alone → neighbours that asked for it: such a node can be asked nothing that needs a route. */
export type Relays = ReadonlyMap<string, readonly string[]>;

export type Scope = {
  readonly intent: Intent;
  /** All nodes in scope, also those that gave no state; in path order for a question about a path. */
  readonly nodes: readonly string[];
  readonly states: States;
  readonly relays: Relays;
  /** Of a question about reaching an address: nodes that forward there, the first coming first; absent where it was not followed. */
  readonly forwarding?: readonly string[];
  /** Nodes whose sessions others pass on: they measure, but what needs others' routes to them may have none; absent: none. */
  readonly unrouted?: Mute;
  /** Of a question about a path without SIDs: between which addresses its whole is probed; absent: what the states tell. */
  readonly ends?: readonly [source: string, destination: string];
  /** The node that was asked. */
  readonly home: string;
  /** Every node that it knows. */
  readonly known: readonly string[];
  /** Of probes along a path, and of the confirmation of a loss. */
  readonly probeCount: number;
  /** What operators said must hold; absent: nothing. */
  readonly mustHold?: readonly ExpectLine[];
};

/** Nodes from which nothing is sent that others must route back. */
export function withoutRoutes({ relays, unrouted }: Pick<Scope, 'relays' | 'unrouted'>): Mute {
  return { has: (node) => relays.has(node) || unrouted?.has(node) === true };
}
