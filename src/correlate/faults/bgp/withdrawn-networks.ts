// `network` statements that a node remembers and has no longer, although its BGP runs, and the routers that have no route to the prefix since. A
// prefix that another statement, another node or a shorter prefix still covers for them is missed by none.
import { withdrawnPrefixes } from '#measure/nodes/lookups.ts';
import { addressIn } from '#model/expectations.ts';
import { settingsBefore } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';

export type WithdrawnNetwork = {
  readonly node: string;
  readonly prefix: string;
  /** Other routers with BGP. */
  readonly lacking: readonly string[];
};

export function withdrawnNetworks(world: World): readonly WithdrawnNetwork[] {
  return [...world.views.values()].flatMap((view) => withdrawnAt(world, view));
}

function withdrawnAt(world: World, { node, state }: View): readonly WithdrawnNetwork[] {
  const isAlive = (state.daemons ?? []).every(
    ({ name, alive, silent }) => name !== 'bgpd' || (alive && silent !== true),
  );
  if (!isAlive) return [];
  return (
    withdrawnPrefixes(state)
      .filter((prefix) => settingsBefore(world, node, 'network', prefix).length > 0)
      // Prefixes of its own interfaces are looked at as such.
      .filter((prefix) => !state.bgp!.ownPrefixes.some((own) => own.prefix === prefix))
      .flatMap((prefix) => {
        const lacking = [...world.lookups].flatMap(([other, answers]) =>
          other !== node &&
          world.views.get(other)?.state.bgp !== undefined &&
          answers.get(addressIn(prefix))?.kind === 'none'
            ? [other]
            : [],
        );
        return lacking.length === 0 ? [] : [{ node, prefix, lacking }];
      })
  );
}
