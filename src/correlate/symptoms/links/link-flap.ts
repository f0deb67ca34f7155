// Links whose carrier came and went again and again lately and has not been still since. What one end alone saw is no flap: it is a
// contradiction (contradiction.ts), unless the other end is silent.
import { interfaceResource, type LinkEnd, linkResource, nodeKey } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, linkOn, type World, type WorldLink } from '../../network/world.ts';
import { FLAP_CHANGES, isUnsettled, recentChanges } from './carrier-changes.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type LinkFlapDetail = {
  readonly changes: number;
  /** The end that reports it, where the other one is silent. */
  readonly node?: string;
  readonly ifname?: string;
  readonly peer?: string;
};

export const linkFlapSymptom = defineSymptom<LinkFlapDetail>('flap');

export function linkFlapSymptoms(world: World): readonly Symptom[] {
  return [...world.links.flatMap((link) => flapping(world, link)), ...oneSidedFlaps(world)];
}

function flapping(world: World, link: WorldLink): readonly Symptom[] {
  const ends = [link.from, link.to];
  const changes = Math.max(...ends.map((end) => recentChanges(world, end)));
  if (changes < FLAP_CHANGES || !ends.some((end) => isUnsettled(world, end))) return [];
  if (flapsAtOneEnd(world, link) !== undefined) return [];
  const text = `${linkLabel(link)}: the carrier changed ${changes} times lately`;
  return [linkSymptom(linkFlapSymptom, world, link, { text, detail: { changes } })];
}

/** The end that reports a flapping carrier while the other end noticed nothing at all. */
export function flapsAtOneEnd(
  world: World,
  { from, to }: WorldLink,
): { readonly end: LinkEnd; readonly changes: number } | undefined {
  const told = [from, to].map((end) => ({ end, changes: recentChanges(world, end) }));
  const [calm, loud] = told.sort((one, other) => one.changes - other.changes);
  if (loud!.changes < FLAP_CHANGES || calm!.changes > 0) return undefined;
  return interfaceOf(world, calm!.end)?.operUp === true ? loud : undefined;
}

/** Ports whose carrier comes and goes, towards a node that gave no state: one that hangs on a single link falls silent with it. */
function oneSidedFlaps(world: World): readonly Symptom[] {
  const silent = world.nodes.filter((node) => !world.views.has(node));
  return [...world.views.values()].flatMap(({ node, state, sources }) =>
    (state.history?.lastHeard ?? []).flatMap(({ ifname, name, port }): readonly Symptom[] => {
      const end = { node, ifname };
      const peer = silent.find((each) => nodeKey(each) === nodeKey(name));
      const changes = recentChanges(world, end);
      if (peer === undefined || linkOn(world, end).length > 0) return [];
      if (changes < FLAP_CHANGES || !isUnsettled(world, end)) return [];
      const subject = port ? linkResource(end, { node: peer, ifname: port }) : interfaceResource(end);
      const text = `${nodeRef(node)} ${ifname}: the carrier changed ${changes} times lately, ${nodeRef(peer)} is silent behind it`;
      const detail = { changes, node, ifname, peer };
      return [linkFlapSymptom.raise({ id: `flap:${subject}`, subject, text, source: sources, nodes: [node], detail })];
    }),
  );
}
