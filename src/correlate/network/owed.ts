// Which probes along a path should have come back: those of which some did; those to an address that a node on the way to it has a route of its own
// to; and those whose way there and back is complete by the lookups. A default route alone leads anywhere, and the few nodes of a path cannot tell
// whether what it leads to was ever meant to be reached.
import { isDefaultRoute } from '#base/ip.ts';
import { isDelivered, senderOf } from './forwarding.ts';
import { attachedTo } from './hosts.ts';
import type { Reach, World } from './world.ts';

/**
 * The same world without the tries of hosts along a default route that may have left the nodes that are known: no answer is owed to those, and one
 * that came may be of a stranger with the same private address.
 */
export function withKnownTries(world: World): World {
  const serviceProbes = world.serviceProbes.filter(({ from, destination, byDefault }) => {
    const near = byDefault === true ? attachedTo(world, destination) : undefined;
    return byDefault !== true || (near !== undefined && isDelivered(world, from, near.routerAddress));
  });
  return serviceProbes.length === world.serviceProbes.length ? world : { ...world, serviceProbes };
}

/** The same world, with such probes alone. */
export function withOwedReaches(world: World): World {
  return { ...world, reach: world.reach.filter((row) => isOwed(world, row)) };
}

function isOwed(world: World, row: Reach): boolean {
  const { from, destination, received, again } = row;
  if (received > 0 || (again?.received ?? 0) > 0) return true;
  const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
  const onTheWay = new Set([from, ...world.nodes].filter((node) => !owners.includes(node)));
  if ([...onTheWay].some((node) => hasOwnRoute(world, node, destination))) return true;
  return isDelivered(world, from, destination) && owners.every((node) => isAnswered(world, node, row));
}

function hasOwnRoute({ lookups }: World, node: string, destination: string): boolean {
  const { kind, matched, segments = [] } = lookups.get(node)?.get(destination) ?? {};
  return kind === 'unicast' && segments.length === 0 && matched !== undefined && !isDefaultRoute(matched);
}

/** The way back from `node` to where the probes came from is complete. */
export function isAnswered(world: World, node: string, row: Pick<Reach, 'from' | 'destination' | 'sender'>): boolean {
  const used = senderOf(world, row);
  return used !== undefined && isDelivered(world, node, used);
}
