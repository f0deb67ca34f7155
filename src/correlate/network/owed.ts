// Which probes along a path should have come back: those to an address that the sender has a route of its own to. A default route leads anywhere,
// and the few nodes of a path cannot tell whether what it leads to was ever meant to be reached.
import { isDefaultRoute } from '#base/ip.ts';
import type { Reach, World } from './world.ts';

/** The same world, with such probes alone. */
export function withOwedReaches(world: World): World {
  return { ...world, reach: world.reach.filter((row) => isOwed(world, row)) };
}

export function isOwed({ lookups }: Pick<World, 'lookups'>, { from, destination }: Reach): boolean {
  const { kind, matched, segments = [] } = lookups.get(from)?.get(destination) ?? {};
  return kind === 'unicast' && segments.length === 0 && matched !== undefined && !isDefaultRoute(matched);
}
