// Links that are not up, and whose two sides nothing is known to pass between: their agents answer, as over a management network, while no packet of users
// gets from one side to the other. A link that is shut down at both ends is out of use, as it is meant.
import type { Fact } from '../../engine/facts.ts';
import { interfaceOf, type Reach, type World, type WorldLink } from '../../network/world.ts';
import { isUp, sessionsOf } from '../sessions.ts';

export type CutOff = {
  readonly link: WorldLink;
  /** Probes from one side to the other, of which none arrived. */
  readonly sent: number;
  /** Whether a node is on the side of the link's `from`, or of its `to`; undefined on neither. */
  readonly sideOf: (node: string) => 'from' | 'to' | undefined;
};

/** Where no probe was sent from one side to the other, nothing is known of what passes. */
export function cutOffLinks(world: World, facts: readonly Fact[]): readonly CutOff[] {
  const partOf = partsOf(world, facts);
  return world.links.flatMap((link) => {
    const [from, to] = [partOf(link.from.node), partOf(link.to.node)];
    if (from === to || isOutOfUse(world, link)) return [];
    const sideOf = (node: string) => (partOf(node) === from ? 'from' : partOf(node) === to ? 'to' : undefined);
    const tried = world.reach.filter((row) => isBetween(world, row, sideOf));
    const sent = tried.reduce((sum, row) => sum + row.sent, 0);
    return sent === 0 ? [] : [{ link, sent, sideOf }];
  });
}

/** Shut down at both ends: that is meant. */
function isOutOfUse(world: World, { from, to }: WorldLink): boolean {
  return [from, to].every((end) => interfaceOf(world, end)?.adminUp === false);
}

/** Nodes that something is known to pass between: a link that is up at both ends, probes that arrived, a session that is established. */
function partsOf(world: World, facts: readonly Fact[]): (node: string) => string {
  const above = new Map<string, string>();
  const partOf = (node: string): string => {
    const next = above.get(node);
    return next === undefined ? node : partOf(next);
  };
  const join = (one: string, other: string): void => {
    const [first, second] = [partOf(one), partOf(other)];
    if (first !== second) above.set(first, second);
  };
  for (const { from, to } of world.links) {
    if ([from, to].every((end) => interfaceOf(world, end)?.operUp === true)) join(from.node, to.node);
  }
  for (const { from, destination, received } of world.reach) {
    if (received > 0) for (const { node } of world.owners.get(destination) ?? []) join(from, node);
  }
  for (const { predicate, value } of facts) {
    if (predicate === 'probe-loss' && value.lost < value.sent) join(value.from, value.to);
  }
  for (const { near, far } of sessionsOf(world)) {
    if (far !== undefined && isUp(near.row)) join(near.node, far.node);
  }
  return partOf;
}

function isBetween(world: World, { from, destination }: Reach, sideOf: CutOff['sideOf']): boolean {
  const here = sideOf(from);
  const there = (world.owners.get(destination) ?? []).map(({ node }) => sideOf(node));
  return here !== undefined && there.some((side) => side !== undefined && side !== here);
}
