// Ways over SRv6 that were lacking then: a route set by hand was not there that is there now, and the node itself had looked and found
// no other way. Both must be said: where a route is gone a default may stand in, and a way may be lacking because a link was down.
import { covers } from '#base/ip.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import type { World } from '../network/world.ts';

/** Tells of a node's lookups of now whether they would have found nothing then. */
export function waysLacking(then: World, now: World, node: string): (answer: RouteAnswer) => boolean {
  const lacked = then.views.get(node)?.state.noWayTo ?? [];
  if (lacked.length === 0) return () => false;
  const steered = comeSince(then, now, node).filter(({ prefix, segments = [] }) => {
    const first = prefix.split('/')[0]!;
    return segments.length > 0 && lacked.includes(first);
  });
  const announced = [...now.views.keys()]
    .filter((other) => other !== node)
    .flatMap((other) => comeSince(then, now, other).filter(({ kind }) => kind === 'blackhole'));
  return ({ destination, segments }) => {
    const own = steered.some((route) => covers(route.prefix, destination) && isSame(route.segments, segments));
    return own || (lacked.includes(destination) && announced.some(({ prefix }) => covers(prefix, destination)));
  };
}

/** Routes set by hand that a node has now and had not then; of a node whose state then is not known, none. */
function comeSince(then: World, now: World, node: string): readonly StaticRoute[] {
  const [was, is] = [then, now].map(({ views }): NodeState['staticRoutes'] => views.get(node)?.state.staticRoutes);
  if (was === undefined || is === undefined) return [];
  return is.filter((route) => !was.some(({ prefix }) => prefix === route.prefix));
}

function isSame(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((sid, index) => sid === other[index]);
}
