// Troubles of SRv6: segment lists with a SID that its node does not have, and prefixes that one head no longer encapsulates.
import { nodeResource } from '#model/names.ts';
import { mark } from './spelling.ts';
import type { Trouble } from './trouble.ts';
import { covers, sourcesOf, type World } from './world.ts';

export function srv6Troubles(world: World): readonly Trouble[] {
  return missingSids(world);
}

function missingSids(world: World): readonly Trouble[] {
  const have = new Set(
    [...world.views.values()].flatMap(({ state }) => state.inventory.sids.map((entry) => entry.sid)),
  );
  const wanted = new Map<string, { readonly head: string; readonly prefix: string }[]>();
  for (const { node, state } of world.views.values()) {
    for (const route of state.staticRoutes ?? []) {
      for (const sid of route.segments ?? []) {
        if (!have.has(sid)) wanted.set(sid, [...(wanted.get(sid) ?? []), { head: node, prefix: route.prefix }]);
      }
    }
  }
  return [...wanted].flatMap(([sid, heads]): readonly Trouble[] => {
    const owner = locatorOwner(world, sid);
    // It may belong to somebody who was not asked.
    if (owner === undefined && !world.whole) return [];
    const names = [...new Set(heads.map((entry) => entry.head))];
    const text = `${names.map(mark).join(', ')} send${names.length === 1 ? 's' : ''} to SID ${sid}${owner === undefined ? ', which no node has' : `, which ${mark(owner)} does not have`}`;
    return [
      {
        id: `srv6:${sid}`,
        kind: 'srv6',
        subject: nodeResource(owner ?? names[0]!),
        text,
        source: sourcesOf(world, ...names, ...(owner === undefined ? [] : [owner])),
        nodes: [...names, ...(owner === undefined ? [] : [owner])],
        detail: { sid, heads: names, ...(owner === undefined ? {} : { owner }), prefix: heads[0]!.prefix },
      },
    ];
  });
}

/** The node whose locator (a hand-set blackhole that holds its own SIDs) covers the SID. */
function locatorOwner(world: World, sid: string): string | undefined {
  const owners = [...world.views.values()].filter(({ state }) =>
    (state.staticRoutes ?? []).some(
      (route) => route.kind === 'blackhole' && covers(route.prefix, sid) && !route.prefix.endsWith('/0'),
    ),
  );
  return owners.length === 1 ? owners[0]!.node : undefined;
}
