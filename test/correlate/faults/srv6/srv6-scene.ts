// Heads that steer prefixes into SRv6, with what they look up and what they have: three nodes of pair-scene.ts, a, b and c.
import type { World } from '#correlate/network/world.ts';
import { ringWorld } from '../proposing.ts';

export type Head = {
  /** Prefix → SIDs. */
  readonly steers?: Readonly<Record<string, readonly string[]>>;
  readonly sids?: readonly string[];
  readonly addresses?: readonly string[];
  readonly kind?: string;
  readonly loopbacks?: readonly string[];
  /** Address → kind of the route that is found for it. */
  readonly finds?: Readonly<Record<string, string>>;
};

export function srv6World(heads: Readonly<Record<string, Head>>): World {
  const states = Object.entries(heads).map(
    ([node, { steers = {}, sids = [], addresses = [], loopbacks = [], kind }]) => [
      node,
      {
        inventory: {
          interfaces: [{ name: 'lan', kind: kind ?? 'physical', operUp: true, addresses }],
          sids: sids.map((sid) => ({ sid, behavior: 'End' })),
          loopbacks,
        },
        staticRoutes: Object.entries(steers).map(([prefix, segments]) => ({ prefix, kind: 'unicast', segments })),
      },
    ],
  );
  const empty = { inventory: { interfaces: [], sids: [], loopbacks: [] } };
  const lookups = new Map(
    Object.entries(heads).map(([node, { finds = {} }]) => [
      node,
      new Map(Object.entries(finds).map(([destination, kind]) => [destination, { destination, kind }])),
    ]),
  );
  return ringWorld({ lookups }, { a: empty, b: empty, c: empty, d: empty, ...Object.fromEntries(states) });
}
