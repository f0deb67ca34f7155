// Ways on which packets are known to be lost: that nothing came back over one is no proof that no host answered. Every packet of one
// flow may be lost and none of another, so that echoes which come back beside it prove little. A loss too small for that excuses no host
// who was asked several times.
import { LIMITS } from '#base/limits.ts';
import type { Fact } from '../engine/facts.ts';
import { isLoss, underWay } from '../engine/loss-symptom.ts';
import { walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { ownerOf, type World, type WorldLink } from '../network/world.ts';

/** Half of the probes of one flow, of as many as probes over a link have: less, and no flow was lost whole. */
const LEAST_SHARE = 0.5 / LIMITS.probeFlows;

/** Links on the way from a node to an address, or back, that lose so many packets that a question asked several times may go unanswered. */
export function lossesOnTheWay(
  world: World,
  facts: readonly Fact[],
  from: string,
  address: string,
): readonly WorldLink[] {
  const lossy = facts.flatMap((fact) => {
    if (fact.predicate !== 'probe-loss' || fact.value.link === undefined) return [];
    const { sent, lost } = underWay(fact.value);
    return isLoss(sent, lost) && lost >= sent * LEAST_SHARE ? [fact.value.link] : [];
  });
  if (lossy.length === 0) return [];
  const host = attachedTo(world, address);
  const last = ownerOf(world, address)?.node ?? host?.node;
  const back = world.views.get(from)?.state.inventory.loopbacks.find((each) => !each.includes(':'));
  const ways = [
    walk(world, from, host?.routerAddress ?? address),
    ...(last === undefined || back === undefined ? [] : [walk(world, last, back.split('/')[0]!)]),
  ];
  return world.links.filter(({ key }) => lossy.includes(key) && ways.some(({ links }) => links.includes(key)));
}
