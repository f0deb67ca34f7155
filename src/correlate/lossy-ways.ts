// Ways on which packets are known to be lost: that nothing came back over one is no proof that nobody answered. Every packet of one
// flow may be lost and none of another, so that echoes which come back beside it prove little.
import type { Fact } from './facts.ts';
import { walk } from './forwarding.ts';
import { attachedTo } from './stations.ts';
import { isLoss, underWay } from './symptoms.ts';
import { ownerOf, type World } from './world.ts';

/** Probes were lost on a link that lies on the way from a node to an address, or back. */
export function losesOnTheWay(world: World, facts: readonly Fact[], from: string, address: string): boolean {
  const lossy = facts.flatMap((fact) => {
    if (fact.predicate !== 'probe-loss' || fact.value.link === undefined) return [];
    const { sent, lost } = underWay(fact.value);
    return isLoss(sent, lost) ? [fact.value.link] : [];
  });
  if (lossy.length === 0) return false;
  const station = attachedTo(world, address);
  const last = ownerOf(world, address)?.node ?? station?.node;
  const back = world.views.get(from)?.state.inventory.loopbacks.find((each) => !each.includes(':'));
  const ways = [
    walk(world, from, station?.routerAddress ?? address),
    ...(last === undefined || back === undefined ? [] : [walk(world, last, back.split('/')[0]!)]),
  ];
  return ways.some(({ links }) => links.some((link) => lossy.includes(link)));
}
