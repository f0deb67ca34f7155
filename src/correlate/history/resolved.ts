// What was wrong within the time that a question is about, and is not any more. Whole states are judged first; what nodes' records say of a
// link is believed where nothing else was wrong with it. Nothing that is over has a remedy. What may have been wrong is among it, withheld.
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import { interfaceResource, type LinkEnd, nodeKey, type ResourceId } from '#model/names.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { World } from '../network/world.ts';
import { dayFindings } from './day-losses.ts';
import { judgedSlices } from './kept-slices.ts';
import { linkFindings } from './link-records.ts';
import { lastOfEach, type PastFinding, pastFindings, withoutFallen } from './past.ts';
import { dhcpSlices } from './past-dhcp.ts';
import { filterSlices } from './past-filters.ts';
import { hostSlices } from './past-hosts.ts';

/** `found`: what is wrong now. */
export function resolvedFaults(
  intent: Intent,
  world: World,
  evidence: readonly Evidence[],
  found: readonly Proposal[],
): readonly Proposal[] {
  if (intent.sinceMs === undefined || isAnsweredNow(intent, found)) return [];
  const over = pastOf(world, evidence, found)
    // What was over only after the time that is asked about may have begun after it too.
    .filter(({ agoMs }) => agoMs >= (intent.untilMs ?? 0))
    .filter(({ proposal }) => isOnLink(world, intent, proposal.resource))
    .filter(
      ({ proposal }) => !found.some((each) => each.fault === proposal.fault && each.resource === proposal.resource),
    )
    .map(({ proposal: { remedy: _remedy, ...proposal }, agoMs }) => ({
      ...proposal,
      details: { ...proposal.details, over: true, agoSeconds: Math.round(agoMs / 1_000) },
    }));
  return withoutFallen(found, over);
}

/** "Why did it lose its neighbour" names no time: where something is wrong now, that is the answer, and what was over before is not. */
export function isAnsweredNow({ when }: Intent, found: readonly Proposal[]): boolean {
  return when === 'past' && found.some(({ accuses }) => accuses !== false);
}

function pastOf(world: World, evidence: readonly Evidence[], found: readonly Proposal[]): readonly PastFinding[] {
  const kept = judgedSlices([...filterSlices(world), ...hostSlices(world), ...dhcpSlices(world)]);
  const once = lastOfEach([...pastFindings(world, evidence), ...kept]);
  const sure = once.map(({ proposal }) => proposal).filter(({ withheld }) => withheld === undefined);
  const others = [...sure, ...found.filter(({ accuses }) => accuses !== false)];
  const touched = (end: LinkEnd) => others.some(({ resource }) => touches(resource, end));
  const ofMinutes = linkFindings(world);
  const ofDays = dayFindings(world).filter(({ link }) => !ofMinutes.some((each) => each.link.key === link.key));
  return [...once, ...[...ofMinutes, ...ofDays].filter(({ link: { from, to } }) => !touched(from) && !touched(to))];
}

/** What is over is told of the one link that a question is about: the link, its two interfaces, its two nodes. */
export function isOnLink(world: World, { path, isLink }: Intent, resource: ResourceId): boolean {
  if (isLink !== true) return true;
  const [one, other] = path.map(({ key }) => key);
  const links = world.links.filter(({ from, to }) => {
    const ends = [nodeKey(from.node), nodeKey(to.node)];
    return ends.includes(one ?? '') && ends.includes(other ?? '');
  });
  return links.length === 0 || links.some(({ from, to }) => touches(resource, from) || touches(resource, to));
}

/** The finding is about this end of a link, its node, or the whole link. */
function touches(resource: string, { node, ifname }: LinkEnd): boolean {
  return (
    resource === `node/${node}` ||
    resource === interfaceResource({ node, ifname }) ||
    resource.includes(`/${node}:${ifname}--`) ||
    resource.endsWith(`--${node}:${ifname}`)
  );
}
