// No node is cut off from the others by a link that is not up. Whether that is meant is not known, so nothing is accused; but what users send there does
// not get through.
import type { Fact, Proof } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, type World } from '../network/world.ts';
import { type CutOff, cutOffLinks } from '../symptoms/links/cut-off.ts';

export function connectedProof(world: World, facts: readonly Fact[]): Proof {
  return { proven: [], lacking: cutOffLinks(world, facts).map((each) => cutOffLine(world, each)) };
}

function cutOffLine(world: World, { link: { from, to }, sent }: CutOff): string {
  const ends = [from, to].map((end) => `${nodeRef(end.node)} ${end.ifname} is ${stateOf(world, end)}`);
  return `${nodeRef(from.node)} and ${nodeRef(to.node)} are cut off from each other: none of ${sent} probes between the two sides arrived, and ${ends.join(', ')}`;
}

function stateOf(world: World, end: CutOff['link']['from']): string {
  const state = interfaceOf(world, end);
  if (state === undefined) return 'gone';
  return state.adminUp ? (state.operUp ? 'up' : 'without carrier') : 'shut down';
}
