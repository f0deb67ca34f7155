// SRv6 as heads use it: the segment lists of hand-set routes, and which heads have no route to an address.
import type { World } from './world.ts';

/** One SID that a head's hand-set route sends a prefix to. */
export type Steering = { readonly head: string; readonly prefix: string; readonly sid: string };

export function steeringOf(world: World): readonly Steering[] {
  return [...world.views.values()].flatMap(({ node: head, state }) =>
    (state.staticRoutes ?? []).flatMap(({ prefix, segments = [] }) => segments.map((sid) => ({ head, prefix, sid }))),
  );
}

/** The node itself looked the address up and found no route. */
export function hasNoRoute(world: World, node: string, address: string): boolean {
  const kind = world.lookups.get(node)?.get(address)?.kind;
  return kind === 'none' || kind === 'unreachable';
}
