// How many rules and values of a node's packet filter one answer still looks at: what a node tells, and remembers, may be as much as a message holds. Pure
// but for its own count.
import { CORRELATE_LIMITS } from '../limits.ts';
import type { World } from '../network/world.ts';
import type { Steps } from './chain-walk.ts';

const STEPS = new WeakMap<World, Map<string, Steps>>();

/** The same for all that one answer asks of a node: each has its share, so that one with many rules leaves the others theirs. */
export function stepsOf(world: World, node: string): Steps {
  const ofNodes = STEPS.get(world) ?? new Map<string, Steps>();
  const known = ofNodes.get(node) ?? {
    left: Math.floor(CORRELATE_LIMITS.followedSteps / Math.max(1, world.views.size)),
  };
  STEPS.set(world, ofNodes.set(node, known));
  return known;
}

/** Nodes of which not all could be looked at. */
export function unfollowedNodes(world: World): readonly string[] {
  return [...(STEPS.get(world) ?? [])].flatMap(([node, { left }]) => (left <= 0 ? [node] : []));
}
