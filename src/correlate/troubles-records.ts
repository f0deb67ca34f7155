// Names that a server on a router's port gave the router an address for, as long as it watched, and does not know any more when the router
// asks again. Without the second answer nobody is blamed: what is remembered is what was.
import { nodeResource } from '#model/names.ts';
import type { LostName } from '#model/watched-hosts.ts';
import { mark } from './spelling.ts';
import type { Trouble } from './trouble.ts';
import type { View, World } from './world.ts';

export function recordTroubles(world: World): readonly Trouble[] {
  return [...world.views.values()].flatMap((view) =>
    ((view.before ?? view.state).history?.watchedHosts?.names ?? []).flatMap((row) => {
      if (world.service?.address === row.address && world.service.record === row.name) return [];
      const tries = world.knocks.filter(
        (knock) => knock.from === view.node && knock.destination === row.address && knock.record === row.name,
      );
      const lost = tries.length > 0 && tries.every((knock) => knock.open && knock.found === false);
      return lost
        ? [
            lostName(
              view,
              row,
              tries.map(({ source }) => source),
            ),
          ]
        : [];
    }),
  );
}

/** As the trouble of a name that the operator asks about. */
export function lostName(
  view: View,
  { ifname, address, name, okAgoMs }: LostName,
  sources: readonly string[],
): Trouble {
  const { node } = view;
  return {
    id: `name:${name}/${address}`,
    kind: 'service',
    subject: nodeResource(node),
    text: `DNS at ${address} behind ${mark(node)}: answers, and does not know ${name}, which it knew ${Math.round(okAgoMs / 1_000)} s ago`,
    source: [...sources, ...view.sources],
    nodes: [node],
    detail: { how: 'no-record', name: 'dns', address, port: 53, node, ifname, seen: true, record: name },
  };
}
