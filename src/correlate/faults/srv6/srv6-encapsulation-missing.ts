// srv6_encapsulation_missing: a head has no route to a network whose traffic reaches it over SRv6, or to a prefix that every other head
// puts into SRv6: it no longer encapsulates what it should.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { hasNoRoute, steeringOf } from '../../network/srv6-steering.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';

/** Other heads that must agree before the one that does not is called odd. */
const LEAST_OTHER_HEADS = 2;

/** `address` is one of the other node's, or a prefix; `owner` the other node, absent where every other head steers there. */
type Detail = { readonly head: string; readonly address: string; readonly owner?: string };

export const srv6EncapsulationMissing = defineFault<Detail>({
  id: 'srv6_encapsulation_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a head no longer puts the traffic for a network into SRv6, though that network’s traffic for it comes so',
  clue: 'srv6',
  detect: ({ world }) => {
    // One detection a head, whatever the number of networks that it does not reach.
    const byHead = Map.groupBy([...oneWay(world), ...unlikeOthers(world)], ({ resource }) => resource);
    return [...byHead.values()].map((all) => ({
      ...all[0]!,
      nodes: [...new Set(all.flatMap(({ nodes }) => nodes))],
      evidence: [...new Set(all.flatMap(({ evidence }) => evidence))],
    }));
  },
  describe: ({ head, address, owner }) =>
    owner === undefined
      ? `${nodeRef(head)} has no way to ${address}, which every other head puts into SRv6`
      : `${nodeRef(head)} has no way to ${address} of ${nodeRef(owner)}, which puts its traffic for ${nodeRef(head)} into SRv6`,
  remedy: ({ head, address }) => ({
    node: head,
    summary: `steer ${address} on ${nodeRef(head)} into SRv6 as the others do`,
  }),
});

function detectionAt(world: World, nodes: readonly string[], detail: Detail): Detection<Detail> {
  return {
    ...{ resource: nodeResource(detail.head), confidence: 'certain', evidence: sourcesOf(world, ...nodes) },
    ...{ nodes, detail },
  };
}

/** Others put traffic for this head's network into SRv6, and it has no route to theirs: what they send is never answered. */
function oneWay(world: World): readonly Detection<Detail>[] {
  const steering = Map.groupBy(steeringOf(world), ({ head }) => head);
  const views = [...world.views.values()].map((view) => ({ node: view.node, addresses: attached(view) }));
  return views.flatMap((view) =>
    views.flatMap((other) => {
      const steersHere = (steering.get(other.node) ?? []).some(({ prefix }) =>
        view.addresses.some((address) => covers(prefix, address)),
      );
      if (view === other || !steersHere) return [];
      return other.addresses
        .filter((address) => hasNoRoute(world, view.node, address))
        .map((address) => detectionAt(world, [view.node, other.node], { head: view.node, owner: other.node, address }));
    }),
  );
}

/** All other heads steer to a prefix, and this one has no route to it at all. */
function unlikeOthers(world: World): readonly Detection<Detail>[] {
  const steering = steeringOf(world);
  const heads = [...new Set(steering.map(({ head }) => head))];
  return [...Map.groupBy(steering, ({ prefix }) => prefix)].flatMap(([prefix, routes]) => {
    const steers = new Set(routes.map(({ head }) => head));
    const others = heads.filter((head) => !steers.has(head) && !owns(world, head, prefix));
    const [odd] = others;
    if (others.length !== 1 || odd === undefined || steers.size < LEAST_OTHER_HEADS) return [];
    if (!hasNoRoute(world, odd, prefix.split('/')[0]!)) return [];
    return [detectionAt(world, [odd, ...steers], { head: odd, address: prefix })];
  });
}

function owns(world: World, node: string, prefix: string): boolean {
  return world.views
    .get(node)!
    .state.inventory.interfaces.some((entry) =>
      entry.addresses.some((address) => covers(prefix, address.split('/')[0]!)),
    );
}

/** IPv6 addresses on networks for more than two. */
function attached({ state }: View): readonly string[] {
  return state.inventory.interfaces
    .filter((entry) => entry.kind !== 'loopback')
    .flatMap((entry) => entry.addresses)
    .filter((address) => address.includes(':') && !/^fe[89ab]/i.test(address) && Number(address.split('/')[1]) < 126)
    .map((address) => address.split('/')[0]!);
}
