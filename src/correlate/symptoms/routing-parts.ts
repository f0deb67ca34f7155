// Which nodes routing protocols connect at all, and which protocol should carry an address: nodes in one part should know each
// other's prefixes; where routing is cut in two, that cut is the symptom and not its results.
import { type OspfInterface, ospfRowsFor } from '#model/router/control-plane.ts';
import type { World } from '../network/world.ts';
import { ownerOf } from '../network/world.ts';
import { carries, isUp, sessionsOf } from './sessions.ts';

export type Carrier = 'igp' | 'bgp';

/** Node → name of its part, for each kind of protocol. */
export type Parts = {
  /** Parts differ by address family: OSPFv2 and OSPFv3 are two protocols, and a session of BGP may carry either or both. */
  readonly igp4: ReadonlyMap<string, string>;
  readonly igp6: ReadonlyMap<string, string>;
  readonly bgp4: ReadonlyMap<string, string>;
  readonly bgp6: ReadonlyMap<string, string>;
};

/** The protocol that should carry an address: an IGP where its owner runs one on that interface, else BGP where it runs that. */
export function carrierOf(world: World, address: string): Carrier | undefined {
  const owner = ownerOf(world, address);
  const state = owner === undefined ? undefined : world.views.get(owner.node)?.state;
  const inIgp =
    state?.isis?.circuits.some(
      (circuit) => circuit.ifname === owner?.ifname && (address.includes(':') ? circuit.ipv6 : circuit.ipv4),
    ) === true || ospfRowsFor(state ?? {}, address).some((row) => row.ifname === owner?.ifname);
  if (inIgp) return 'igp';
  return state?.bgp === undefined ? undefined : 'bgp';
}

/** The carrier connects the two nodes; without a known one, both kinds do. */
export function areConnected(
  parts: Parts,
  carrier: Carrier | undefined,
  destination: string,
  one: string,
  other: string,
): boolean {
  const [igp, bgp] = destination.includes(':') ? [parts.igp6, parts.bgp6] : [parts.igp4, parts.bgp4];
  const joined = (name: Carrier) => {
    const part = name === 'igp' ? igp : bgp;
    return part.get(one) === part.get(other);
  };
  return carrier === undefined ? joined('igp') && joined('bgp') : joined(carrier);
}

export function routedParts(world: World): Parts {
  const ends = ({ from, to }: World['links'][number]) =>
    [from, to].map(({ node, ifname }) => ({ ifname, state: world.views.get(node)?.state }));
  const igpParts = (address: string) =>
    partsOf(
      world,
      world.links
        .filter((link) =>
          ends(link).every(
            ({ ifname, state }) =>
              state?.adjacencies.some((entry) => entry.ifname === ifname && entry.state === 'up') === true ||
              ospfRowsFor(state ?? {}, address).some((entry) => entry.ifname === ifname && isFull(entry)),
          ),
        )
        .map(({ from, to }) => [from.node, to.node] as const),
    );
  const sessions = sessionsOf(world).filter(
    ({ near, far }) => far?.row !== undefined && isUp(near.row) && isUp(far.row),
  );
  const bgpParts = (address: string) =>
    partsOf(
      world,
      sessions.flatMap(({ near, far }) =>
        carries(near.row, address) && carries(far!.row!, address) ? [[near.node, far!.node] as const] : [],
      ),
    );
  return {
    igp4: igpParts('0.0.0.0'),
    igp6: igpParts('::'),
    bgp4: bgpParts('0.0.0.0'),
    bgp6: bgpParts('::'),
  };
}

function isFull({ neighbours }: OspfInterface): boolean {
  return neighbours.some(({ state }) => state === 'Full');
}

function partsOf(world: World, pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const part = new Map<string, string>([...world.views.keys()].map((node) => [node, node]));
  const find = (node: string): string => {
    const next = part.get(node) ?? node;
    return next === node ? node : find(next);
  };
  for (const [one, other] of pairs) part.set(find(one), find(other));
  return new Map([...part.keys()].map((node) => [node, find(node)]));
}
