// `network` statements that a node remembers and has no longer, although its BGP runs, and the routers that have no route to the prefix since. A
// prefix that another statement, another node or a shorter prefix still covers for them is missed by none. Whether it was taken out of use, the
// network does not tell.
import { covers } from '#base/ip.ts';
import { withdrawnPrefixes } from '#measure/nodes/lookups.ts';
import { addressIn } from '#model/expectations.ts';
import { settingsBefore } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';
import { isUp, sessionsOf } from '../../symptoms/sessions.ts';

export type WithdrawnNetwork = {
  readonly node: string;
  readonly prefix: string;
  /** Of the routers that it has sessions with. */
  readonly lacking: readonly string[];
};

export function withdrawnNetworks(world: World): readonly WithdrawnNetwork[] {
  return [...world.views.values()].flatMap((view) => withdrawnAt(world, view));
}

/** A statement that was moved to other prefixes, or to redistribution, may have done nothing; nor is a prefix missed that its node lacks itself. */
function withdrawnAt(world: World, { node, state }: View): readonly WithdrawnNetwork[] {
  const { bgp, daemons = [] } = state;
  const isAlive = daemons.every(({ name, alive, silent }) => name !== 'bgpd' || (alive && silent !== true));
  if (bgp === undefined || !isAlive || bgp.redistribute.length > 0) return [];
  return withdrawnPrefixes(state)
    .filter((prefix) => settingsBefore(world, node, 'network', prefix).length > 0)
    .filter(
      (prefix) => ![...bgp.networks, ...bgp.ownPrefixes.map((own) => own.prefix)].some((each) => meets(each, prefix)),
    )
    .filter((prefix) => hasItself(world, node, prefix))
    .flatMap((prefix) => {
      const lacking = neighboursOf(world, node).filter(
        (other) => world.lookups.get(other)?.get(addressIn(prefix))?.kind === 'none',
      );
      return lacking.length === 0 ? [] : [{ node, prefix, lacking }];
    });
}

/** One lies in the other. */
function meets(one: string, other: string): boolean {
  return covers(one, addressIn(other)) || covers(other, addressIn(one));
}

/** It has a route to this very prefix, without which a statement announces nothing (RFC 4271 §9.1). */
function hasItself({ lookups }: World, node: string, prefix: string): boolean {
  return lookups.get(node)?.get(addressIn(prefix))?.matched === prefix;
}

/** Routers that it has a session with, which had the prefix from it. */
function neighboursOf(world: World, node: string): readonly string[] {
  const found = sessionsOf(world).flatMap(({ near, far }) =>
    near.node === node && isUp(near.row) && far !== undefined ? [far.node] : [],
  );
  return [...new Set(found)];
}
